#include "tb/report/record/names.h"

#include <fmt/format.h>

#include "models/abi/packets.h"

namespace fenceline::report {

using common::ObjectKind;

Names Names::capture(const common::EventStream& stream) {
  Names names;
  for (std::size_t k = 0; k < names.objects.size(); ++k) {
    const auto kind = static_cast<ObjectKind>(k);
    std::vector<std::string>& list = names.objects[k];
    const std::uint32_t count = stream.object_count(kind);
    list.reserve(count + 1);
    list.emplace_back("none");
    for (std::uint32_t i = 1; i <= count; ++i) list.push_back(stream.name(kind, i));
  }
  for (std::size_t i = 0; i < abi::kOpcodeCount; ++i) {
    names.opcodes.emplace_back(abi::opcode_name(static_cast<abi::Opcode>(i)));
  }
  return names;
}

std::string_view Names::object(ObjectKind kind, std::uint64_t number) const {
  const auto& list = objects[static_cast<std::size_t>(kind)];
  if (number < list.size()) return list[number];
  return number == 0 ? std::string_view("none") : std::string_view("?");
}

std::uint32_t Names::count(ObjectKind kind) const {
  const auto& list = objects[static_cast<std::size_t>(kind)];
  return list.empty() ? 0 : static_cast<std::uint32_t>(list.size() - 1);
}

std::uint32_t Names::owner(ObjectKind kind, std::string_view agent) const {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i <= count(kind); ++i) {
    const std::string_view name = object(kind, i);
    const bool begins = agent.substr(0, name.size()) == name &&
                        (agent.size() == name.size() || agent[name.size()] == '.');
    if (begins && (best == 0 || name.size() > object(kind, best).size())) best = i;
  }
  return best;
}

std::string Names::entry(const std::vector<std::string>& list, std::uint64_t index,
                         std::string_view what) {
  if (index < list.size() && !list[index].empty()) return list[index];
  return fmt::format("{}{}", what, index);
}

}  // namespace fenceline::report
