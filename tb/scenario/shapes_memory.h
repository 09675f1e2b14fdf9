#pragma once

#include "tb/scenario/shapes_sync.h"

namespace fenceline::scenario {

// Shapes of the steps for allocations that the memory manager has: see reader.h.

constexpr std::array<Choice<common::MapMode>, 5> kMapModes{
    {{"read", common::MapMode::kRead},
     {"write", common::MapMode::kWrite},
     {"read_write", common::MapMode::kReadWrite},
     {"write_discard", common::MapMode::kWriteDiscard},
     {"write_no_overwrite", common::MapMode::kWriteNoOverwrite}}};
constexpr std::array<Choice<bool>, 2> kLockCalls{{{"lock2", false}, {"lock", true}}};
/// Flags of D3DDDICB_LOCKFLAGS, and the bits of such a list.
std::vector<std::string> lock_flag_names();
std::uint32_t lock_flag_bits(const std::vector<std::string>& names);

template <class V, class T>
void allocation_field(V& v, T& t) {
  v.required("allocation", t.allocation, name(), "One that the memory manager has.");
}
inline auto allocation_names() { return list(name(), 1, 64); }

struct DestroyAllocationShape : WithDefaults {
  using Type = DestroyAllocationStep;
  static constexpr const char* kName = "destroy_allocation";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("assume_not_in_use", t.assume_not_in_use, BooleanCodec{},
            "AssumeNotInUse: it does not wait for work that was queued before.");
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
    v.required("allocations", t.allocations, allocation_names(), "In one call.");
    status_field(v, t);
  }
};

struct EvictShape : WithDefaults {
  using Type = EvictStep;
  static constexpr const char* kName = "evict";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocations", t.allocations, allocation_names(), "In one call.");
    v.field("only_if_necessary", t.only_if_necessary, BooleanCodec{},
            "EvictOnlyIfNecessary: they leave when others need the room.");
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
    v.field("flags", t.flags, list(WordCodec{lock_flag_names()}, 0, 11), "Of the older call.");
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
    v.field("mode", t.mode, choice(kMapModes), "What the runtime asks for.");
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
    v.field("offset", t.offset, size(0, 1ULL << 30U, 8), "From its start; a multiple of 8 bytes.");
    v.field("value", t.value, maybe(ExpressionCodec{}), "64 bits: stored, or to be found.");
    v.field("violates", t.violates, BooleanCodec{},
            "An access violation must come of it, and the thread goes on.");
  }
};

struct InvalidateCacheShape : WithDefaults {
  using Type = InvalidateCacheStep;
  static constexpr const char* kName = "invalidate_cache";
  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("offset", t.offset, size(0, 1ULL << 30U), "First byte.");
    v.field("size", t.bytes, size(0, 1ULL << 30U), "Bytes; 0B: to the end.");
    status_field(v, t);
  }
};

struct MemoryStressShape : WithDefaults {
  using Type = MemoryStressStep;
  static constexpr const char* kName = "memory_stress";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("seed", t.seed, ValueCodec{}, "Of the choices, with the scenario's own seed.");
    v.field("operations", t.operations, IntegerCodec{1, 10'000'000}, "How many.");
    v.field("allocations", t.allocations, IntegerCodec{1, 256}, "Most at a time.");
    v.field("largest", t.largest_bytes, size(4096, 1 << 20, 4096), "Largest allocation.");
  }
};

/// The steps, among the others of a thread.
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
  v.template verb<EvictStep>("evict", ObjectCodec<EvictShape>{}, "Allocations may go.");
  v.template verb<LockStep>("lock", ObjectCodec<LockShape>{}, "Gives the CPU an address.");
  v.template verb<UnlockStep>("unlock", ObjectCodec<UnlockShape>{}, "Takes it back.");
  v.template verb<MapStep>("map", ObjectCodec<MapShape>{},
                           "Maps by the rules of a runtime, which waits or renames.");
  v.template verb<UnmapStep>("unmap", member(&UnmapStep::allocation, name()), "Ends a map.");
  v.template verb<StoreStep>("store", ObjectCodec<MemoryShape<StoreStep>>{},
                             "The CPU stores to an allocation.");
  v.template verb<LoadStep>("load", ObjectCodec<MemoryShape<LoadStep>>{},
                            "The CPU loads from an allocation.");
  v.template verb<InvalidateCacheStep>("invalidate_cache", ObjectCodec<InvalidateCacheShape>{},
                                       "D3DKMTInvalidateCache.");
  v.template verb<MemoryStressStep>("memory_stress", ObjectCodec<MemoryStressShape>{},
                                    "Random operations on allocations of its own.");
}

}  // namespace fenceline::scenario
