#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace fenceline::common {

/// Operation of an agent at a step. Scenarios name it in holds; counterexamples print it.
enum class Operation : std::uint8_t {
  kIdle,           ///< nothing to do
  kTimer,          ///< waits with a time limit
  kIssue,          ///< a write enters a posted FIFO
  kDrain,          ///< the head of a posted FIFO leaves it
  kBarrier,        ///< a barrier completes
  kReadShadow,     ///< an engine reads the shadow MonitoredValue
  kReadValue,      ///< CurrentValue is read (CMP, queue or CPU)
  kReadMonitored,  ///< the CMP reads MonitoredValue in memory
  kNotice,         ///< an engine notifies the CMP of a signal
  kTakeNotice,     ///< the CMP serves a notice
  kTakeUpdate,     ///< the CMP serves a MonitoredValue update
  kTakeRequest,    ///< the CMP serves another request of the driver
  kRaise,          ///< the CMP requests an interrupt
  kRescan,         ///< the parked queues are checked
  kPark,           ///< a queue goes on the parked list
  kWork,           ///< an engine works
  kRead,           ///< any other read
  kWrite,          ///< any other write
  kDeliver,        ///< an interrupt reaches a core
  kDeferredCall,   ///< a deferred procedure call begins
  kLock,           ///< a lock is taken
  kAcknowledge,    ///< the ISR reports how many entries it has read
  kDoorbell,       ///< a doorbell is written
  kRegisterRead,   ///< a device register is read
  kRegisterWrite,  ///< a device register is written
  kWaitEnter,      ///< a thread enters a wait
  kResume,         ///< a waiting thread continues
  kLook,           ///< CurrentValue is read before a wait is armed
  kBegin,          ///< a thread begins, or starts the next step of its program
  kTable,          ///< shared lists of the OS are read or changed
  kLevel,          ///< the IRQL is raised without a lock
  kAny,            ///< in holds: any operation of the agent
  kCount
};
constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::kCount);

/// Step size of threads and of the OS while exploring.
enum class Grain : std::uint8_t {
  kCoarse,  ///< no step for the start of a thread or its lock-free access to shared data
  kShared,  ///< each such access is a step; threads compete only for cores with interrupts
  kAll      ///< no competition for cores; interrupts may come before any lock
};

constexpr const char* grain_name(Grain grain) {
  return grain == Grain::kCoarse ? "coarse" : grain == Grain::kShared ? "shared" : "all";
}

/// Stable lower-case name, e.g. "read_shadow".
const char* operation_name(Operation operation);
/// The operation with that name; kCount if there is none.
Operation find_operation(const std::string& name);

/// Kind of a location in a footprint.
enum class Place : std::uint8_t {
  kMemory,     ///< a line of kLineBytes; index = bus address / kLineBytes
  kFifo,       ///< a posted FIFO; index = its number
  kRegister,   ///< state of a block behind its registers; index = block number
  kLock,       ///< a lock; index = its number
  kEvent,      ///< an event object or a run condition; index = its number
  kInterrupt,  ///< running and pending work of a core; index = core
  kOrder,      ///< an order that an invariant checks; index = number of the order
  /// Queue snapshot: senders write it, later waiters read it. A waiter waits in a step of its own.
  /// Waiting for fewer writes covers waiting for more of them, not the reverse. Index = number of
  /// the queue.
  kMark
};
constexpr std::uint64_t kLineBytes = 64;

/// Abstract locations that a step reads and writes. Two steps of different agents commute unless
/// they share a location that at least one of them writes.
class Footprint {
 public:
  struct Access {
    std::uint64_t location;
    bool write;
  };
  static constexpr std::size_t kMaxAccesses = 4;

  Footprint() {}  // NOLINT(modernize-use-equals-default): entries beyond size_ are never read
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
  /// Callers name at most four accesses, so the limit is never exceeded.
  Footprint with(Place place, std::uint64_t index, bool write) const {
    Footprint result = *this;
    if (size_ < kMaxAccesses) result.accesses_[result.size_++] = access(place, index, write);
    return result;
  }

  std::array<Access, kMaxAccesses> accesses_;
  std::size_t size_ = 0;
};

}  // namespace fenceline::common
