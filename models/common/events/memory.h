#pragma once

#include <array>

#include "models/abi/keys.h"
#include "models/common/events/event_type.h"

/// Memory managed by the OS, and accesses to it. GPU addresses are virtual unless stated.
namespace fenceline::event {

/// Location of an allocation's content.
enum class Placement : std::uint64_t {
  kVram,      ///< in a memory segment
  kAperture,  ///< in system memory, accessible by the GPU
  kSystem     ///< in system memory, not accessible by the GPU
};
/// Properties of an allocation that affect its locks.
enum AllocationFact : std::uint64_t {
  kFactCpuVisible = 1,      ///< created for CPU access
  kFactCached = 2,          ///< the CPU access is cached
  kFactAperture = 4,        ///< allowed in the aperture segment
  kFactSegmentVisible = 8,  ///< the memory segment is CPU visible
  kFactHostAperture = 16,   ///< the memory segment has a CpuHostAperture
  kFactRoom = 32,     ///< the aperture has enough free pages, or the allocation has pages in it
  kFactLocked = 64,   ///< it is locked
  kFactPinned = 128,  ///< locked, so it cannot be in a memory segment
  kFactLost = 256,    ///< its device is in error, and a reset ended a move of it
  kFactPlacementShift = 9  ///< above: Placement
};
/// Flags of a load by user mode.
enum CpuLoadFlag : std::uint64_t {
  kLoadNotSnooped = 1,    ///< through caches that the allocation's device does not snoop
  kLoadHidesMemory = 2,   ///< memory had a different value at that time
  kLoadUncached = 4,      ///< from the device itself
  kLoadDurationShift = 8  ///< above: duration [ps]
};
/// Reason for flushing a core's write-combining buffers.
enum class CombiningDrain : std::uint64_t {
  kFence,      ///< a store fence
  kBarrier,    ///< a full barrier
  kAtomic,     ///< an atomic operation
  kUncached,   ///< an uncached load or store
  kInterrupt,  ///< the core takes an interrupt
  kRemap,      ///< mappings are about to change
  kThread      ///< the thread leaves its core
};
/// Reason for cache maintenance.
enum class CacheCall : std::uint64_t {
  kUserMode,      ///< D3DKMTInvalidateCache
  kBeforeListed,  ///< VidMm, before work that lists the allocation
  kAfterListed,   ///< VidMm, after that work
  kMove           ///< VidMm, before its pages are moved
};
/// Kind of access for which user mode maps an allocation.
enum class MapMode : std::uint64_t { kRead, kWrite, kReadWrite, kWriteDiscard, kWriteNoOverwrite };
constexpr std::array<abi::Choice<MapMode>, 5> kMapModes{
    {{"read", MapMode::kRead},
     {"write", MapMode::kWrite},
     {"read_write", MapMode::kReadWrite},
     {"write_discard", MapMode::kWriteDiscard},
     {"write_no_overwrite", MapMode::kWriteNoOverwrite}}};

/// An allocation is created.
struct AllocationCreated {
  AllocationId allocation;
  std::uint64_t address;
  std::uint64_t bytes;
  Part<48> root;     ///< root of the address space
  Part<16> adapter;  ///< object
  FENCELINE_FIELDS(allocation, address, bytes, root, adapter)
  static constexpr Words kWords{"allocation_created", kAdvances,
                                "{allocation} is created with {bytes} bytes"};
};
/// The content of an allocation has a new location.
struct AllocationPlaced {
  AllocationId allocation;
  Placement placement;
  std::uint64_t content;  ///< hash
  std::uint64_t facts;    ///< AllocationFact bits
  FENCELINE_FIELDS(allocation, placement, content, facts)
  static constexpr Words kWords{
      "allocation_placed", kStory | kAdvances,
      "{allocation} is {placement|in a memory segment|in the aperture|evicted} now"};
};
/// A lock was requested.
struct AllocationLocked {
  AllocationId allocation;
  std::uint64_t status;     ///< NTSTATUS
  std::uint64_t facts;      ///< AllocationFact bits before the lock
  std::uint64_t placement;  ///< placement after the lock
  FENCELINE_FIELDS(allocation, status, facts, placement)
  static constexpr Words kWords{"allocation_locked", kStory | kAdvances,
                                "{allocation} is to be locked"};
};
/// An allocation is unlocked.
struct AllocationUnlocked {
  AllocationId allocation;
  FENCELINE_FIELDS(allocation)
  static constexpr Words kWords{"allocation_unlocked", kStory | kAdvances,
                                "{allocation} is unlocked"};
};
/// The memory of an allocation is free.
struct AllocationDestroyed {
  AllocationId allocation;
  bool unused;  ///< 1: destroyed with AssumeNotInUse
  FENCELINE_FIELDS(allocation, unused)
  static constexpr Words kWords{"allocation_destroyed", kStory | kAdvances,
                                "the memory of {allocation} is free"};
};
/// User mode maps or unmaps an allocation.
struct AllocationMapped {
  AllocationId allocation;
  MapMode mode;
  bool maps;  ///< 0: unmaps it
  FENCELINE_FIELDS(allocation, mode, maps)
  static constexpr Words kWords{"allocation_mapped", kStory | kAdvances,
                                "user mode {maps|unmaps|maps} {allocation}"};
};
/// User mode stored 64 bits.
struct CpuStore {
  AllocationId allocation;
  std::uint64_t offset;
  std::uint64_t value;
  CoreId core;  ///< core whose write-combining buffers take it; 0: none
  FENCELINE_FIELDS(allocation, offset, value, core)
  static constexpr Words kWords{"cpu_store", kStory | kAdvances,
                                "the CPU stores {value} at offset {offset} of {allocation}"};
};
/// User mode loaded 64 bits.
struct CpuLoad {
  AllocationId allocation;
  std::uint64_t offset;
  std::uint64_t value;
  std::uint64_t flags;  ///< CpuLoadFlag bits
  FENCELINE_FIELDS(allocation, offset, value, flags)
  static constexpr Words kWords{"cpu_load", kStory,
                                "the CPU loads {value} at offset {offset} of {allocation}"};
};
/// CPU caches wrote back or dropped lines of an allocation.
struct CacheMaintained {
  AllocationId allocation;
  std::uint64_t offset;
  std::uint64_t bytes;
  CacheCall call;
  FENCELINE_FIELDS(allocation, offset, bytes, call)
  static constexpr Words kWords{"cache_maintained", kStory,
                                "caches let {bytes} bytes from offset {offset} of {allocation} go"};
};
/// A write-combining buffer was sent.
struct CombiningSent {
  CoreId core;
  std::uint64_t address;  ///< bus address of its line
  std::uint64_t bytes;
  FENCELINE_FIELDS(core, address, bytes)
  static constexpr Words kWords{
      "combining_sent", kStory,
      "{core} sends {bytes} write-combined bytes of the line at {address:hex}"};
};
/// All write-combining buffers in use were sent.
struct CombiningDrained {
  CoreId core;
  CombiningDrain why;
  std::uint64_t duration;  ///< [ps]
  FENCELINE_FIELDS(core, why, duration)
  static constexpr Words kWords{"combining_drained", kStory,
                                "{core} has sent all write-combined stores"};
};
/// An engine stored 64 bits.
struct GpuStore {
  AdapterId adapter;
  std::uint64_t address;
  std::uint64_t value;
  std::uint64_t space;  ///< VMID
  FENCELINE_FIELDS(adapter, address, value, space)
  static constexpr Words kWords{"gpu_store", kStory | kAdvances,
                                "{adapter} stores {value} at {address:hex}"};
};
/// An engine copies.
struct GpuCopy {
  AdapterId adapter;
  std::uint64_t source;
  std::uint64_t destination;
  Part<8> space;  ///< VMID
  Part<56> bytes;
  FENCELINE_FIELDS(adapter, source, destination, space, bytes)
  static constexpr Words kWords{"gpu_copy", kStory | kAdvances,
                                "{adapter} copies from {source:hex}"};
};
/// A copy read 64 bits while caches may hide other bytes.
struct GpuLoad {
  AdapterId adapter;
  std::uint64_t address;
  std::uint64_t value;
  Part<8> space;              ///< VMID
  Part<1, bool> not_snooped;  ///< caches may have hidden newer data
  FENCELINE_FIELDS(adapter, address, value, space, not_snooped)
  static constexpr Words kWords{"gpu_load", kPlain, "{adapter} reads {value} at {address:hex}"};
};
/// An engine accesses memory.
struct GpuTraffic {
  AdapterId adapter;
  std::uint64_t address;
  std::uint64_t bytes;
  Part<1, bool> writes;
  Part<63> space;  ///< VMID
  FENCELINE_FIELDS(adapter, address, bytes, writes, space)
  static constexpr Words kWords{"gpu_traffic", kPlain,
                                "{adapter} touches {bytes} bytes at {address:hex}"};
};
/// An address space got its page tables.
struct AddressSpace {
  AdapterId adapter;
  std::uint64_t space;  ///< VMID
  std::uint64_t root;   ///< GPU physical address of the root table
  FENCELINE_FIELDS(adapter, space, root)
  static constexpr Words kWords{"address_space", kPlain,
                                "{adapter} gets the page tables of address space {space}"};
};
/// A page of the CPU window to VRAM gets a new mapping.
struct HostAperture {
  AdapterId adapter;
  std::uint64_t page;  ///< page of the window
  std::uint64_t vram;  ///< page of VRAM
  bool mapped;         ///< 0: not mapped
  FENCELINE_FIELDS(adapter, page, vram, mapped)
  static constexpr Words kWords{
      "host_aperture", kPlain,
      "page {page} of the CPU host aperture of {adapter} shows page {vram}"};
};

using MemoryEvents =
    List<AllocationCreated, AllocationPlaced, AllocationLocked, AllocationUnlocked,
         AllocationDestroyed, AllocationMapped, CpuStore, CpuLoad, CacheMaintained, CombiningSent,
         CombiningDrained, GpuStore, GpuCopy, GpuLoad, GpuTraffic, AddressSpace, HostAperture>;

}  // namespace fenceline::event
