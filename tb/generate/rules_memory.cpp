// Rules of steps for allocations that the memory manager moves.
#include <algorithm>
#include <functional>

#include "tb/generate/managed.h"
#include "tb/generate/rules.h"

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kMaxAccesses = 4;
constexpr std::uint64_t kMostOfCall = 3;  ///< allocations of one call
constexpr std::size_t kMaxManaged = 12;   ///< of all processes
constexpr std::uint64_t kMaxStress = 16;  ///< operations of one step
constexpr std::uint64_t kStressPage = 4096;
const std::vector<event::MapMode> kModes{event::MapMode::kRead, event::MapMode::kWrite,
                                         event::MapMode::kReadWrite, event::MapMode::kWriteDiscard,
                                         event::MapMode::kWriteNoOverwrite};

using IsWanted = std::function<bool(const MemoryPlan&)>;

/// Managed allocations of the thread's process.
std::vector<std::size_t> managed_memories(Plan& plan, AgentId thread, const IsWanted& is_wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.memories().size(); ++i) {
    const MemoryPlan& memory = plan.memories()[i];
    if (memory.managed && !memory.gone && memory.process == plan.agent(thread).process &&
        is_wanted(memory))
      found.push_back(i);
  }
  return found;
}

std::optional<std::size_t> managed_memory(Plan& plan, AgentId thread, const IsWanted& is_wanted) {
  const std::vector<std::size_t> found = managed_memories(plan, thread, is_wanted);
  if (found.empty()) return std::nullopt;
  return plan.draw().one_of(found);
}

/// The thread comes after all earlier calls for the allocation, and after all work that uses it is
/// over. It is enough that work of contexts is submitted: the OS waits for that.
bool come_after_use(Plan& plan, AgentId thread, std::size_t memory) {
  const MemoryPlan before = plan.memories()[memory];
  if (!plan.order(thread, before.residency) || !plan.order(thread, before.lock)) return false;
  Clock uses = before.read;
  uses.learn(before.written);
  for (AgentId id = 0; id < plan.agents().size(); ++id) {
    if (uses.over(id) == 0) continue;
    const bool submitted = plan.agent(id).kind == Agent::Kind::kContext && plan.draw().chance(60);
    if (submitted) plan.close(id);
    const Event last = submitted ? plan.agent(id).submitted : Event{id, uses.over(id)};
    if (!plan.order(thread, last)) return false;
  }
  return true;
}

/// The thread comes after all submissions to these contexts so far. To learn of one may take
/// another submission, which ends, too.
bool come_after_submissions(Plan& plan, AgentId thread, const std::vector<AgentId>& contexts) {
  for (const AgentId context : contexts) {
    plan.close(context);
    if (!plan.order(thread, plan.agent(context).submitted) ||
        !plan.order(thread, Event{context, plan.agent(context).acts}))
      return false;
  }
  for (const AgentId context : contexts) plan.close(context);
  return std::all_of(contexts.begin(), contexts.end(), [&](AgentId context) {
    return plan.agent(thread).known.knows(plan.agent(context).submitted);
  });
}

/// An allocation that nobody has locked, and that a lock reaches. The thread comes after all calls
/// for it.
std::optional<std::size_t> lockable_memory(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = managed_memory(plan, thread, [](const MemoryPlan& one) {
    return one.lockable && one.resident && !one.locker;
  });
  if (!memory || !plan.order(thread, Event(plan.memories()[*memory].residency)) ||
      !plan.order(thread, Event(plan.memories()[*memory].lock)))
    return std::nullopt;
  return memory;
}

/// Accesses of the thread to an allocation that it has locked.
std::optional<std::size_t> locked_memory(Plan& plan, AgentId thread, bool writes) {
  const std::optional<std::size_t> memory = managed_memory(
      plan, thread,
      [&](const MemoryPlan& one) { return one.locker == thread && (!writes || one.writable); });
  if (!memory || !plan.access_by_cpu(thread, *memory, writes)) return std::nullopt;
  return memory;
}

template <class S>
S drawn_access(Plan& plan, const MemoryPlan& memory) {
  S access;
  access.allocation = memory.name;
  access.offset = drawn_offset(plan.draw(), memory.bytes);
  return access;
}

template <class S>
bool plan_accesses(Plan& plan, AgentId thread, bool writes) {
  const std::optional<std::size_t> memory = locked_memory(plan, thread, writes);
  if (!memory) return false;
  scenario::Steps steps;
  const std::uint64_t count = plan.draw().between(1, kMaxAccesses);
  for (std::uint64_t i = 0; i < count; ++i) {
    S access = drawn_access<S>(plan, plan.memories()[*memory]);
    if (writes) access.value = scenario::Expression{plan.stamp()};
    steps.push_back({std::move(access), {}});
  }
  plan.note_access(*memory, writes, plan.step(thread, std::move(steps)));
  return true;
}

