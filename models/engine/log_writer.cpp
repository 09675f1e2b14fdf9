#include "models/engine/log_writer.h"

#include <algorithm>

#include "models/abi/fence_log.h"
#include "models/abi/mutant.h"

namespace fenceline::engine {

using common::Barrier;
using common::EngineCommand;
using common::SignalNotice;
using Purpose = StorePort::Purpose;

namespace {
constexpr std::uint64_t kLine = 64;  // [bytes] largest posted write
}  // namespace

bool LogWriter::write(const EngineCommand& command, const abi::LogPacket& packet) {
  if (packet.reserved0 != 0) return uses_.stores.refuse(abi::FaultCode::kIllegal);
  common::LogCursor log;
  access_position(tlm::TLM_READ_COMMAND, command, log);
  if (log.address == 0) return true;
  common::LogCursor next = log;
  const std::uint32_t late = abi::mutant(abi::Mutant::kLogWrapsLate) ? 1 : 0;
  if (++next.index == next.entries + late) {
    next.index = 0;
    if (!abi::mutant(abi::Mutant::kNoWrapCount)) ++next.wraparounds;
  }
  const bool index_first = abi::mutant(abi::Mutant::kIndexBeforeEntry);
  bool ok = !index_first || post_index(command, next);
  ok = post_entry(command, packet, log) && ok;
  if (simulation_.ordering.gpu.log_barrier)
    uses_.stores.barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach, Purpose::kLog);
  if (!index_first) ok = post_index(command, next) && ok;
  access_position(tlm::TLM_WRITE_COMMAND, command, next);
  if (!ok && log.space == abi::kSystemVmid)
    uses_.notices.send({uses_.number, 0, command.queue_slot, command.queue, log.address,
                        SignalNotice::Kind::kLogUnmapped});
  return ok;
}

/// A read begins an entry, a write ends it. The command processor changes the log buffer only
/// between two entries.
void LogWriter::access_position(tlm::tlm_command what, const EngineCommand& command,
                                common::LogCursor& log) {
  auto access = simulation_.transactions.lend(
      what, common::log_address(command.queue_slot, command.log), &log, sizeof log);
  common::deliver(uses_.positions, access->payload);
}

bool LogWriter::post_entry(const EngineCommand& command, const abi::LogPacket& packet,
                           const common::LogCursor& log) {
  abi::FenceLogEntry entry{};
  entry.fence_value = packet.fence_value;
  entry.native_fence = packet.native_fence;
  entry.operation_type = packet.operation_type;
  entry.observed_timestamp = command.observed;
  entry.end_timestamp = uses_.clock.log_timestamp(log.index);
  const std::uint64_t address =
      log.address + sizeof(abi::FenceLogHeader) + log.index * sizeof entry;
  simulation_.log_truth.issued(log.object, log.index,
                               common::Hasher().add_words(&entry, sizeof entry).value());
  simulation_.emit(event::LogEntryIssued{log.object, log.index, packet.fence_value, command.fence});
  bool ok = true;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&entry);
  for (std::size_t done = 0; done < sizeof entry;) {
    const std::size_t piece =
        std::min<std::size_t>(sizeof entry - done, kLine - (address + done) % kLine);
    ok = uses_.stores.post(command, {Purpose::kLog, log.space, address + done}, bytes + done,
                           piece) &&
         ok;
    done += piece;
  }
  return ok;
}

bool LogWriter::post_index(const EngineCommand& command, const common::LogCursor& log) {
  const std::uint64_t header = std::uint64_t{log.wraparounds} << 32 | log.index;
  simulation_.emit(event::LogHeaderIssued{log.object, header});
  return uses_.stores.post_value(command, {Purpose::kLog, log.space, log.address}, header,
                                 simulation_.ordering.mem.log_hdr64);
}

}  // namespace fenceline::engine
