#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/abi/mutant.h"
#include "tb/campaign/campaign.h"

namespace fenceline::campaign {

/// A design with a known fault, or a reference with one. A campaign has to find it.
struct Target {
  std::string name;
  std::string kind;                        ///< the part that is wrong
  std::string what;                        ///< is wrong, one sentence
  abi::Mutant fault = abi::Mutant::kNone;  ///< in a line of the code
  std::vector<std::string> overrides;      ///< of every scenario
  std::string kmd;    ///< shared library with the driver; empty: the built-in one
  Predict predict{};  ///< of a reference with the fault; empty: the reference has none
};

/// A kind of campaign.
struct Manner {
  std::string preset;
  scenario::PolicyKind policy = scenario::PolicyKind::kTiming;
  std::function<std::string(std::uint64_t seed)> generate;  ///< as CampaignOptions::generate
  std::optional<SearchBounds> search{};                     ///< as RunSettings::search
};

constexpr std::uint64_t kSearchTurns = 16;

struct BiteOptions {
  /// Runs take turns. A search takes as long as many other runs: manners with searches come once in
  /// kSearchTurns turns of the others. @pre they are behind the others
  std::vector<Manner> manners;
  Predict predict;                                ///< of the reference without a fault
  std::uint64_t runs = UINT64_MAX;                ///< limit
  std::optional<std::chrono::milliseconds> time;  ///< limit of the runs of one call of bite()
  unsigned jobs = 1;                              ///< changes nothing in the result
  std::chrono::seconds stuck{10};                 ///< as CampaignOptions::stuck
  const std::atomic<bool>* interrupted = nullptr;
};

/// The first run in which a fault was found.
struct FirstFailure {
  std::uint64_t run = 0;  ///< from 1
  std::uint64_t seed = 0;
  std::string preset;
  std::string policy;
  std::string cause;             ///< as Failure::cause
  std::string reason;            ///< of the smallest scenario
  std::string scenario;          ///< document: the smallest one
  std::uint64_t operations = 0;  ///< steps and commands of it
  bool smallest = true;          ///< false: time was over, or its failure did not come again
};

/// Result of the runs of a target.
struct Bite {
  std::uint64_t runs = 0;     ///< without a failure
  std::uint64_t reached = 0;  ///< of them those in which the line with the fault ran
  std::optional<FirstFailure> found;
};

/// Gets the result of a target, which is a number in the list of targets.
using Bitten = std::function<void(std::size_t target, const Bite& bite)>;

/// Runs generated scenarios on each target until one fails, and makes that one small. Several
/// targets are wrong references: they share the scenarios, and a scenario is run for those alone
/// that predict something else than the right one. False after an interrupt: then some targets have
/// no result. @pre targets.size() == 1, or all have `predict`
bool bite(const std::vector<Target>& targets, const BiteOptions& options, const Bitten& bitten);

/// Number of steps and commands of a scenario; those inside others count as well.
std::uint64_t operations_of(const nlohmann::ordered_json& scenario);

// A result as a document, for the journal and for bite.json.
nlohmann::ordered_json bite_json(const Target& target, const Bite& bite);
Bite bite_of(const nlohmann::ordered_json& json);
/// A result as a line for people.
std::string bite_text(const Target& target, const Bite& bite);

}  // namespace fenceline::campaign
