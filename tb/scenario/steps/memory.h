#pragma once

#include "kmd_stub/wddm/d3dkmt_memory.h"
#include "tb/scenario/steps/sync.h"

namespace fenceline::scenario {

// Shapes of steps for allocations of the memory manager: see reader.h.

constexpr std::array<Choice<event::MapMode>, 5> kMapModes{
    {{"read", event::MapMode::kRead},
     {"write", event::MapMode::kWrite},
     {"read_write", event::MapMode::kReadWrite},
     {"write_discard", event::MapMode::kWriteDiscard},
     {"write_no_overwrite", event::MapMode::kWriteNoOverwrite}}};
constexpr std::array<Choice<bool>, 2> kLockCalls{{{"lock2", false}, {"lock", true}}};
constexpr std::array<Choice<std::uint32_t>, 11> kLockFlags{
    {{"ReadOnly", D3DDDICB_LOCKFLAGS::kReadOnly},
     {"WriteOnly", D3DDDICB_LOCKFLAGS::kWriteOnly},
     {"DonotWait", D3DDDICB_LOCKFLAGS::kDonotWait},
     {"IgnoreSync", D3DDDICB_LOCKFLAGS::kIgnoreSync},
     {"LockEntire", D3DDDICB_LOCKFLAGS::kLockEntire},
     {"DonotEvict", D3DDDICB_LOCKFLAGS::kDonotEvict},
     {"AcquireAperture", D3DDDICB_LOCKFLAGS::kAcquireAperture},
     {"Discard", D3DDDICB_LOCKFLAGS::kDiscard},
     {"NoExistingReference", D3DDDICB_LOCKFLAGS::kNoExistingReference},
     {"UseAlternateVA", D3DDDICB_LOCKFLAGS::kUseAlternateVA},
     {"IgnoreReadSync", D3DDDICB_LOCKFLAGS::kIgnoreReadSync}}};

template <class V, class T>
void allocation_field(V& v, T& t) {
  v.required("allocation", t.allocation, name_of(NameOf::kManaged),
             "An allocation of the memory manager.");
}
inline auto allocation_names() { return list(name_of(NameOf::kManaged), 1, 64); }

struct DestroyAllocationShape : WithDefaults {
  using Type = DestroyAllocationStep;
  static constexpr const char* kName = "destroy_allocation";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("assume_not_in_use", t.assume_not_in_use, BooleanCodec{},
            "AssumeNotInUse: does not wait for work that was queued before.");
    v.field("synchronous", t.synchronous, BooleanCodec{},
            "SynchronousDestroy: returns when the memory is free.");
    status_field(v, t);
  }
};

struct MakeResidentShape : WithDefaults {
  using Type = MakeResidentStep;
  static constexpr const char* kName = "make_resident";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocations", t.allocations, allocation_names(), "Allocations of the call.");
    status_field(v, t);
  }
};

struct EvictShape : WithDefaults {
  using Type = EvictStep;
  static constexpr const char* kName = "evict";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocations", t.allocations, allocation_names(), "Allocations of the call.");
    v.field("only_if_necessary", t.only_if_necessary, BooleanCodec{},
            "EvictOnlyIfNecessary: evicted only when other allocations need the space.");
    status_field(v, t);
  }
};

struct LockShape : WithDefaults {
  using Type = LockStep;
  static constexpr const char* kName = "lock";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("call", t.older, choice(kLockCalls), "D3DKMTLock2, or the older D3DKMTLock.");
    v.field("flags", t.flags, list(choice(kLockFlags), 0, 11), "Flags of D3DKMTLock.");
    v.field("reserved", t.reserved, IntegerCodec{0, 0xFFFFFFFF},
            "Bits of D3DDDICB_LOCK2FLAGS, all of them reserved.");
    status_field(v, t);
  }
};

struct UnlockShape : WithDefaults {
  using Type = UnlockStep;
  static constexpr const char* kName = "unlock";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("call", t.older, choice(kLockCalls), "D3DKMTUnlock2, or the older D3DKMTUnlock.");
    status_field(v, t);
  }
};

