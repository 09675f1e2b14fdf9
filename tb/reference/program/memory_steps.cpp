// Steps of threads for allocations of the memory manager: background/memory.md.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"
#include "tb/reference/program/memory_scope.h"
#include "tb/reference/program/steps.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

using Kind = ResidencyCall::Kind;

bool has_word(const json& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// A lock succeeds wherever the allocation is: it may move to system memory, and stays there if it
/// is cached.
bool surely_locks(const json* allocation) {
  if (allocation == nullptr) return false;
  const json& segments = allocation->at("segments");
  return has_word(segments, "sysmem") && !(allocation->at("cached") && has_word(segments, "vram"));
}

/// Flags of D3DKMTLock that are refused.
bool is_refused(const json& lock) {
  const json& flags = lock.at("flags");
  if (lock.at("call") == "lock2") return lock.at("reserved") != 0;
  const char* const refused[] = {"AcquireAperture", "Discard", "NoExistingReference",
                                 "UseAlternateVA"};
  return (has_word(flags, "ReadOnly") && has_word(flags, "WriteOnly") &&
          !abi::mutant(abi::Mutant::kLockNeitherWay)) ||
         std::any_of(std::begin(refused), std::end(refused),
                     [&](const char* flag) { return has_word(flags, flag); });
}

/// Offset and size are within the allocation; size 0: to its end.
const char* invalidation_status(const json& value, std::uint64_t bytes) {
  const std::uint64_t offset = bytes_of(value.at("offset"));
  const std::uint64_t wanted = bytes_of(value.at("size"));
  if (wanted == 0) return offset < bytes ? "STATUS_SUCCESS" : "STATUS_INVALID_PARAMETER";
  const bool inside =
      (offset <= bytes && wanted <= bytes - offset) || abi::mutant(abi::Mutant::kInvalidatesBeyond);
  return inside ? "STATUS_SUCCESS" : "STATUS_INVALID_PARAMETER";
}

}  // namespace

bool ThreadSteps::add_memory_step(const std::string& verb, const json& value,
                                  const Counters& counters, Op& op) {
  if (verb == "lock")
    add_lock(value, std::move(op));
  else if (verb == "unlock")
    add_unlock(value, std::move(op));
  else if (verb == "map")
    add_map(value, std::move(op));
  else if (verb == "unmap")
    add_unmap(value, std::move(op));
  else if (verb == "invalidate_cache")
    add_invalidation(value, std::move(op));
  else if (verb == "memory_stress")
    add_stress(value, std::move(op));
  else if (verb == "store" || verb == "load")
    add_cpu_access(verb, value, counters, std::move(op));
  else if (verb == "make_resident")
    add_make_resident(value, std::move(op));
  else if (verb == "evict")
    add_evict(value, std::move(op));
  else if (verb == "create_allocation")
    add_create_allocation(value, std::move(op));
  else if (verb == "destroy_allocation")
    add_destroy_allocation(value, std::move(op));
  else
    return false;
  return true;
}

/// A lock of an allocation that is leaving waits for all work of its process.
void ThreadSteps::add_lock(const json& value, Op op) {
  const std::string name = value.at("allocation");
  const json* const allocation = unrolling_.objects.managed({process_, name});
  const Id id = unrolling_.objects.allocation({process_, name});
  if (is_refused(value)) {
    op.touches = {id};
    op.statuses = {"STATUS_INVALID_PARAMETER"};
    put(std::move(op));
    return;
  }
  if (!surely_locks(allocation) || has_word(value.at("flags"), "DonotEvict"))
    unrolling_.be_silent("", "locks that may be refused");
  locked_.insert(name);
  op.statuses = {"STATUS_SUCCESS"};
  op.uses = {id};
  put(std::move(op));
}

void ThreadSteps::add_unlock(const json& value, Op op) {
  const auto lock = locked_.find(value.at("allocation").get<std::string>());
  if (lock == locked_.end())
    unrolling_.be_silent("", "an unlock without a lock of its thread");
  else
    locked_.erase(lock);
  op.statuses = {"STATUS_SUCCESS"};
  op.touches = {unrolling_.objects.allocation({process_, value.at("allocation")})};
  put(std::move(op));
}

/// The driver waits for the work that uses the allocation. A map that discards the bytes may give
/// others in their place: background/memory.md, maps.
void ThreadSteps::add_map(const json& value, Op op) {
  const std::string name = value.at("allocation");
  const json* const allocation = unrolling_.objects.managed({process_, name});
  const Id id = unrolling_.objects.allocation({process_, name});
  if (!surely_locks(allocation) || mapped_.count(name) != 0 || value.at("do_not_wait"))
    unrolling_.be_silent("", "maps that may be refused");
  const std::string mode = value.at("mode");
  mapped_[name] = mode != "read";
  op.statuses = {"STATUS_SUCCESS"};
  op.uses = {id};
  op.maps = id;
  if (mode == "write_discard" && !abi::mutant(abi::Mutant::kDiscardKeepsBytes) &&
      allocation != nullptr)
    op.writes.push_back({Write::Kind::kUnknown, id, 0, bytes_of(allocation->at("size"))});
  put(std::move(op));
}

void ThreadSteps::add_unmap(const std::string& allocation, Op op) {
  if (mapped_.erase(allocation) == 0)
    unrolling_.be_silent("", "an unmap without a map of its thread");
  op.statuses = {"STATUS_SUCCESS"};
  op.unmaps = unrolling_.objects.allocation({process_, allocation});
  op.touches = {*op.unmaps};
  put(std::move(op));
}

