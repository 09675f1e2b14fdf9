#include "tb/scenario/checks/commands.h"

#include <algorithm>

#include "tb/scenario/steps/program.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

constexpr std::int64_t kMaxFactor =
    1'000'000'000;  // with kMaxUnrolled and 64 terms the sum fits in 63 bits

}  // namespace

void Loops::count_one(const std::string& pointer) {
  total_ += loops_.empty() ? 1 : loops_.back().executions;
  if (total_ > kMaxUnrolled) {
    places_.fail(pointer, "with repeats unrolled the programs have more than " +
                              std::to_string(kMaxUnrolled) + " steps and commands");
  }
}

void Loops::enter(const Expression& count, const std::string& counter, const std::string& pointer) {
  check(count, pointer + "/count");
  if (!counter.empty() && find(counter) != nullptr) {
    places_.fail(pointer + "/counter",
                 "a repeat around this one has the counter " + in_quotes(counter) + " too");
  }
  const std::uint64_t rounds = most_rounds(count, pointer + "/count");
  const std::uint64_t outer = loops_.empty() ? 1 : loops_.back().executions;
  loops_.push_back({counter, rounds, outer * rounds});  // both factors are at most kMaxUnrolled
  if (outer * rounds > kMaxUnrolled) {
    places_.fail(pointer + "/count",
                 "nested repeats run more than " + std::to_string(kMaxUnrolled) + " times");
  }
}

const Loops::Loop* Loops::find(const std::string& counter) const {
  for (const Loop& loop : loops_) {
    if (loop.counter == counter) return &loop;
  }
  return nullptr;
}

void Loops::check(const Expression& expression, const std::string& pointer) const {
  for (const auto& term : expression.terms()) {
    if (find(term.first) != nullptr) continue;
    std::vector<std::string> known;
    for (const Loop& loop : loops_) {
      if (!loop.counter.empty()) known.push_back(loop.counter);
    }
    places_.fail_unknown(pointer, "repeat around this with the counter", term.first, known);
  }
}

std::uint64_t Loops::most_rounds(const Expression& count, const std::string& pointer) const {
  const auto most = static_cast<std::int64_t>(kMaxUnrolled);
  auto low = static_cast<std::int64_t>(count.constant());
  const auto too_large = [&]() {
    places_.fail(pointer, "the count may exceed " + std::to_string(kMaxUnrolled));
  };
  if (low > most || low < -most) too_large();
  std::int64_t high = low;
  for (const auto& [counter, factor] : count.terms()) {
    const auto signed_factor = static_cast<std::int64_t>(factor);
    if (signed_factor > kMaxFactor || signed_factor < -kMaxFactor) too_large();
    const std::uint64_t rounds = find(counter)->rounds;
    const std::int64_t reach =
        signed_factor * static_cast<std::int64_t>(rounds == 0 ? 0 : rounds - 1);
    (reach > 0 ? high : low) += reach;
  }
  if (low < 0)
    places_.fail(pointer, "the count may be negative", {},
                 "its least value is " + std::to_string(low));
  if (high > most) too_large();
  return static_cast<std::uint64_t>(high);
}

void CommandChecker::walk(const Commands& commands, const Queue& queue, bool context) {
  queue_ = &queue;
  context_ = context;
  for (const Command& command : commands) {
    loops_.count_one(command.at.pointer);
    at_ = command.at.pointer;
    std::visit(*this, command.what);
  }
}

const Queue& CommandChecker::queue(const std::string& name, const std::string& pointer) const {
  return *find("queue", name, own_.queues, pointer);
}

const Queue& CommandChecker::context(const std::string& name, const std::string& pointer) const {
  return find("context", name, own_.contexts, pointer);
}

/// A hardware queue can use only native fences. A context can use both kinds: a monitored fence
/// through the operating system, a native fence by packets in its buffer.
void CommandChecker::fence_command(const FencePoint& p, const std::string& pointer) const {
  point(p, pointer);
  const bool monitored = own_.monitored.count(p.fence) != 0;
  if (patched() && !monitored)
    places_.fail(pointer + "/fence", in_quotes(p.fence) + " is no monitored fence", {},
                 "the OS waits for and signals fences of patched contexts");
  if ((context_ || !monitored) && own_.cpu_events.count(p.fence) == 0) return;
  places_.fail(
      pointer + "/fence",
      in_quotes(p.fence) + " is no " + (context_ ? "monitored or native" : "native") + " fence", {},
      context_ ? "a CPU event is signalled by the driver alone"
               : "a hardware queue takes native fences only");
}

void CommandChecker::fence(const std::string& name, const std::string& pointer) const {
  find("fence", name, own_.fences, pointer);
}

void CommandChecker::point(const FencePoint& point, const std::string& pointer) const {
  fence(point.fence, pointer + "/fence");
  loops_.check(point.value, pointer + "/value");
}

const Allocation& CommandChecker::allocation(const std::string& name,
                                             const std::string& pointer) const {
  const Allocation& found = *find("allocation", name, own_.allocations, pointer);
  // The memory manager knows the allocations of contexts. Hardware queues must be suspended.
  if (found.segments != 0 && queue_ != nullptr && !context_ && !own_.schedules)
    places_.fail(pointer,
                 "allocation " + in_quotes(name) +
                     " is the memory manager's, which cannot suspend this queue",
                 {},
                 "set /platform/os/context_scheduling/enabled, submit to a context, or give the "
                 "allocation a home instead of segments");
  if (patched() && (found.segments != 0 || found.home != common::Home::kVram))
    places_.fail(pointer,
                 "allocation " + in_quotes(name) + " does not stay in VRAM, and context " +
                     in_quotes(queue_->name) + " is patched",
                 {}, "give the allocation the home \"vram\"");
  return found;
}