struct MapShape : WithDefaults {
  using Type = MapStep;
  static constexpr const char* kName = "map";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("mode", t.mode, choice(kMapModes), "Kind of the map.");
    v.field("do_not_wait", t.do_not_wait, BooleanCodec{},
            "D3D11_MAP_FLAG_DO_NOT_WAIT: D3DDDIERR_WASSTILLDRAWING if the GPU uses it.");
    status_field(v, t);
  }
};

template <class Step>
struct MemoryShape : WithDefaults {
  using Type = Step;
  static constexpr const char* kName = "memory_access";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("offset", t.offset, size(0, 1ULL << 30U, 8),
            "Offset from the start; a multiple of 8 bytes.");
    v.field("value", t.value, maybe(ExpressionCodec{}),
            "64-bit value to store, or expected value of a load.");
    v.field("violates", t.violates, BooleanCodec{},
            "The access must cause an access violation; the thread continues.");
  }
};

struct InvalidateCacheShape : WithDefaults {
  using Type = InvalidateCacheStep;
  static constexpr const char* kName = "invalidate_cache";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("offset", t.offset, size(0, 1ULL << 30U), "First byte.");
    v.field("size", t.bytes, size(0, 1ULL << 30U), "Number of bytes; 0B: up to the end.");
    status_field(v, t);
  }
};

struct MemoryStressShape : WithDefaults {
  using Type = MemoryStressStep;
  static constexpr const char* kName = "memory_stress";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("seed", t.seed, ValueCodec{},
            "Seed of the choices, combined with the seed of the scenario.");
    v.field("operations", t.operations, IntegerCodec{1, 10'000'000}, "Number of operations.");
    v.field("allocations", t.allocations, IntegerCodec{1, 256},
            "Maximum number of allocations at a time.");
    v.field("largest", t.largest_bytes, size(4096, 1 << 20, 4096), "Largest allocation.");
  }
};

/// The memory steps of a thread.
template <class V>
void memory_verbs(V& v) {
  v.template verb<CreateAllocationStep>(
      "create_allocation",
      member(&CreateAllocationStep::allocation, ObjectCodec<ManagedAllocationShape>{}),
      "Creates an allocation.");
  v.template verb<DestroyAllocationStep>(
      "destroy_allocation", ObjectCodec<DestroyAllocationShape>{}, "Destroys an allocation.");
  v.template verb<MakeResidentStep>("make_resident", ObjectCodec<MakeResidentShape>{},
                                    "Makes allocations resident and waits until they are.");
  v.template verb<EvictStep>("evict", ObjectCodec<EvictShape>{}, "Evicts allocations.");
  v.template verb<LockStep>("lock", ObjectCodec<LockShape>{},
                            "Locks an allocation for CPU access.");
  v.template verb<UnlockStep>("unlock", ObjectCodec<UnlockShape>{}, "Unlocks an allocation.");
  v.template verb<MapStep>("map", ObjectCodec<MapShape>{},
                           "Maps an allocation by the rules of a runtime, which waits or renames.");
  v.template verb<UnmapStep>("unmap", member(&UnmapStep::allocation, name_of(NameOf::kManaged)),
                             "Ends a map.");
  v.template verb<StoreStep>("store", ObjectCodec<MemoryShape<StoreStep>>{},
                             "The CPU stores to an allocation.");
  v.template verb<LoadStep>("load", ObjectCodec<MemoryShape<LoadStep>>{},
                            "The CPU loads from an allocation.");
  v.template verb<InvalidateCacheStep>("invalidate_cache", ObjectCodec<InvalidateCacheShape>{},
                                       "D3DKMTInvalidateCache.");
  v.template verb<MemoryStressStep>("memory_stress", ObjectCodec<MemoryStressShape>{},
                                    "Random operations on allocations of the step.");
}

}  // namespace fenceline::scenario