/// It changes nothing where the GPU sees the caches.
void ThreadSteps::add_invalidation(const json& value, Op op) {
  const std::string name = value.at("allocation");
  const json* const allocation = unrolling_.objects.managed({process_, name});
  if (allocation == nullptr)
    unrolling_.be_silent("", "an invalidation for memory that stays in its place");
  else
    op.statuses = {invalidation_status(value, bytes_of(allocation->at("size")))};
  op.touches = {unrolling_.objects.allocation({process_, name})};
  put(std::move(op));
}

/// Its allocations are its own. It submits to the contexts of its process, and waits for that.
void ThreadSteps::add_stress(const json& value, Op op) {
  unrolling_.stressed[unrolling_.objects.adapter_of(process_).at("name")] +=
      value.at("allocations").get<std::uint64_t>() * bytes_of(value.at("largest"));
  op.awaits_contexts = true;
  drain(put(std::move(op)));
}

/// The CPU reaches the bytes wherever they are. A store to cached memory is there at once, or when
/// the store buffer of its core has sent it.
void ThreadSteps::add_cpu_access(const std::string& verb, const json& value,
                                 const Counters& counters, Op op) {
  const std::string name = value.at("allocation");
  const auto map = mapped_.find(name);
  const bool mapped = map != mapped_.end() && (map->second || verb == "load");
  if ((locked_.count(name) == 0 && !mapped) || value.at("violates"))
    unrolling_.be_silent("", "accesses to memory that the thread has not locked");
  const Id allocation = unrolling_.objects.allocation({process_, name});
  const std::uint64_t offset = bytes_of(value.at("offset"));
  op.touches = {allocation};
  op.statuses = {"STATUS_SUCCESS"};
  if (verb == "load") {
    op.load = Load{allocation, offset};
    put(std::move(op));
    return;
  }
  Write store{Write::Kind::kValue, allocation, offset, 8};
  store.value = value.contains("value") ? evaluate(value.at("value"), counters) : 0;
  const json* const managed = unrolling_.objects.managed({process_, name});
  const bool cached = managed != nullptr && managed->at("cached");
  const json& host = unrolling_.objects.scenario().at("platform").at("host");
  store.by_cpu =
      !abi::mutant(abi::Mutant::kStoresAtOnce) && (!cached || host.at("memory_model") != "strong");
  op.writes.push_back(store);
  const Ref step = put(std::move(op));
  if (store.by_cpu) (cached ? cached_stores_ : stores_).push_back(step);
}

/// Sleeping, and submitting work, send what the core has gathered: background/memory.md,
/// write-combining buffers.
void ThreadSteps::drain(Ref step) {
  if (abi::mutant(abi::Mutant::kStoresStay)) return;
  drain(stores_, step);
  drain(cached_stores_, step);
}

void ThreadSteps::drain(std::vector<Ref>& stores, Ref step) {
  for (const Ref store : stores)
    for (Write& write : unrolling_.program().lanes[store.lane].ops[store.op].writes)
      write.there = step.op;
  stores.clear();
}

/// The locks of the OS are atomic operations.
void ThreadSteps::drain_by_lock(Ref step) {
  const json& platform = unrolling_.objects.scenario().at("platform");
  if (platform.at("ordering").at("os.lockless_signal") ||
      abi::mutant(abi::Mutant::kLocksSendNothing))
    return;
  drain(cached_stores_, step);
  if (platform.at("host").at("write_combining").at("sent_by") == "serializing")
    drain(stores_, step);
}

void ThreadSteps::note_residency(const std::string& allocation, ResidencyCall call) {
  const Id id = unrolling_.objects.allocation({process_, allocation});
  unrolling_.program().allocations[id].calls.push_back(call);
}

/// Allocations that support only VRAM must fit there; all others have another place.
void ThreadSteps::add_make_resident(const json& value, Op op) {
  const json& os = unrolling_.objects.system();
  const json& names = value.at("allocations");
  const bool fits = std::none_of(names.begin(), names.end(), [&](const json& name) {
    const json* const allocation = unrolling_.objects.managed({process_, name});
    return allocation != nullptr && is_too_large(os, *allocation);
  });
  op.statuses = {fits || abi::mutant(abi::Mutant::kTooLargeFits) ? "STATUS_SUCCESS"
                                                                 : "STATUS_NO_MEMORY"};
  const Ref step = put(std::move(op));
  if (!fits) return;
  for (const json& name : names) note_residency(name, {Kind::kMakeResident, step, true});
}

/// Memory keeps its bytes while it is not resident.
void ThreadSteps::add_evict(const json& value, Op op) {
  op.statuses = {"STATUS_SUCCESS"};
  const Ref step = put(std::move(op));
  for (const json& name : value.at("allocations"))
    note_residency(name, {Kind::kEvict, step, false});
}

void ThreadSteps::add_create_allocation(const json& value, Op op) {
  const Name name{process_, value.at("name")};
  if (unrolling_.objects.is_created_again(name))
    unrolling_.be_silent("", "several allocations of one name");
  op.statuses = {"STATUS_SUCCESS"};
  const Ref step = put(std::move(op));
  note_residency(name.second, {Kind::kCreate, step, value.at("resident")});
}

void ThreadSteps::add_destroy_allocation(const json& value, Op op) {
  const bool waits = value.at("synchronous") && !value.at("assume_not_in_use");
  if (waits && unrolling_.objects.has_contexts(process_))
    unrolling_.be_silent("", "a destruction that waits for all work of its process");
  op.statuses = {"STATUS_SUCCESS"};
  const Ref step = put(std::move(op));
  note_residency(value.at("allocation"),
                 {Kind::kDestroy, step, false, value.at("assume_not_in_use").get<bool>()});
}

}  // namespace fenceline::reference
