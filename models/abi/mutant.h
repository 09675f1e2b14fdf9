#pragma once

#include <cstdint>

/// Deliberate faults in the model. They show that the checkers and the search find real bugs. In a
/// build without FENCELINE_MUTANTS there are none: mutant() is a constant and the code that it
/// guards is not compiled. Plain C++, because hardware, driver and operating system all ask for it.
namespace fenceline::abi {

/// Kind of fault. A fault that an ordering switch already makes is not listed.
enum class Mutant : std::uint8_t {
  kNone,
  kLogAfterBarrier,     ///< the engine writes its log after its final barrier
  kMonitoredIsLowest,   ///< MonitoredValue is the lowest awaited value instead of that minus 1
  kNeverDisarms,        ///< MonitoredValue stays when the last waiter leaves
  kMergedIsDropped,     ///< a notice that merges with one of another fence is lost
  kWrongHandle,         ///< the ISR reports the fence of the neighbouring slot
  kIndexBeforeEntry,    ///< the index of a log is written before its entry
  kNoWrapCount,         ///< WraparoundCount does not change when the index of a log wraps
  kOverrunIgnored,      ///< the OS assumes that no entry was overwritten
  kFlushesOtherQueue,   ///< the driver flushes the logs of the queue in the neighbouring slot
  kSharedNotZero,       ///< MonitoredValue of a cross-adapter fence shows no waiter instead of 0
  kNotPassedOn,         ///< a signal is not passed on to the other adapters of the fence
  kLogsTwice,           ///< the engine writes the entry of a signal twice
  kLogsNothing,         ///< the engine writes no entry for a signal
  kPreemptedWaitPasses  ///< a preempted wait resumes as satisfied
};

#ifdef FENCELINE_MUTANTS
constexpr bool kMutants = true;
inline Mutant active_mutant = Mutant::kNone;
/// Call this before the machine is built.
inline void set_mutant(Mutant fault) { active_mutant = fault; }
/// True if the model must make this fault.
inline bool mutant(Mutant fault) { return active_mutant == fault; }
#else
constexpr bool kMutants = false;
inline void set_mutant(Mutant /*fault*/) {}
constexpr bool mutant(Mutant /*fault*/) { return false; }
#endif

}  // namespace fenceline::abi
