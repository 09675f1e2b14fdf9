#include "models/command_processor/log_positions.h"

#include <cstring>

namespace fenceline::command_processor {

using common::LogCursor;
using common::LogKind;

void LogPositions::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const LogKind kind = (address & 1) != 0 ? LogKind::kSignals : LogKind::kWaits;
  QueueLog& log = log_of(*shared_.queues.at(address >> 1), kind);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  shared_.touch(log.place, true);
  if (payload.is_read()) {
    log.writing = log.next.address != 0;
    std::memcpy(payload.get_data_ptr(), &log.next, sizeof log.next);
    return;
  }
  std::memcpy(&log.next, payload.get_data_ptr(), sizeof log.next);
  log.writing = false;
  written_.open();
}

void LogPositions::set(HardwareQueue& queue, LogKind kind) {
  const bool waits = kind == LogKind::kWaits;
  const std::uint64_t own = queue.field(waits ? abi::kQueueWaitLog : abi::kQueueSignalLog);
  const std::uint64_t system =
      queue.field(waits ? abi::kQueueSystemWaitLog : abi::kQueueSystemSignalLog);
  const std::uint64_t entries = queue.field(abi::kQueueLogEntries);
  QueueLog& log = log_of(queue, kind);
  shared_.touch(log.place, true);
  shared_.steps().wait_until(written_, [&] { return !log.writing; });
  shared_.touch(log.place, true);
  const bool by_cmp = shared_.simulation.ordering.cmp.log_writer == common::LogWriter::kCmp;
  const bool in_system = by_cmp && system != 0;
  log.next = LogCursor();
  log.next.address = in_system ? system : own;
  log.next.space = in_system ? abi::kSystemVmid : queue.address_space();
  log.next.entries = static_cast<std::uint32_t>(waits ? entries : entries >> 32);
  log.next.object = memory_.object_at(queue.engine, {queue.address_space(), own});
}

}  // namespace fenceline::command_processor