/// The older call with flags that change nothing without allocation lists.
void draw_lock_call(Draw& draw, scenario::LockStep& lock) {
  using Flags = D3DDDICB_LOCKFLAGS;
  lock.older = draw.chance(30);
  for (const std::uint32_t flag : {Flags::kWriteOnly, Flags::kDonotWait, Flags::kIgnoreSync,
                                   Flags::kLockEntire, Flags::kIgnoreReadSync})
    if (lock.older && draw.chance(20)) lock.flags.push_back(flag);
}

/// Calls for several allocations end with the last one.
void note_residency(Plan& plan, const std::vector<std::size_t>& memories, bool resident,
                    const Event& event) {
  for (const std::size_t memory : memories) {
    plan.memories()[memory].resident = resident;
    plan.memories()[memory].residency = event;
  }
}

std::vector<std::string> names_of(Plan& plan, const std::vector<std::size_t>& memories) {
  std::vector<std::string> names;
  names.reserve(memories.size());
  for (const std::size_t memory : memories) names.push_back(plan.memories()[memory].name);
  return names;
}

/// Some of these for one call, behind what conflicts with it.
std::vector<std::size_t> some_memories(Plan& plan, std::vector<std::size_t> all,
                                       const std::function<bool(std::size_t)>& comes_after) {
  std::vector<std::size_t> chosen;
  const std::uint64_t most = plan.draw().between(1, kMostOfCall);
  while (!all.empty() && chosen.size() < most) {
    const std::size_t index = plan.draw().below(all.size());
    const std::size_t memory = all[index];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
    if (comes_after(memory)) chosen.push_back(memory);
  }
  return chosen;
}

}  // namespace

/// A lock of an allocation that is leaving would wait for all work of its process.
bool Rule<scenario::LockStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = lockable_memory(plan, thread);
  if (!memory) return false;
  scenario::LockStep lock;
  lock.allocation = plan.memories()[*memory].name;
  draw_lock_call(plan.draw(), lock);
  plan.memories()[*memory].lock = plan.step(thread, std::move(lock));
  plan.memories()[*memory].locker = thread;
  if (plan.draw().chance(60)) plan_accesses<scenario::StoreStep>(plan, thread, true);
  if (plan.draw().chance(60)) plan_accesses<scenario::LoadStep>(plan, thread, false);
  return true;
}

bool Rule<scenario::UnlockStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = managed_memory(
      plan, thread, [&](const MemoryPlan& one) { return one.locker == thread && !one.mapped; });
  if (!memory) return false;
  scenario::UnlockStep unlock;
  unlock.allocation = plan.memories()[*memory].name;
  unlock.older = plan.draw().chance(30);
  plan.memories()[*memory].lock = plan.step(thread, std::move(unlock));
  plan.memories()[*memory].locker.reset();
  return true;
}

/// The driver waits for the submissions that use the allocation. They are over before, and later
/// ones come after the unmap: no work may use it meanwhile.
bool Rule<scenario::MapStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = lockable_memory(plan, thread);
  if (!memory ||
      !come_after_submissions(plan, thread, plan.contexts_of(plan.agent(thread).process)))
    return false;
  scenario::MapStep map;
  map.allocation = plan.memories()[*memory].name;
  map.mode = plan.draw().one_of(kModes);
  const bool discards = map.mode == event::MapMode::kWriteDiscard;
  const bool writable = map.mode != event::MapMode::kRead;
  if (!plan.access_by_cpu(thread, *memory, true)) return false;
  const Event event = plan.step(thread, std::move(map));
  if (discards) plan.note_access(*memory, true, event);
  MemoryPlan& mapped = plan.memories()[*memory];
  mapped.residency = mapped.lock = event;
  mapped.locker = thread;
  mapped.mapped = true;
  mapped.writable = writable;
  if (plan.draw().chance(70)) plan_accesses<scenario::StoreStep>(plan, thread, true);
  if (plan.draw().chance(70)) plan_accesses<scenario::LoadStep>(plan, thread, false);
  return true;
}

bool Rule<scenario::UnmapStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = managed_memory(
      plan, thread, [&](const MemoryPlan& one) { return one.locker == thread && one.mapped; });
  if (!memory) return false;
  MemoryPlan& mapped = plan.memories()[*memory];
  mapped.residency = mapped.lock = plan.step(thread, scenario::UnmapStep{mapped.name});
  mapped.locker.reset();
  mapped.mapped = false;
  mapped.writable = true;
  return true;
}

