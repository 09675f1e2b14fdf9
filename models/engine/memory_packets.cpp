// Packets that move memory.
#include <algorithm>

#include "models/abi/page_table.h"
#include "models/engine/engine.h"

namespace fenceline::engine {

using common::EngineCommand;
using common::EventKind;

namespace {

/// Bytes from `address` to the end of its page.
std::uint64_t room(std::uint64_t address) { return abi::kPageBytes - address % abi::kPageBytes; }

}  // namespace

/// VMID of a packet's addresses; none where it may not name physical ones.
std::optional<std::uint32_t> Engine::space_of(const EngineCommand& command, std::uint16_t flags) {
  if ((flags & abi::kPhysicalAddresses) == 0) return command.address_space;
  constexpr std::uint32_t kSystemProcess = 0;
  if (command.address_space != kSystemProcess) {
    refuse(abi::FaultCode::kPrivileged);
    return std::nullopt;
  }
  return common::kPhysical;
}

/// One access within a page, which has come to its end when this returns.
bool Engine::move(tlm::tlm_command what, std::uint32_t space, std::uint64_t address,
                  unsigned char* data, std::size_t bytes) {
  auto access = simulation_.transactions.lend(what, address, data, bytes);
  access->attributes.address_space = space;
  return reached(common::send(simulation_.steps, memory, access) == tlm::TLM_OK_RESPONSE, address,
                 what == tlm::TLM_WRITE_COMMAND);
}

/// Tells what a copy has read, by words.
void Engine::report_loads(std::uint64_t address, const unsigned char* data, std::size_t bytes,
                          std::uint32_t space) const {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, data + at, sizeof value);
    simulation_.events.emit(EventKind::kGpuLoad, simulation_.steps.current(), config_.adapter,
                            address + at, value,
                            space | (simulation_.tracks_caches ? common::kGpuLoadNotSnooped : 0));
  }
}

bool Engine::copy(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::CopyPacket>(command);
  const auto space = space_of(command, packet.header.flags);
  if (!space) return false;
  if (simulation_.tracks_memory && *space != common::kPhysical)
    simulation_.events.emit(EventKind::kGpuCopy, simulation_.steps.current(), config_.adapter,
                            packet.source, packet.destination, packet.bytes << 8 | *space);
  std::array<unsigned char, abi::kPageBytes> buffer;
  for (std::uint64_t done = 0; done < packet.bytes;) {
    const std::uint64_t from = packet.source + done;
    const std::uint64_t to = packet.destination + done;
    const std::size_t piece = std::min({packet.bytes - done, room(from), room(to)});
    const common::Time started = sc_core::sc_time_stamp().value();
    if (!move(tlm::TLM_READ_COMMAND, *space, from, buffer.data(), piece)) return false;
    if ((simulation_.tracks_caches || simulation_.tracks_combining) && *space != common::kPhysical)
      report_loads(from, buffer.data(), piece, *space);
    if (!move(tlm::TLM_WRITE_COMMAND, *space, to, buffer.data(), piece)) return false;
    hold_pace(started, piece);
    done += piece;
  }
  return true;
}

bool Engine::fill(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FillPacket>(command);
  const auto space = space_of(command, packet.header.flags);
  if (!space || packet.bytes % sizeof packet.pattern != 0) return false;
  std::array<unsigned char, abi::kPageBytes> buffer;
  for (std::size_t at = 0; at < buffer.size(); at += sizeof packet.pattern)
    std::memcpy(buffer.data() + at, &packet.pattern, sizeof packet.pattern);
  for (std::uint64_t done = 0; done < packet.bytes;) {
    const std::uint64_t to = packet.address + done;
    const std::size_t piece = std::min(packet.bytes - done, room(to));
    const common::Time started = sc_core::sc_time_stamp().value();
    if (!move(tlm::TLM_WRITE_COMMAND, *space, to, buffer.data(), piece)) return false;
    hold_pace(started, piece);
    done += piece;
  }
  return true;
}

/// What was begun at `started` takes at least as long as the data path of the engine needs.
void Engine::hold_pace(common::Time started, std::size_t bytes) {
  const common::Time took = sc_core::sc_time_stamp().value() - started;
  const common::Time least = common::transfer_time(bytes, config_.copy_mbps);
  if (took < least) simulation_.steps.elapse(least - took);
}

}  // namespace fenceline::engine
