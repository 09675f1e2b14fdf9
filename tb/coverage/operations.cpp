#include "tb/coverage/operations.h"

#include <algorithm>

#include "models/common/hash.h"

namespace fenceline::coverage {

namespace {

using event::Field;
using event::kDescriptions;

const Field* field_of(std::size_t kind, std::string_view name) {
  const event::Description& all = kDescriptions[kind];
  const auto* const end = all.fields.begin() + all.count;
  const auto* const found = std::find_if(all.fields.begin(), end,
                                         [name](const Field& field) { return field.name == name; });
  return found == end ? nullptr : found;
}

/// Names of the fields that all these events have; only that of a Serial, if there is one.
std::vector<std::string_view> common_fields(std::size_t beginning,
                                            const std::vector<std::size_t>& ends) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kDescriptions[beginning].count; ++i) {
    const Field& field = kDescriptions[beginning].fields[i];
    const bool shared = std::all_of(ends.begin(), ends.end(), [&](std::size_t end) {
      return field_of(end, field.name) != nullptr;
    });
    if (!shared) continue;
    if (field.serial) return {field.name};
    names.push_back(field.name);
  }
  return names;
}

}  // namespace

const Operations& Operations::all() {
  static const Operations operations;
  return operations;
}

Operations::Operations() : of_(kDescriptions.size()), keys_(kDescriptions.size()) {
  add_all(AllOperations{});
}

void Operations::add(std::size_t beginning, const std::vector<std::size_t>& ends) {
  std::vector<std::size_t> kinds = ends;
  kinds.push_back(beginning);
  for (const std::string_view name : common_fields(beginning, ends))
    for (const std::size_t kind : kinds) keys_[kind].push_back(field_of(kind, name)->place);
  for (const std::size_t kind : kinds) of_[kind] = static_cast<common::EventKind>(beginning);
}

std::uint64_t Operations::number(const common::Event& event) const {
  const event::Record record = event.record();
  std::uint64_t number = index(*of_[index(event.kind)]);
  for (const event::Place& place : keys_[index(event.kind)])
    number = common::hash_values(number, place.of(record));
  return number;
}

std::vector<common::EventKind> Operations::beginnings() const {
  std::vector<common::EventKind> kinds;
  for (std::size_t kind = 0; kind < of_.size(); ++kind)
    if (begins(static_cast<common::EventKind>(kind)))
      kinds.push_back(static_cast<common::EventKind>(kind));
  return kinds;
}

}  // namespace fenceline::coverage
