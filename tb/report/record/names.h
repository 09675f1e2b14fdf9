#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/events.h"

namespace fenceline::report {

/// Readable names of everything that events refer to by number, kept after the run is gone.
struct Names {
  /// By kind, then by object number; number 0 is "none".
  std::array<std::vector<std::string>, static_cast<std::size_t>(common::ObjectKind::kCount)>
      objects;
  std::vector<std::string> ddis;      ///< by event::DdiCall::ddi
  std::vector<std::string> opcodes;   ///< by abi::Opcode
  std::vector<std::string> labels;    ///< by event::Mark::label
  std::vector<std::string> c_states;  ///< by state index; [0] is C0

  /// Copies the object names of `stream` and the names of opcodes. The other lists stay empty.
  static Names capture(const common::EventStream& stream);

  /// Name of an object, or "?" when it has none.
  std::string_view object(common::ObjectKind kind, std::uint64_t number) const;
  /// Highest object number of `kind`.
  std::uint32_t count(common::ObjectKind kind) const;
  /// The object of `kind` with the longest name that the name of an agent begins with; 0: none.
  std::uint32_t owner(common::ObjectKind kind, std::string_view agent) const;
  /// Entry `index` of one of the lists above, or `what` followed by the index.
  static std::string entry(const std::vector<std::string>& list, std::uint64_t index,
                           std::string_view what);
};

}  // namespace fenceline::report
