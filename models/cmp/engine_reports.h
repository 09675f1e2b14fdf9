#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/abi/registers.h"
#include "models/cmp/inbox.h"
#include "models/cmp/interrupts.h"
#include "models/common/engine_command.h"

namespace fenceline::cmp {

/// Reports of engines and of the display that need no compare: monitored fence written, buffer
/// complete or given up, buffers preempted, context suspended, queue hung, log unmapped, vertical
/// sync. Each engine can have one pending report of most kinds. A report that finds no room in the
/// interrupt ring is repeated after the ISR acknowledges.
class EngineReports {
 public:
  /// @param adapter ObjectKind::kAdapter, for events and footprints. @param decision time to take a
  /// report.
  EngineReports(common::Simulation& simulation, Inbox& inbox, Interrupts& interrupts,
                std::uint32_t adapter, common::Time decision)
      : simulation_(simulation),
        inbox_(inbox),
        interrupts_(interrupts),
        adapter_(adapter),
        decision_(decision) {}

  void note(const common::SignalNotice& notice);
  /// Reports all pending notices of the engine together. A newer completion, frame or preemption
  /// replaces an older one.
  void take(std::uint32_t engine);
  /// Reports the oldest suspension. It has its own input, so that it comes after the interrupts for
  /// all signals of the context.
  void take_suspension();
  /// The ring may have room again.
  void retry();
  std::uint64_t hash() const;

 private:
  /// A buffer that an engine gave up, with the engine's last completion before it if that is not
  /// reported yet.
  struct Fault {
    std::uint32_t submission_id = 0;
    std::uint32_t code = 0;
    std::uint64_t address = 0;
    std::optional<std::uint64_t> completed{};  ///< submission id
  };
  /// A log without a translation in the system process.
  struct UnmappedLog {
    std::uint32_t queue_slot;
    std::uint64_t address;
  };
  /// Reports of an engine that the CMP has not passed on yet.
  struct Unreported {
    bool written = false;  ///< a monitored fence was written
    bool waits = false;    ///< waits for room in the ring
    std::vector<Fault> faults{};
    std::optional<std::uint64_t> completed{};  ///< submission id of the last completed buffer
    std::optional<std::uint64_t> preempted{};  ///< see abi::InterruptCause::kPreempted
    std::optional<std::uint64_t> synced{};     ///< display: address of the primary in scan-out
    std::optional<std::uint32_t> timed_out{};  ///< slot of the hung queue
    std::optional<UnmappedLog> unmapped{};     ///< first unmapped log
    bool any() const {
      return written || !faults.empty() || completed || preempted || synced || timed_out ||
             unmapped;
    }
    /// Tells apart which reports there are, and their contents.
    std::uint64_t hash() const;
  };
  /// A hardware-queue context that has left its node.
  struct Suspension {
    std::uint32_t engine;
    std::uint32_t slot;
    std::uint64_t fence;
  };

  void add(Unreported& unreported, const common::SignalNotice& notice);
  void begin();
  void report_all(std::uint32_t engine, Unreported& taken);
  void put_back(Unreported& unreported, const Unreported& taken);
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::optional<std::uint64_t>& value);
  bool report_faults(std::uint32_t engine, std::vector<Fault>& faults);

  common::Simulation& simulation_;
  Inbox& inbox_;
  Interrupts& interrupts_;
  const std::uint32_t adapter_;
  const common::Time decision_;
  std::array<Unreported, abi::kDisplayEngine + 1>
      unreported_{};                     ///< by engine; the last is the display
  std::deque<Suspension> suspensions_;   ///< each has an input or waits for room in the ring
  std::size_t suspensions_waiting_ = 0;  ///< number of inputs that found no room
};

}  // namespace fenceline::cmp