/// True if the commands go to a context whose buffers use physical addresses.
bool CommandChecker::patched() const {
  return queue_ != nullptr && context_ && own_.patched.count(queue_->name) != 0;
}

void CommandChecker::operator()(const SplitCommand& /*command*/) {
  if (!patched())
    places_.fail(at_ + "/split", "only buffers of patched contexts are split", {},
                 "give the context \"patched\": true");
}

void CommandChecker::managed(const std::string& name, const std::string& pointer) const {
  if (find("allocation", name, own_.allocations, pointer)->segments == 0)
    places_.fail(pointer, "allocation " + in_quotes(name) + " stays where it is", {},
                 "give it segments instead of a home");
}

void CommandChecker::primary(const std::string& name, const std::string& pointer) const {
  const top::GpuConfig& adapter = *own_.adapter;
  if (!adapter.has_display())
    places_.fail(pointer, "adapter " + in_quotes(adapter.name) + " has no display", {},
                 "give it \"display\": {\"period\": \"16667us\"}");
  const Allocation& shown = allocation(name, pointer);
  if (shown.segments != 0 || shown.home != common::Home::kVram)
    places_.fail(pointer, "allocation " + in_quotes(name) + " does not stay in VRAM", {},
                 "give it \"home\": \"vram\"");
  if (shown.bytes < adapter.display.primary_bytes)
    places_.fail(pointer, "allocation " + in_quotes(name) + " is smaller than an image",
                 "at least " + format_size(adapter.display.primary_bytes));
}

void CommandChecker::operator()(const WriteCommand& command) {
  const std::string pointer = at_ + "/write";
  const Allocation& target = allocation(command.allocation, pointer + "/allocation");
  if (command.offset + 8 > target.bytes) {
    places_.fail(pointer + "/offset", "the write ends beyond the allocation",
                 "at most " + format_size(target.bytes - 8));
  }
  loops_.check(command.value, pointer + "/value");
}

void CommandChecker::operator()(const CopyCommand& command) {
  const std::string pointer = at_ + "/copy";
  const Allocation& from = allocation(command.source, pointer + "/source");
  const Allocation& to = allocation(command.destination, pointer + "/destination");
  const std::uint64_t room = std::min(from.bytes, to.bytes);
  if (command.bytes > room) {
    places_.fail(pointer + "/size", "the copy is larger than its allocations",
                 "at most " + format_size(room));
  }
}

void CommandChecker::operator()(const DispatchCommand& command) {
  using engine::EngineKind;
  require_engine({EngineKind::kCompute, EngineKind::kGraphics}, "dispatch",
                 "a compute or graphics engine");
  if (command.threads != 0) grid(command, at_ + "/dispatch");
  traffic(command, at_ + "/dispatch");
}

void CommandChecker::operator()(const DrawCommand& command) {
  require_engine({engine::EngineKind::kGraphics}, "draw", "a graphics engine");
  if (command.triangles != 0 && command.triangles < command.primitives)
    places_.fail(at_ + "/draw/triangles", "there are fewer triangles than primitives",
                 "at least " + std::to_string(command.primitives));
  traffic(command, at_ + "/draw");
}

/// One group must fit on a compute unit.
void CommandChecker::grid(const DispatchCommand& command, const std::string& pointer) const {
  const engine::ChipConfig& chip = own_.adapter->chip;
  const auto fits = [&](const char* key, std::uint64_t need, std::uint64_t room,
                        const std::string& what) {
    if (need > room)
      places_.fail(pointer + "/" + key, "a group does not fit in a compute unit",
                   "at most " + std::to_string(room) + " " + what,
                   "chip " + in_quotes(own_.adapter->chip_profile) + " of adapter " +
                       in_quotes(own_.adapter->name));
  };
  fits("threads", command.threads, chip.threads_per_unit, "threads");
  fits("registers", command.registers, chip.registers_per_unit / command.threads,
       "registers a thread, with so many threads");
  fits("shared_memory", command.shared_bytes, chip.shared_memory_per_unit, "bytes");
  constexpr std::uint32_t kMaxUniform = 57;  // [%] above it, a group could take a negative time
  if (command.distribution == abi::GroupTimes::kUniform && command.variation > kMaxUniform)
    places_.fail(pointer + "/variation", "a uniform distribution cannot vary so much",
                 "at most 57");
  if (static_cast<double>(command.duration) * command.groups / chip.compute_units >
      static_cast<double>(kMaxTime))
    places_.fail(pointer + "/group_duration", "the dispatch takes too long",
                 "at most " + format_duration(kMaxTime) + " in all");
}

void CommandChecker::operator()(const RepeatCommands& command) {
  loops_.enter(command.count, command.counter, at_ + "/repeat");
  walk(command.body, *queue_, context_);
  loops_.leave();
}

template <class C>
void CommandChecker::traffic(const C& command, const std::string& pointer) const {
  if (command.allocation) {
    allocation(*command.allocation, pointer + "/allocation");
  } else if (command.read_bytes + command.write_bytes != 0) {
    places_.fail(pointer, "the key \"allocation\" is missing", {},
                 "reads and writes need one to go to");
  }
}

void CommandChecker::require_engine(const std::vector<engine::EngineKind>& kinds,
                                    const std::string& verb, const std::string& which) const {
  const auto& engines = own_.adapter->engines;
  const auto engine = std::find_if(engines.begin(), engines.end(),
                                   [&](const auto& e) { return e.name == queue_->engine; });
  if (std::find(kinds.begin(), kinds.end(), engine->kind) == kinds.end()) {
    places_.fail(at_, verb + " needs a queue on " + which, {},
                 "queue " + in_quotes(queue_->name) + " is on " + in_quotes(queue_->engine));
  }
}

}  // namespace fenceline::scenario
