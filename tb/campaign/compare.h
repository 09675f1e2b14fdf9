#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/campaign/observation.h"
#include "tb/reference/outcome.h"

namespace fenceline::campaign {

/// Kind of a difference between a run and its prediction.
enum class DifferenceKind : std::uint8_t {
  kValue,     ///< a fence or a load has another value
  kWait,      ///< a step ends or begins that must not, or the other way round
  kOrder,     ///< a step or command is over too early
  kBytes,     ///< an allocation holds other bytes
  kStatus,    ///< a call returns another status
  kLostWork,  ///< a command is not done, or is done against the prediction
  kHang,      ///< the run hangs, or does not where it must
  kBugCheck   ///< the same for a bug check
};
constexpr std::size_t kDifferenceKinds = 8;
/// Stable lower-case name, such as "lost work".
const char* kind_name(DifferenceKind kind);
/// The rule of the reference that a difference of this kind is against: one sentence.
const char* rule_of(DifferenceKind kind);

struct Difference {
  DifferenceKind kind = DifferenceKind::kValue;
  std::string place;     ///< JSON pointer of the step or command; else the name of the object
  std::string sentence;  ///< such as "fence app/F is 3 at the end, and must be 4"
};

/// Number of statements of one kind that a prediction makes about a run.
struct Statements {
  std::uint64_t fixed = 0;  ///< one result is right
  std::uint64_t sets = 0;   ///< several results are
  std::uint64_t open = 0;   ///< every result is

  Statements& operator+=(const Statements& other);
  std::uint64_t all() const { return fixed + sets + open; }
};

/// Statements by DifferenceKind.
class Coverage {
 public:
  Statements& operator[](DifferenceKind kind) { return kinds_[static_cast<std::size_t>(kind)]; }
  const Statements& operator[](DifferenceKind kind) const {
    return kinds_[static_cast<std::size_t>(kind)];
  }
  Coverage& operator+=(const Coverage& other);

 private:
  std::array<Statements, kDifferenceKinds> kinds_{};
};

struct Comparison {
  std::vector<Difference> differences;  ///< causes before consequences, as far as one can tell
  Coverage statements;
};

/// Compares a run with what must come out of it. After a bug check, only steps and commands that
/// are over are judged. Of each thread, and of each submitter to a queue or context, the first
/// difference of a wait or of lost work counts: later ones follow from it.
Comparison compare(const reference::Outcome& wanted, const Observation& found);

}  // namespace fenceline::campaign
