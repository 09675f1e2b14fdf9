#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/names.h"
#include "tb/report/run_report.h"

namespace fenceline::report {

/// Adds up what engines, cores, links and drivers did, as the events come.
class ActivityMeter {
 public:
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::PacketEnd>& event);
  void on(const common::At<event::GpuWaitPark>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::PowerState>& event);
  void on(const common::At<event::PcieTransfer>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::LogOverrun>& event);
  void on(const common::At<event::EngineInterrupt>& event);
  void on(const common::At<event::PreemptCall>& event);
  void on(const common::At<event::BufferFaulted>& event);
  void on(const common::At<event::BufferStopped>& event);
  void on(const common::At<event::ContextSaved>& event);
  void on(const common::At<event::Present>& event);
  void on(const common::At<event::FlipEffective>& event);
  void on(const common::At<event::VerticalSync>& event);
  void on(const common::At<event::ScanTop>& event);
  void on(const common::At<event::ScanBottom>& event);
  void on(const common::At<event::Recovery>& event);
  void on(const common::At<event::ContextSubmit>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::PeerDoorbell>& event);
  void on(const common::At<event::CpuEventSignal>& event);
  void on(const common::At<event::AdapterPower>& event);
  /// Appends the counters of a run that ended at `end_time` [ps], in a fixed order.
  void report(const Names& names, std::uint64_t end_time, std::vector<Counter>& counters) const;

 private:
  static constexpr std::size_t kTlpKinds = 4;

  /// Busy while at least one packet runs that is not parked.
  struct Engine {
    std::uint32_t running = 0;
    std::uint64_t since = 0;  ///< [ps] when `running` became non-zero
    std::uint64_t busy = 0;   ///< [ps]
    std::uint64_t packets = 0;
  };
  struct Queue {
    std::uint32_t engine = 0;  ///< of the packet that runs, 0 if none
    bool parked = false;
  };
  struct Core {
    std::uint64_t state = 0;
    std::uint64_t since = 0;               ///< [ps]
    std::vector<std::uint64_t> residency;  ///< [ps] by state; [0] only when reported
  };
  struct Link {
    std::array<std::uint64_t, kTlpKinds> transfers{};
    std::array<std::uint64_t, kTlpKinds> bytes{};  ///< payload
    std::uint64_t busy = 0;                        ///< [ps]
  };

  void park(std::uint64_t queue, bool parked, std::uint64_t time);
  void start(std::uint32_t engine, std::uint64_t time);
  void stop(std::uint32_t engine, std::uint64_t time);
  void report_packets(const Names& names, std::uint64_t end_time, std::vector<Counter>& out) const;
  void report_power(const Names& names, std::uint64_t end_time, std::vector<Counter>& out) const;
  void report_links(const Names& names, std::vector<Counter>& out) const;
  void report_contexts(std::vector<Counter>& out) const;
  void report_preemption(std::vector<Counter>& out) const;
  void report_display(std::vector<Counter>& out) const;

  /// What is on the screen of an adapter.
  struct Display {
    std::uint64_t waiting = 0;  ///< presents whose flips have not taken effect
    bool flipped = false;       ///< since the last vertical sync
    std::uint64_t top = 0;      ///< word at the top of the frame
    std::uint64_t top_address = 0;
  };
  std::vector<Display> displays_;  ///< by adapter
  std::uint64_t frames_ = 0, flips_ = 0, missed_syncs_ = 0, tears_ = 0, unfinished_ = 0;

  std::uint64_t engine_interrupts_ = 0;
  std::uint64_t context_submits_ = 0;
  std::uint64_t preempt_requests_ = 0, buffers_stopped_ = 0, state_bytes_ = 0, context_saves_ = 0;
  std::uint64_t faulted_ = 0;
  std::array<std::uint64_t, 8> recoveries_{};  ///< by common::RecoveryStage
  std::uint64_t cpu_event_signals_ = 0;
  std::uint64_t adapter_wakes_ = 0;
  std::uint64_t passed_on_ = 0;
  std::uint64_t peer_doorbells_ = 0;
  std::uint64_t peer_scanned_ = 0;
  std::vector<Engine> engines_;
  std::vector<Queue> queues_;
  std::vector<Core> cores_;
  std::vector<Link> links_;
  std::vector<std::uint64_t> opcodes_;
  std::vector<std::uint64_t> ddis_;
  std::uint64_t wakeups_ = 0;
  std::uint64_t last_wakeup_ = 0;   ///< [ps]
  std::uint64_t wakeups_then_ = 0;  ///< of those, at that last moment
  std::uint64_t lost_entries_ = 0;
};

}  // namespace fenceline::report
