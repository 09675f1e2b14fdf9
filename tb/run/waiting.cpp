#include "tb/run/waiting.h"

#include <utility>

#include "models/abi/packets.h"
#include "models/top/gpu.h"
#include "tb/run/machine/queue_head.h"

namespace fenceline::run {

namespace {

template <typename T>
T& at(std::vector<T>& items, std::size_t index) {
  if (items.size() <= index) items.resize(index + 1);
  return items[index];
}

std::string level_name(host::Level level) {
  switch (level) {
    case PASSIVE_LEVEL:
      return "PASSIVE_LEVEL";
    case DISPATCH_LEVEL:
      return "DISPATCH_LEVEL";
    case DEVICE_LEVEL:
      return "DEVICE_LEVEL";
    default:
      return "IRQL " + std::to_string(level);
  }
}

/// Collects the lines; those that say that all is well are worth nothing unless another does not.
class Explanation {
 public:
  Explanation(ScenarioMachine& machine, const RunHistory& history)
      : machine_(machine), history_(history) {}

  std::vector<std::string> lines() {
    threads();
    waiters();
    contexts();
    queues();
    for (std::size_t i = 0; i < machine_.platform().gpu_count(); ++i) adapter(i);
    for (std::uint32_t i = 0; i < machine_.platform().core_count(); ++i) core(i);
    held();
    return unfinished_ ? std::move(lines_) : std::vector<std::string>();
  }

 private:
  enum class Says : std::uint8_t { kDone, kUnfinished };

  void add(Says what, std::string line) {
    if (what == Says::kUnfinished) unfinished_ = true;
    lines_.push_back(std::move(line));
  }

  const std::string& agent(common::AgentId id) const {
    return machine_.simulation().steps.name(id);
  }

  std::string fence_text(const os::Fence& fence) const {
    const RunHistory::Write write = history_.last_write(fence.object);
    const std::string by = write.agent == 0 ? "never written since it was created"
                                            : "written last by " + agent(write.agent) + " at " +
                                                  std::to_string(write.time) + " ps";
    const std::uint64_t monitored = machine_.objects.monitored_value(fence);
    return fence.name + ": CurrentValue is " +
           std::to_string(machine_.objects.current_value(fence)) + ", " + by +
           "; MonitoredValue is " + (monitored == UINT64_MAX ? "none" : std::to_string(monitored));
  }

  void threads() {
    for (const auto& thread : machine_.threads())
      if (!thread->finished)
        add(Says::kUnfinished,
            "thread " + thread->name +
                (thread->waits_for.empty() ? " has not ended"
                 : thread->polls != nullptr
                     ? " " + thread->waits_for + "; " + fence_text(*thread->polls)
                     : " waits for " + thread->waits_for));
  }

  void waiters() {
    for (const auto& fence : machine_.kernel().system.monitored.all()) waiters_of(*fence);
    for (const auto& fence : machine_.kernel().system.fences) waiters_of(*fence);
  }

  void waiters_of(const os::Fence& fence) {
    for (const auto& [value, registration] : fence.waiters.by_value())
      if (registration->waiter().thread != 0)
        add(Says::kUnfinished, "waiter " + std::to_string(registration->waiter().number) +
                                   " needs " + fence.name + " >= " + std::to_string(value) + "; " +
                                   fence_text(fence));
  }

  void contexts() {
    const os::ContextScheduler* contexts = machine_.kernel().system.contexts.get();
    if (contexts == nullptr) return;
    for (const auto& context : contexts->table.contexts) {
      if (context->buffers != 0)
        add(Says::kUnfinished, "context " + context->name + ": " +
                                   std::to_string(context->buffers) + " buffers not complete");
      for (const auto* list : {&context->packets, &context->passed})
        for (const auto& packet : *list)
          if (packet.wait != nullptr)
            add(Says::kUnfinished, "context " + context->name + " waits for " +
                                       packet.wait->fence().name +
                                       " >= " + std::to_string(packet.wait->point.value) + "; " +
                                       fence_text(packet.wait->fence()));
    }
  }

  void queues() {
    for (const QueueHead& head : queue_heads(machine_)) {
      std::string line = "queue " + head.name + " on " + head.engine + ": " + text_of(head);
      if (head.waits && head.fence != nullptr) line += "; " + fence_text(*head.fence);
      add(head.empty() ? Says::kDone : Says::kUnfinished, std::move(line));
    }
  }

