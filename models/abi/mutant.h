#pragma once

#include <cstdint>

/// Faults that are put into the model on purpose, to see that the checkers and the search find
/// them. In a build without FENCELINE_MUTANTS none is there: mutant() is a constant, and what it
/// guards is not compiled. Plain C++, so that hardware, driver and operating system can ask alike.
namespace fenceline::abi {

/// What is wrong. Faults that an ordering switch makes need no place here.
enum class Mutant : std::uint8_t {
  kNone,
  kLogAfterBarrier,    ///< the engine writes its log after its final barrier
  kMonitoredIsLowest,  ///< MonitoredValue is the lowest value waited for, not that minus 1
  kNeverDisarms,       ///< MonitoredValue stays when the last waiter has gone
  kMergedIsDropped,    ///< a notice on top of one of another fence is forgotten
  kWrongHandle,        ///< the ISR reports the fence in the slot beside the right one
  kIndexBeforeEntry,   ///< the index of a log is written before the entry
  kNoWrapCount,        ///< the index of a log wraps and WraparoundCount stays
  kOverrunIgnored,     ///< the OS goes on as if no entry could have been overwritten
  kFlushesOtherQueue,  ///< the driver flushes the logs of the queue in the slot beside the right
                       ///< one
  kSharedNotZero,  ///< MonitoredValue of a fence that adapters share is as of one with no waiter
  kNotPassedOn,    ///< the other adapters of a fence are not told of a signal
  kLogsTwice,      ///< the engine writes the entry of a signal twice
  kLogsNothing,    ///< the engine writes no entry for a signal
  kPreemptedWaitPasses  ///< a wait that was preempted goes on as satisfied
};

#ifdef FENCELINE_MUTANTS
constexpr bool kMutants = true;
inline Mutant active_mutant = Mutant::kNone;
/// To be called before anything is built.
inline void set_mutant(Mutant fault) { active_mutant = fault; }
/// True if this fault is to be made.
inline bool mutant(Mutant fault) { return active_mutant == fault; }
#else
constexpr bool kMutants = false;
inline void set_mutant(Mutant /*fault*/) {}
constexpr bool mutant(Mutant /*fault*/) { return false; }
#endif

}  // namespace fenceline::abi
