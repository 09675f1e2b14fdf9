#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Adds up the work of engines, cores, links and drivers, as the events come.
class ActivityMeter {
 public:
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::PacketEnd>& event);
  void on(const common::At<event::GpuWaitPark>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::PowerState>& event);
  void on(const common::At<event::PcieTransfer>& event);
  void on(const common::At<event::DdiCall>& event);
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

  std::vector<Engine> engines_;
  std::vector<Queue> queues_;
  std::vector<Core> cores_;
  std::vector<Link> links_;
  std::vector<std::uint64_t> opcodes_;
  std::vector<std::uint64_t> ddis_;
  std::uint64_t wakeups_ = 0;
  std::uint64_t last_wakeup_ = 0;      ///< [ps]
  std::uint64_t wakeups_at_last_ = 0;  ///< of those, at `last_wakeup_`
};

}  // namespace fenceline::report
