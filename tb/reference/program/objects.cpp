#include "tb/reference/program/objects.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"
#include "tb/reference/program/call_rules.h"
#include "tb/reference/program/engine_faults.h"
#include "tb/reference/program/expression.h"
#include "tb/reference/program/negotiation.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

std::string full_name(const Name& name) { return name.first + "/" + name.second; }

/// Buffers of a context that a thread can submit before it waits for one of them: assumption A-231.
constexpr std::uint64_t kBuffersOfContext = 8;

/// Work of contexts leaves a node at the end of its quantum, also while it waits: the node can stop
/// within a buffer. In a random order no time passes. Source: background/preemption.md, the path of
/// a preemption.
bool leaves_waits(const json& scenario, const json& adapter) {
  const auto stops_inside = [&](const char* kind) {
    const json& place = adapter.at("preemption").at(kind);
    return place != "none" && place != "dma_buffer_boundary";
  };
  return scenario.at("platform").at("os").at("preemption").at("enabled") &&
         scenario.at("policy") != "random" && stops_inside("graphics") && stops_inside("compute");
}

}  // namespace

Objects::Objects(const json& scenario, Program& program)
    : scenario_(scenario), program_(program), uses_(scenario) {
  for (const json& process : scenario.at("processes")) {
    const std::string name = process.at("name");
    adapters_[name] = &adapter_named(scenario, process.at("adapter"));
    processes_.emplace(name, static_cast<Id>(processes_.size()));
    program_.adapters.push_back(process.at("adapter"));
    declare_queues(process);
    declare_contexts(process);
    declare_allocations(process);
  }
  for (const json& it : scenario.at("programs"))
    if (it.contains("steps"))
      declare_created(it.at("process"), it.at("steps"), it.value("count", 1) > 1);
  declare_fences();
  declare_cpu_events();
}

void Objects::declare_allocations(const json& process) {
  for (const json& it : process.at("allocations")) {
    const Name name{process.at("name"), it.at("name")};
    const Id declared = allocation(name);
    program_.allocations[declared].size = bytes_of(it.at("size"));
    if (!it.contains("segments")) continue;
    managed_[name] = &it;
    program_.allocations[declared].resident = it.at("resident");
  }
}

/// Allocations that steps create. The thread that uses one may not be the one that creates it.
void Objects::declare_created(const std::string& process, const json& steps, bool repeated) {
  for (const json& step : steps) {
    const json& value = step.begin().value();
    if (step.begin().key() == "repeat") declare_created(process, value.at("steps"), true);
    if (step.begin().key() != "create_allocation") continue;
    const Name name{process, value.at("name")};
    if (!managed_.emplace(name, &value).second || repeated) again_.insert(name);
    program_.allocations[allocation(name)].size = bytes_of(value.at("size"));
  }
}

bool Objects::has_contexts(const std::string& process) const {
  const json& all = scenario_.at("processes");
  return std::any_of(all.begin(), all.end(), [&](const json& it) {
    return it.at("name") == process && !it.at("contexts").empty();
  });
}

std::string Objects::hardware_context(const Name& name) const {
  for (const json& process : scenario_.at("processes"))
    for (const json& queue : process.at("queues"))
      if (process.at("name") == name.first && queue.at("name") == name.second)
        return name.first + "/" + queue.value("context", name.second);
  return full_name(name);
}

/// It suspends contexts to move memory, and before an adapter sleeps: background/preemption.md.
bool Objects::is_suspended_by_one() const {
  std::uint64_t threads = 0;
  bool sleeps = false;
  for (const json& program : scenario_.at("programs")) {
    const std::string text = program.dump();
    sleeps = sleeps || text.find("\"set_power\"") != std::string::npos;
    if (text.find("\"suspend_context\"") != std::string::npos)
      threads += program.value("count", 1U);
  }
  return threads == 1 && !sleeps && managed_.empty();
}

bool Objects::has_queues(const std::string& process) const {
  return std::any_of(program_.queues.begin(), program_.queues.end(),
                     [&](const Queue& queue) { return queue.process == processes_.at(process); });
}

