#include "tb/report/rows/given_buffers.h"

#include <string_view>

namespace fenceline::report {

using common::ObjectKind;

void GivenBuffers::take(const event::ContextGiven& event) {
  if (event.buffer == 0) return;  // the node drops the context
  const auto adapter = static_cast<std::uint32_t>(event.adapter);
  given_[{engine(adapter, event.engine), event.submission}] = {event.context, event.buffer};
}

// Engines of an adapter have its name in front, and are objects in the order of their numbers.
std::uint32_t GivenBuffers::engine(std::uint32_t adapter, std::uint64_t number) const {
  const std::string_view owner = names_.object(ObjectKind::kAdapter, adapter);
  std::uint64_t found = 0;
  for (std::uint32_t i = 1; i <= names_.count(ObjectKind::kEngine); ++i) {
    const std::string_view name = names_.object(ObjectKind::kEngine, i);
    const bool of_adapter = name.size() > owner.size() && name[owner.size()] == '.' &&
                            name.substr(0, owner.size()) == owner;
    if (of_adapter && ++found == number) return i;
  }
  return 0;
}

const GivenBuffers::Buffer* GivenBuffers::find(std::uint32_t engine,
                                               std::uint64_t submission) const {
  const auto found = given_.find({engine, submission});
  return found == given_.end() ? nullptr : &found->second;
}

}  // namespace fenceline::report
