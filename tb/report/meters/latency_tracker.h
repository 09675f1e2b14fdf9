#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/dense.h"
#include "models/common/events.h"
#include "tb/report/meters/samples.h"
#include "tb/report/record/window.h"

namespace fenceline::report {

/// Measures latencies from the event stream.
class LatencyTracker {
 public:
  void on(const common::At<event::FenceCreate>& event);
  void on(const common::At<event::FenceStorageFree>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::WaitAdd>& event);
  void on(const common::At<event::WaitRelease>& event);
  void on(const common::At<event::WaitDone>& event);
  void on(const common::At<event::WaitTimeout>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::PreemptCall>& event);
  void on(const common::At<event::Preempted>& event);
  void on(const common::At<event::GpuWaitBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  /// The distributions so far, in a fixed order; those without a sample have count 0.
  std::vector<Latency> summarise();

 private:
  static constexpr std::uint64_t kUnset = ~std::uint64_t{0};

  struct Waiter {
    std::uint64_t ready = kUnset;  ///< [ps] when the wait had begun and its value was reached
  };
  /// A waiter whose value is not reached yet.
  struct Unready {
    std::uint64_t value;
    std::uint64_t number;
  };
  struct Fence {
    std::uint64_t value = 0;
    std::vector<Unready> unready;  ///< a heap, lowest value first
  };

  /// A wait command that is not satisfied yet.
  struct GpuWait {
    std::uint64_t begin = kUnset;  ///< [ps]
    std::uint64_t ready = kUnset;  ///< [ps] when it had begun and its value was reached
    std::uint64_t value = 0;
    std::uint32_t fence = 0;
  };

  std::uint64_t& preempting(std::uint32_t adapter, std::uint64_t engine);
  void add_wait(std::uint64_t waiter, std::uint64_t time, Samples& samples);

  common::Dense<Fence> fences_;
  Window<Waiter> waiters_;
  Window<std::uint64_t> updates_;  ///< update number to the time of its call
  std::vector<std::vector<std::uint64_t>>
      raised_;                      ///< by adapter: times [ps] of interrupts that no ISR has served
  std::vector<GpuWait> gpu_waits_;  ///< by queue
  std::vector<std::uint64_t> preempting_;  ///< by adapter << 4 | engine: time of the request [ps]
  Samples preemption_, release_, resume_, interrupt_, update_, gpu_wait_, unblock_;
};

}  // namespace fenceline::report