bool Objects::has_unknown_work(const std::string& process) const {
  const std::string engines = adapter_of(process).at("name").get<std::string>() + "/";
  return std::any_of(program_.queues.begin(), program_.queues.end(), [&](const Queue& queue) {
    return !queue.node && !queue.progress && queue.engine.rfind(engines, 0) == 0;
  });
}

const json& Objects::system() const { return scenario_.at("platform").at("os"); }

/// Fences that are opened come after those that are created.
void Objects::declare_fences() {
  for (const bool opens : {false, true}) {
    for (const json& process : scenario_.at("processes"))
      for (const json& fence : process.at("fences"))
        if (fence.contains("open") == opens) declare(process.at("name"), fence);
    for (const Name& name : uses_.created()) {
      const json* fence = uses_.creation(name);
      if (fence != nullptr && fence->contains("open") == opens) make(name.first, *fence);
    }
  }
}

void Objects::declare_queues(const json& process) {
  const std::string owner = process.at("name");
  for (const json& it : process.at("queues")) {
    const Name name{owner, it.at("name")};
    Queue queue;
    queue.name = full_name(name);
    queue.process = processes_.at(owner);
    queue.engine = engine(owner, it.at("engine"));
    queue.room = bytes_of(it.at("ring"));
    if (it.at("progress_fence")) {
      const Name fence{owner, name.second + ".progress"};
      declare(owner, {{"name", fence.second},
                      {"flags", json::array()},
                      {"monitored", false},
                      {"initial_value", 0U}});
      queue.progress = handle(fence);
    }
    queues_[name] = static_cast<Id>(program_.queues.size());
    program_.queues.push_back(std::move(queue));
  }
}

void Objects::declare_contexts(const json& process) {
  const json& adapter = *adapters_.at(process.at("name"));
  for (const json& it : process.at("contexts")) {
    const Name name{process.at("name"), it.at("name")};
    Queue queue;
    queue.name = full_name(name);
    queue.process = processes_.at(name.first);
    queue.node = queue.engine = engine(name.first, it.at("engine"));
    queue.room = abi::mutant(abi::Mutant::kOneBuffer) ? 1 : kBuffersOfContext;
    // With an IOMMU a fence has no GPU virtual address: the OS signals it.
    queue.writes_fences = (!it.at("patched") || abi::mutant(abi::Mutant::kPatchedWrites)) &&
                          (!adapter.at("iommu") || abi::mutant(abi::Mutant::kIommuWritesFence)) &&
                          engine_named(adapter, it.at("engine")).at("fence_write") != "none";
    queue.priority = it.at("priority");
    queue.leaves_waits = leaves_waits(scenario_, adapter);
    queues_[name] = static_cast<Id>(program_.queues.size());
    program_.queues.push_back(std::move(queue));
  }
}

bool Objects::is_unclear(const Name& name) const {
  return uses_.kind(name) == NameUses::Kind::kUnclear;
}

std::optional<Id> Objects::handle(const Name& name) const {
  const auto found = handles_.find(name);
  return found == handles_.end() ? std::nullopt : std::optional(found->second);
}

Id Objects::event(const Name& name) {
  const auto found = events_.find(name);
  if (found != events_.end()) return found->second;
  const Id fence = static_cast<Id>(program_.fences.size());
  program_.fences.emplace_back().keeps_value = true;
  return events_[name] = add_handle(fence, json::array(), true);
}

