#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fenceline::check {

/// The invariants that the checkers watch; the order is that of `all_invariants()`.
enum class Invariant : std::uint8_t {
  kNoLostWaiter,
  kNoLostGpuWait,
  kReleaseBound,
  kNoEarly,
  kUmvPost,
  kStep2,
  kIntData,
  kSpuriousOk,
  kContract,
  kMvMin,
  kNoTear,
  kCvMono,
  kLogOrder,
  kLogWhole,
  kLogLate,
  kHdrMono,
  kOverrun,
  kTsMono,
  kLogOnce,
  kHandleLive,
  kVaScope,
  kIrql,
  kCrossAdapter,
  kWait32,
  kPayload,
  kLogBuf,
  kUnwaited,
  kStaleName,
  kOnlyAbove,
  kCpuValue,
  kProgressKept,
  kBothKinds,
  kQueueNamed,
  kNegotiated,
  kCapsRules,
  kStorage,
  kProtection,
  kBatchWhole,
  kCmpMapped,
  kProgress,
  kHeldWork,
  kCpuEvent,
  kFenceMapping,
  kPeerDoorbell,
  kLogTypes,
  kLogLevel,
  kTimeline,
  kContent,
  kGpuMemory,
  kLockRules,
  kHostAperture,
  kMapSync,
  kCoherency,
  kPreemptedWork,
  kResubmission,
  kLastCompleted,
  kContextState,
  kPreemptFirst,
  kSpared,
  kPartBindings,
  kTearing,
  kBroadcastData,
  kAnswered,
  kSuspendedSilent,
  kSuspendFence,
  kResetSilent,
  kBandOrder,
  kWorkAnnounced,
  kOneDoorbell,
  kStatusCell,
  kCombining,
  kFaultReport,
  kInterruptOrder,
  kExclusiveReset,
  kLostWork,
  kBlocked,
  kCommands,
  kContextMemory,
  kHangFound,
  kOnlyHungLost,
  kEventScope,
  kLogProtected,
  kAllWorkEnds,
  kKeptValue,
  kRegisters,
  kKernelAddress,
  kKernelMemory,
  kSpinLock,
  kCallback,
  kDdiReturn,
  kCount
};

constexpr std::size_t kInvariantCount = static_cast<std::size_t>(Invariant::kCount);

/// What is said of an invariant in messages, in docs/invariants.md and in coverage tables.
struct InvariantInfo {
  const char* id;         ///< e.g. "I1"
  const char* name;       ///< e.g. "NO_LOST_WAITER"
  const char* sentence;   ///< what must hold
  const char* source;     ///< the public text it follows
  const char* rows;       ///< requirements it guards, separated by blanks, e.g. "NF3 NF4"
  const char* broken_by;  ///< the shortest way to break it
};

const std::array<InvariantInfo, kInvariantCount>& all_invariants();
const InvariantInfo& info(Invariant invariant);

}  // namespace fenceline::check
