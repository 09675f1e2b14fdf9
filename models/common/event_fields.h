#pragma once

#include "models/common/events/all.h"

/// Event constants for modules that use them without the event namespace.
namespace fenceline::common {

using event::AllocationFact;
using event::CacheCall;
using event::CombiningDrain;
using event::CpuEventFault;
using event::CpuLoadFlag;
using event::Decider;
using event::FenceMapping;
using event::GuardedCall;
using event::LinkFaultKind;
using event::LogLevel;
using event::MapMode;
using event::PeerScan;
using event::Placement;
using event::Reader;
using event::RecoveryStage;
using event::StorageFlag;
using event::TlpKind;
using event::UserTarget;
using QueueState = event::QueueStateKind;
using ThreadState = event::ThreadStateKind;
using event::kEventNotAlive;
using event::kEventWrongFields;
using event::kEventWrongIrql;
using event::kFactAperture;
using event::kFactCached;
using event::kFactCpuVisible;
using event::kFactHostAperture;
using event::kFactLocked;
using event::kFactLost;
using event::kFactPinned;
using event::kFactPlacementShift;
using event::kFactRoom;
using event::kFactSegmentVisible;
using event::kGuardedCallBits;
using event::kLoadDurationShift;
using event::kLoadHidesMemory;
using event::kLoadNotSnooped;
using event::kLoadUncached;
using event::kMapCpuCached;
using event::kMapCpuWritable;
using event::kMapGpu;
using event::kMapHostCoherent;
using event::kMapIommu;
using event::kMapNoGpuAccess;
using event::kMaxGuardedCalls;
using event::kStorageCurrentLocal;
using event::kStorageCurrentSystem;
using event::kStorageMonitoredLocal;
using event::kStorageMonitoredSystem;
using event::kStorageShared;
constexpr std::uint64_t kRunsToItsEnd = 256;
constexpr std::uint64_t kGpuLoadSpaceMask = 0xFF;
constexpr std::uint64_t kGpuLoadNotSnooped = 0x100;
constexpr unsigned kStorageAdapterShift = 32;
constexpr std::uint64_t kBothKinds = 1ULL << 32;
constexpr std::uint64_t kLogOfQueue = 1ULL << 32;

}  // namespace fenceline::common
