#include "tb/reference/program/name_uses.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"
#include "tb/reference/program/call_rules.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

Name split(const std::string& name) {
  const std::size_t slash = name.find('/');
  return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace

NameUses::NameUses(const json& scenario) {
  for (const json& process : scenario.at("processes")) {
    process_ = process.at("name");
    for (const json& fence : process.at("fences")) {
      Uses& uses = uses_[{process_, fence.at("name")}];
      uses.declared = true;
      uses.fences.push_back(&fence);
      if (fence.contains("open")) use_elsewhere(fence.at("open"));
    }
  }
  for (std::size_t i = 0; i < scenario.at("programs").size(); ++i) {
    const json& program = scenario.at("programs")[i];
    process_ = program.at("process");
    program_ = std::to_string(i);
    several_threads_ = program.value("count", 1) > 1;
    if (program.contains("steps")) read_steps(program.at("steps"), several_threads_);
    if (program.contains("commands")) read_uses(program.at("commands"));
  }
}

void NameUses::read_steps(const json& steps, bool repeated) {
  for (const json& step : steps) {
    const std::string& verb = step.begin().key();
    const json& value = step.begin().value();
    if (verb == "repeat") {
      read_steps(value.at("steps"), true);
    } else if (verb == "create_fence") {
      use(process_, value.at("name"));
      Uses& uses = uses_[{process_, value.at("name")}];
      uses.repeated = uses.repeated || repeated;
      uses.creations.push_back(&value);
      uses.fences.push_back(&value);
      created_.emplace_back(process_, value.at("name"));
      if (value.contains("open")) use_elsewhere(value.at("open"));
    } else if (verb == "destroy_fence") {
      const std::string name = value.is_string() ? value : value.at("fence");
      use(process_, name);
      uses_[{process_, name}].destroyed = true;
    } else {
      read_uses(value);
    }
  }
}

void NameUses::read_uses(const json& value) {
  if (value.is_object() && value.contains("fence")) use(process_, value.at("fence"));
  if (value.is_object() && value.contains("fences") && value.at("fences").size() > 1)
    for (const json& it : value.at("fences")) uses_[{process_, it.at("fence")}].together = true;
  if (!value.is_structured()) return;
  for (const json& inner : value) read_uses(inner);
}

void NameUses::use(const std::string& process, const std::string& name) {
  std::set<std::string>& users = uses_[{process, name}].users;
  users.insert(program_);
  if (several_threads_) users.insert(program_ + " again");
}

void NameUses::use_elsewhere(const std::string& name) {
  uses_[split(name)].users.insert("process " + process_);
}

NameUses::Kind NameUses::kind(const Name& name) const {
  const auto found = uses_.find(name);
  if (found == uses_.end()) return Kind::kFixed;
  const Uses& uses = found->second;
  if (uses.creations.empty() && !uses.destroyed) return Kind::kFixed;
  const bool opened = std::any_of(uses.users.begin(), uses.users.end(),
                                  [](const auto& user) { return user.rfind("process", 0) == 0; });
  const std::size_t objects = uses.creations.size() + (uses.declared ? 1 : 0);
  const bool one_object = objects == 1 && !uses.repeated;
  if (uses.users.size() == 1 && !opened && !abi::mutant(abi::Mutant::kNameIsUnclear))
    return Kind::kLocal;
  return one_object || abi::mutant(abi::Mutant::kNameIsClear) ? Kind::kOnce : Kind::kUnclear;
}

bool NameUses::is_mixed() const {
  return std::any_of(uses_.begin(), uses_.end(), [this](const auto& it) {
    if (kind(it.first) != Kind::kUnclear) return false;
    std::set<FenceKind> kinds;
    for (FenceKind fence : fence_kinds(it.first)) {
      fence.cross_adapter = fence.cross_adapter && it.second.together;
      kinds.insert(std::move(fence));
    }
    return kinds.size() > 1;
  });
}

/// A handle has limits of its own. Whether a fence that is opened is monitored or shared among
/// adapters, and whether the GPU has access, its creation says.
std::set<NameUses::FenceKind> NameUses::fence_kinds(const Name& name, std::set<Name> path) const {
  std::set<FenceKind> kinds;
  const auto found = uses_.find(name);
  if (found == uses_.end() || !path.insert(name).second) return kinds;
  for (const json* fence : found->second.fences) {
    std::set<FenceKind> origins{{fence->value("monitored", false),
                                 !has_flag(*fence, "NoGPUAccess"),
                                 fence->value("cross_adapter", false),
                                 {}}};
    if (fence->contains("open")) origins = fence_kinds(split(fence->at("open")), path);
    for (FenceKind kind : origins) {
      kind.limits.clear();
      for (const char* flag : {"NoSignal", "NoWait"})
        if (has_flag(*fence, flag)) kind.limits.insert(flag);
      kinds.insert(std::move(kind));
    }
  }
  return kinds;
}

const json* NameUses::creation(const Name& name) const {
  const auto found = uses_.find(name);
  if (found == uses_.end() || kind(name) == Kind::kLocal) return nullptr;
  return found->second.creations.empty() ? nullptr : found->second.creations.front();
}

}  // namespace fenceline::reference
