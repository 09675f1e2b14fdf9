#pragma once

#include "kmd_stub/wddm/d3dkmt/d3dkmt_memory.h"
#include "models/common/events.h"
#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

// Steps for allocations of the memory manager.

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

struct CreateAllocationStep {
  static constexpr Verb kVerb{"create_allocation", "Creates an allocation."};
  Allocation allocation;

  static auto codec() {
    return member(&CreateAllocationStep::allocation, ObjectCodec<Allocation::Managed>{});
  }
};

struct DestroyAllocationStep {
  static constexpr Verb kVerb{"destroy_allocation", "Destroys an allocation."};
  std::string allocation;
  bool assume_not_in_use = false;
  bool synchronous = false;
  std::optional<std::string> status;

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

struct MakeResidentStep {
  static constexpr Verb kVerb{"make_resident",
                              "Makes allocations resident and waits until they are."};
  std::vector<std::string> allocations;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocations", t.allocations, allocation_names(), "Allocations of the call.");
    status_field(v, t);
  }
};

struct EvictStep {
  static constexpr Verb kVerb{"evict", "Evicts allocations."};
  std::vector<std::string> allocations;
  bool only_if_necessary = false;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocations", t.allocations, allocation_names(), "Allocations of the call.");
    v.field("only_if_necessary", t.only_if_necessary, BooleanCodec{},
            "EvictOnlyIfNecessary: evicted only when other allocations need the space.");
    status_field(v, t);
  }
};

/// D3DKMTLock2 or D3DKMTLock.
struct LockStep {
  static constexpr Verb kVerb{"lock", "Locks an allocation for CPU access."};
  std::string allocation;
  bool older = false;                ///< D3DKMTLock
  std::vector<std::uint32_t> flags;  ///< D3DDDICB_LOCKFLAGS
  std::uint32_t reserved = 0;        ///< bits of D3DDDICB_LOCK2FLAGS
  std::optional<std::string> status;

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

struct UnlockStep {
  static constexpr Verb kVerb{"unlock", "Unlocks an allocation."};
  std::string allocation;
  bool older = false;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("call", t.older, choice(kLockCalls), "D3DKMTUnlock2, or the older D3DKMTUnlock.");
    status_field(v, t);
  }
};

/// A map, as a runtime requests it from the user-mode driver.
struct MapStep {
  static constexpr Verb kVerb{
      "map", "Maps an allocation by the rules of a runtime, which waits or renames."};
  std::string allocation;
  event::MapMode mode = event::MapMode::kReadWrite;
  bool do_not_wait = false;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("mode", t.mode, choice(event::kMapModes), "Kind of the map.");
    v.field("do_not_wait", t.do_not_wait, BooleanCodec{},
            "D3D11_MAP_FLAG_DO_NOT_WAIT: D3DDDIERR_WASSTILLDRAWING if the GPU uses it.");
    status_field(v, t);
  }
};

struct UnmapStep {
  static constexpr Verb kVerb{"unmap", "Ends a map."};
  std::string allocation;

  static auto codec() { return member(&UnmapStep::allocation, name_of(NameOf::kManaged)); }
};

/// Loads or stores 64 bits at the address of a lock or map.
struct MemoryStep {
  static constexpr const char* kName = "memory_access";
  std::string allocation;
  std::uint64_t offset = 0;
  std::optional<Expression> value;  ///< value to store, or expected value of a load
  bool violates = false;            ///< an access violation is expected; the thread continues

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

struct StoreStep : MemoryStep {
  static constexpr Verb kVerb{"store", "The CPU stores to an allocation."};
};

struct LoadStep : MemoryStep {
  static constexpr Verb kVerb{"load", "The CPU loads from an allocation."};
};

/// D3DKMTInvalidateCache.
struct InvalidateCacheStep {
  static constexpr Verb kVerb{"invalidate_cache", "D3DKMTInvalidateCache."};
  std::string allocation;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< 0: up to the end
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    allocation_field(v, t);
    v.field("offset", t.offset, size(0, 1ULL << 30U), "First byte.");
    v.field("size", t.bytes, size(0, 1ULL << 30U), "Number of bytes; 0B: up to the end.");
    status_field(v, t);
  }
};

/// Random operations on allocations of the step.
struct MemoryStressStep {
  static constexpr Verb kVerb{"memory_stress", "Random operations on allocations of the step."};
  std::uint64_t seed = 0;
  std::uint64_t operations = 300;
  std::uint32_t allocations = 8;              ///< maximum at a time
  std::uint64_t largest_bytes = 64ULL << 10;  ///< largest allocation

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

}  // namespace fenceline::scenario