Id Objects::add_handle(Id fence, const json& flags, bool monitored, std::optional<Id> process) {
  const auto has = [&](const char* flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  Handle handle;
  handle.fence = fence;
  handle.process = process;
  handle.monitored = monitored;
  handle.may_signal = !has("NoSignal");
  handle.may_wait = !has("NoWait");
  handle.gpu_access = !has("NoGPUAccess");
  const Id id = static_cast<Id>(program_.handles.size());
  program_.handles.push_back(handle);
  program_.fences[fence].handles.push_back(id);
  return id;
}

std::string Objects::engine(const std::string& process, const std::string& name) const {
  return adapters_.at(process)->at("name").get<std::string>() + "/" + name;
}

void Objects::declare(const std::string& process, const json& fence) {
  make(process, fence);
  if (const auto made = handle({process, fence.at("name")}))
    program_.handles[*made].declared = true;
}

bool Objects::native_adapter(const std::string& process) const {
  return has_native_fences(scenario_.at("platform"), adapter_of(process));
}

bool Objects::has_cpu_events(const std::string& process) const {
  return reference::has_cpu_events(scenario_.at("platform"), adapter_of(process));
}

Id Objects::allocation(const Name& name) {
  const auto found = allocations_.find(name);
  if (found != allocations_.end()) return found->second;
  const Id id = static_cast<Id>(program_.allocations.size());
  program_.allocations.emplace_back().name = full_name(name);
  return allocations_[name] = id;
}

std::string Objects::make(const std::string& process, const json& fence) {
  const Name name{process, fence.at("name")};
  const json flags = fence.value("flags", json::array());
  if (fence.contains("open")) {
    const std::string source = fence.at("open");
    const auto found = opened(source);
    if (!found) return "";
    const Id object = program_.handles[*found].fence;
    const bool elsewhere =
        adapters_.at(process) != adapters_.at(source.substr(0, source.find('/')));
    // background/cross_adapter.md; the documents give no status for others.
    if (elsewhere && !program_.fences[object].cross_adapter) {
      opens_elsewhere_ = true;
      return "";
    }
    if (std::string status = flags_status(fence); status != "STATUS_SUCCESS") return status;
    const bool monitored =
        !native_adapter(process) || (program_.handles[*found].monitored && !elsewhere);
    handles_[name] = add_handle(object, flags, monitored, processes_.at(process));
    // NoGPUAccess is a property of the fence.
    if (!program_.handles[*found].gpu_access && !abi::mutant(abi::Mutant::kOpenedHasAccess))
      program_.handles.back().gpu_access = false;
    if (is_unclear(name)) program_.fences[object].unclear = true;
    return "STATUS_SUCCESS";
  }
  std::string status = creation_status(fence);
  if (status != "STATUS_SUCCESS") return status;
  if (is_unclear(name) && handle(name)) return status;
  // Only a monitored fence can be where there are no native ones; the documents give no status.
  const bool monitored = fence.at("monitored");
  if (!monitored && !native_adapter(process)) return "";
  Fence made;
  made.name = full_name(name);
  made.initial = evaluate(fence.at("initial_value"), {});
  made.unclear = is_unclear(name);
  made.cross_adapter = fence.value("cross_adapter", false);
  // These two hold for the fence, not for a handle that opens it: assumption A-865.
  made.waits_for_last_close = has_flag(fence, "UnwaitCpuWaitersOnlyOnDestroy");
  made.keeps_value =
      has_flag(fence, "NoSignalMaxValueOnTdr") && !abi::mutant(abi::Mutant::kMaxValueInSpite);
  program_.fences.push_back(made);
  handles_[name] = add_handle(static_cast<Id>(program_.fences.size() - 1), flags, monitored,
                              processes_.at(process));
  return status;
}

std::optional<Id> Objects::opened(const std::string& name) const {
  const std::size_t slash = name.find('/');
  return handle({name.substr(0, slash), name.substr(slash + 1)});
}

std::string Objects::create(const std::string& process, const json& fence) {
  const Name name{process, fence.at("name")};
  if (is_unclear(name)) return "";
  if (uses_.kind(name) == NameUses::Kind::kLocal) return make(process, fence);
  return handle(name) ? "STATUS_SUCCESS" : creation_status(fence);
}

bool Objects::is_progress(const Name& fence) const {
  const auto found = handle(fence);
  if (abi::mutant(abi::Mutant::kProgressFenceCloses)) return false;
  return found && std::any_of(program_.queues.begin(), program_.queues.end(),
                              [&](const Queue& queue) { return queue.progress == found; });
}

std::optional<Id> Objects::close(const Name& name) {
  const auto found = handle(name);
  if (found) closed_[name] = program_.handles[*found].monitored || was_monitored(name);
  if (found && uses_.kind(name) == NameUses::Kind::kLocal) handles_.erase(name);
  return found;
}

}  // namespace fenceline::reference
