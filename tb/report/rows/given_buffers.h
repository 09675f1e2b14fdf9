#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/common/events.h"
#include "tb/report/record/names.h"

namespace fenceline::report {

/// The buffers that the driver was given, by the id of their submission. Events of a device name an
/// engine by its number in its adapter, from 1, and a buffer by that id.
class GivenBuffers {
 public:
  struct Buffer {
    std::uint32_t context = 0;  ///< object
    std::uint64_t number = 0;   ///< in the context
  };

  explicit GivenBuffers(const Names& names) : names_(names) {}

  void take(const event::ContextGiven& event);
  /// Object of an engine; 0 if there is none.
  std::uint32_t engine(std::uint32_t adapter, std::uint64_t number) const;
  /// Null if it is not known.
  const Buffer* find(std::uint32_t engine, std::uint64_t submission) const;

 private:
  const Names& names_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Buffer> given_;  ///< by engine and id
};

}  // namespace fenceline::report