  void adapter(std::size_t number) {
    top::Gpu& gpu = machine_.platform().gpu(number);
    const std::string& name = gpu.config().name;
    interrupt_ring(name, machine_.kernel().adapter(number));
    if (machine_.kernel().adapter(number).dpc_queued()) deferred_call(name);
    if (!gpu.quiet()) add(Says::kUnfinished, name + " has writes on their way");
  }

  void interrupt_ring(const std::string& name, os::Adapter& adapter) {
    const RunHistory::Entries entries = history_.interrupt_entries(adapter.object());
    const std::uint64_t acknowledged = adapter.port().acknowledged();
    std::string line = "interrupt ring of " + name + ": entries written " +
                       std::to_string(entries.written) + ", acknowledged ";
    if ((acknowledged & abi::kAcknowledgeWithoutCount) != 0) {
      line += "without a count; " + std::to_string(entries.written - entries.before_isr) +
              " written since the last ISR began";
      return add(Says::kDone, std::move(line));
    }
    line += std::to_string(acknowledged);
    add(acknowledged < entries.written ? Says::kUnfinished : Says::kDone, std::move(line));
  }

  void deferred_call(const std::string& adapter) {
    const std::uint32_t number = machine_.kernel().options().adapter.interrupt_core;
    const host::Core& core = machine_.platform().core(number);
    add(Says::kUnfinished, "a DPC of " + adapter + " is queued" +
                               why_not(core, DISPATCH_LEVEL, core_name(number) + ".dpc"));
  }

  void core(std::uint32_t number) {
    const host::Core& core = machine_.platform().core(number);
    const std::string name = core_name(number);
    for (std::size_t i = 0; i < machine_.platform().gpu_count(); ++i)
      if ((core.pending_interrupts() >> machine_.kernel().adapter(i).vector() & 1U) != 0)
        add(Says::kUnfinished, name + ": the interrupt of " +
                                   machine_.platform().gpu(i).config().name + " is pending" +
                                   why_not(core, core.interrupt_level(), name + ".isr"));
    if (core.busy())
      add(Says::kUnfinished, name + ": " + agent(core.topmost()) + " is on it at " +
                                 level_name(core.level()) +
                                 (core.level() < DEVICE_LEVEL ? "" : ", interrupts are masked"));
  }

  /// Why what is due on a core at `level` does not begin.
  std::string why_not(const host::Core& core, host::Level level, const std::string& who) const {
    if (core.busy() && core.level() >= level)
      return ", masked: " + agent(core.topmost()) + " is on core" + std::to_string(core.number()) +
             " at " + level_name(core.level());
    return ", not masked: " + who + " has not begun";
  }

  void held() {
    const common::Steps& steps = machine_.simulation().steps;
    const char* stands = steps.exploring() ? " stands before " : " is held before ";
    for (const auto& held : steps.held())
      add(Says::kUnfinished,
          "agent " + agent(held.agent) + stands + common::operation_name(held.operation));
  }

  static std::string core_name(std::uint32_t number) { return "core" + std::to_string(number); }

  ScenarioMachine& machine_;
  const RunHistory& history_;
  std::vector<std::string> lines_;
  bool unfinished_ = false;
};

}  // namespace

void RunHistory::on(const common::At<event::CurrentValueVisible>& event) {
  writes_[event.fence] = {event.agent, event.time};
}
void RunHistory::on(const common::At<event::FenceStorageFree>& event) {
  if (event.gone) writes_.forget(event.fence);
}
void RunHistory::on(const common::At<event::InterruptRaised>& event) {
  ++at(entries_, event.adapter).written;
}
void RunHistory::on(const common::At<event::EngineInterrupt>& event) {
  ++at(entries_, event.adapter).written;
}
void RunHistory::on(const common::At<event::IsrBegin>& event) {
  Entries& entries = at(entries_, event.adapter);
  entries.before_isr = entries.written;
}

std::vector<std::string> explain_waiting(ScenarioMachine& machine, const RunHistory& history) {
  return Explanation(machine, history).lines();
}

}  // namespace fenceline::run
