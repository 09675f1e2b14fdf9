#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace fenceline::common {

/// What an agent does at a step. Scenarios name these in holds, counterexamples in their text.
enum class Operation : std::uint8_t {
  kIdle,           ///< nothing to do
  kTimer,          ///< waits with a time limit
  kIssue,          ///< a write enters a posted FIFO
  kDrain,          ///< a posted FIFO moves its head on
  kBarrier,        ///< a barrier completes
  kReadShadow,     ///< an engine reads the shadow MonitoredValue
  kReadValue,      ///< CurrentValue is read (CMP, queue or CPU)
  kReadMonitored,  ///< the CMP reads MonitoredValue at its home
  kNotice,         ///< an engine tells the CMP of a signal
  kTakeNotice,     ///< the CMP takes it up
  kTakeUpdate,     ///< the CMP takes up a MonitoredValue update
  kTakeRequest,    ///< the CMP takes up another request of the driver
  kRaise,          ///< the CMP asks for an interrupt
  kRescan,         ///< parked queues are looked through
  kPark,           ///< a queue goes on the parked list
  kWork,           ///< an engine works
  kRead,           ///< any other read
  kWrite,          ///< any other write
  kDeliver,        ///< an interrupt reaches a core
  kDeferredCall,   ///< a deferred procedure call begins
  kLock,           ///< a lock is taken
  kAcknowledge,    ///< the ISR tells the device how far it read
  kDoorbell,       ///< a doorbell is written
  kRegisterRead,   ///< a device register is read
  kRegisterWrite,  ///< a device register is written
  kWaitEnter,      ///< a thread enters a wait
  kResume,         ///< a waiting thread goes on
  kLook,           ///< CurrentValue is read before a wait arms anything
  kBegin,          ///< a thread begins, or goes on to the next step of its program
  kTable,          ///< lists of the OS that threads share are read or changed
  kLevel,          ///< a processor level is raised without a lock
  kAny,            ///< in holds: whatever the agent does
  kCount
};
constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::kCount);

/// How small the steps of threads and of the OS are while exploring.
enum class Grain : std::uint8_t {
  kCoarse,  ///< what threads share without a lock makes no step, nor does their begin
  kShared,  ///< each use of that is a step; threads contend for no core but one with interrupts
  kAll      ///< threads contend for no core, and interrupts may come before any lock
};

constexpr const char* grain_name(Grain grain) {
  return grain == Grain::kCoarse ? "coarse" : grain == Grain::kShared ? "shared" : "all";
}

/// Stable lower-case name, e.g. "read_shadow".
const char* operation_name(Operation operation);
/// The operation of that name; kCount if there is none.
Operation find_operation(const std::string& name);

/// What kind of thing a footprint speaks of.
enum class Place : std::uint8_t {
  kMemory,     ///< a line of kLineBytes; index = bus address / kLineBytes
  kFifo,       ///< a posted FIFO; index = its number
  kRegister,   ///< state of a block behind its registers; index = block number
  kLock,       ///< a lock; index = its number
  kEvent,      ///< an event object, or whether something may run; index = its number
  kInterrupt,  ///< what runs and what is pending on a core; index = core
  kOrder,      ///< an order that an invariant speaks of; index = number of the order
  /// What was on its way when somebody began to wait behind it: written by who sends more, read by
  /// who then waits in a step of its own. A read that comes first stands for one that comes later,
  /// behind more, and not the other way round. Index = number of what is waited behind.
  kMark
};
constexpr std::uint64_t kLineBytes = 64;

/// Abstract locations that a step reads and writes. Two steps of different agents commute unless
/// they share one that either of them writes.
class Footprint {
 public:
  struct Access {
    std::uint64_t location;
    bool write;
  };
  static constexpr std::size_t kMost = 4;

  Footprint() {}  // NOLINT(modernize-use-equals-default): what is behind size_ is never read
  static constexpr Access access(Place place, std::uint64_t index, bool write) {
    return {(static_cast<std::uint64_t>(place) << 60) | index, write};
  }
  static constexpr Place place_of(std::uint64_t location) {
    return static_cast<Place>(location >> 60);
  }
  Footprint reads(Place place, std::uint64_t index) const { return with(place, index, false); }
  Footprint writes(Place place, std::uint64_t index) const { return with(place, index, true); }

  std::size_t size() const { return size_; }
  const Access& operator[](std::size_t i) const { return accesses_[i]; }

  bool conflicts(const Footprint& other) const {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < other.size_; ++j)
        if (accesses_[i].location == other.accesses_[j].location &&
            (accesses_[i].write || other.accesses_[j].write))
          return true;
    return false;
  }

 private:
  /// A fifth access is dropped only in builds that cannot be reached: callers name at most four.
  Footprint with(Place place, std::uint64_t index, bool write) const {
    Footprint result = *this;
    if (size_ < kMost) result.accesses_[result.size_++] = access(place, index, write);
    return result;
  }

  std::array<Access, kMost> accesses_;
  std::size_t size_ = 0;
};

}  // namespace fenceline::common