bool Rule<scenario::InvalidateCacheStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory =
      managed_memory(plan, thread, [&](const MemoryPlan& one) { return one.locker == thread; });
  if (!memory) return false;
  const MemoryPlan& target = plan.memories()[*memory];
  scenario::InvalidateCacheStep invalidate;
  invalidate.allocation = target.name;
  invalidate.offset = plan.draw().below(target.bytes);
  if (plan.draw().chance(50))
    invalidate.bytes = plan.draw().between(1, target.bytes - invalidate.offset);
  plan.step(thread, std::move(invalidate));
  return true;
}

/// The step submits to all contexts of its process, and waits for that. Their earlier work is over,
/// and their later work is submitted after the step.
bool Rule<scenario::MemoryStressStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<AgentId> contexts = plan.contexts_of(plan.agent(thread).process);
  const std::uint64_t room = free_video_memory(plan.scenario()) / kStressPage;
  if (room == 0 || !come_after_submissions(plan, thread, contexts)) return false;
  scenario::MemoryStressStep stress;
  stress.seed = plan.stamp();
  stress.operations = plan.draw().between(1, kMaxStress);
  stress.allocations =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.draw().between(1, 4), room));
  stress.largest_bytes =
      kStressPage * std::min<std::uint64_t>(plan.draw().between(1, 4), room / stress.allocations);
  plan.step(thread, stress);
  for (const AgentId context : contexts) plan.submitted(context, thread);
  return true;
}

bool Rule<scenario::StoreStep>::plan(Plan& plan, AgentId thread) {
  return plan_accesses<scenario::StoreStep>(plan, thread, true);
}

bool Rule<scenario::LoadStep>::plan(Plan& plan, AgentId thread) {
  return plan_accesses<scenario::LoadStep>(plan, thread, false);
}

bool Rule<scenario::MakeResidentStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> memories = some_memories(
      plan,
      managed_memories(plan, thread,
                       [](const MemoryPlan& one) { return !one.resident && !one.too_large; }),
      [&](std::size_t memory) { return plan.order(thread, plan.memories()[memory].residency); });
  if (memories.empty()) return false;
  scenario::MakeResidentStep resident;
  resident.allocations = names_of(plan, memories);
  note_residency(plan, memories, true, plan.step(thread, std::move(resident)));
  return true;
}

/// No work uses the allocations until they are resident again. One that has to be in VRAM could not
/// return there while it is locked.
bool Rule<scenario::EvictStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> memories = some_memories(
      plan,
      managed_memories(plan, thread,
                       [](const MemoryPlan& one) {
                         return one.resident && !one.mapped && !(one.shown_in_vram && one.locker);
                       }),
      [&](std::size_t memory) { return come_after_use(plan, thread, memory); });
  if (memories.empty()) return false;
  scenario::EvictStep evict;
  evict.allocations = names_of(plan, memories);
  evict.only_if_necessary = plan.draw().chance(30);
  note_residency(plan, memories, false, plan.step(thread, std::move(evict)));
  return true;
}

/// The process has managed allocations from the start.
bool Rule<scenario::CreateAllocationStep>::plan(Plan& plan, AgentId thread) {
  const std::size_t process = plan.agent(thread).process;
  if (managed_memories(plan, thread, [](const MemoryPlan&) { return true; }).empty() ||
      plan.memories().size() >= kMaxManaged)
    return false;
  MemoryPlan memory;
  scenario::CreateAllocationStep create;
  create.allocation = drawn_allocation(plan, process, plan.fresh_name("N"), memory);
  memory.written = memory.residency = memory.lock = plan.step(thread, std::move(create));
  plan.add_memory(std::move(memory));
  return true;
}

/// A synchronous destruction would wait for all work of the contexts of the process.
bool Rule<scenario::DestroyAllocationStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> memory = managed_memory(
      plan, thread, [](const MemoryPlan& one) { return !one.locker && !one.too_large; });
  if (!memory || !come_after_use(plan, thread, *memory)) return false;
  const MemoryPlan before = plan.memories()[*memory];
  scenario::DestroyAllocationStep destroy;
  destroy.allocation = before.name;
  const bool is_idle = plan.order(thread, before.written) && plan.order(thread, before.read);
  destroy.assume_not_in_use = is_idle && plan.draw().chance(40);
  destroy.synchronous =
      destroy.assume_not_in_use ||
      (plan.scenario().processes[before.process].contexts.empty() && plan.draw().chance(50));
  plan.step(thread, std::move(destroy));
  plan.memories()[*memory].gone = true;
  return true;
}

}  // namespace fenceline::generate
