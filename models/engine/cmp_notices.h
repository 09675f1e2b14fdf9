#pragma once

#include <cstdint>

#include "models/engine/store_port.h"

namespace fenceline::engine {

/// Notices of an engine to the CMP: signals above MonitoredValue, and reports that do not concern a
/// native fence. A barrier precedes a report if common::GpuOrdering requires it.
class CmpNotices {
 public:
  using Socket = StorePort::Socket;

  /// @param number node ordinal.
  CmpNotices(common::Simulation& simulation, Socket& socket, StorePort& stores,
             std::uint32_t number)
      : simulation_(simulation), socket_(socket), stores_(stores), number_(number) {}

  void send(common::SignalNotice notice);
  /// RUN_BUFFER: the buffer is complete.
  void complete_buffer(const common::EngineCommand& command);
  /// FAULTED: the writes of this buffer and the earlier ones are visible, as for complete_buffer.
  void report_fault(const common::EngineCommand& command);
  /// PREEMPTED: the writes of all stopped buffers are visible before the report.
  void report_preemption(const common::EngineCommand& command);
  /// SUSPENDED: the same for a hardware-queue context.
  void report_suspension(const common::EngineCommand& command);
  /// TIMED_OUT.
  void report_timeout(const common::EngineCommand& command);

 private:
  void barrier_if(bool wanted);

  common::Simulation& simulation_;
  Socket& socket_;
  StorePort& stores_;
  const std::uint32_t number_;
};

}  // namespace fenceline::engine
