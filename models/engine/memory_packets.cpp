// Packets that move memory.
#include <algorithm>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/engine/engine.h"

namespace fenceline::engine {

using common::EngineCommand;

namespace {

/// Bytes from `address` to the end of its page.
std::uint64_t room(std::uint64_t address) { return abi::kPageBytes - address % abi::kPageBytes; }

}  // namespace

/// VMID of a packet's addresses; none if the packet may not use physical addresses.
std::optional<std::uint32_t> Engine::space_of(const EngineCommand& command, std::uint16_t flags) {
  if ((flags & abi::kPhysicalAddresses) == 0) return command.address_space;
  if (command.address_space != abi::kSystemVmid) {
    stores_.refuse(abi::FaultCode::kPrivileged);
    return std::nullopt;
  }
  return common::kPhysical;
}

/// One access within a page. It is complete on return.
bool Engine::move(tlm::tlm_command what, std::uint32_t space, std::uint64_t address,
                  unsigned char* data, std::size_t bytes) {
  auto access = simulation_.transactions.lend(what, address, data, bytes);
  access->attributes.address_space = space;
  return common::send(simulation_.steps, memory, access) == tlm::TLM_OK_RESPONSE;
}

/// The bursts of one packet. They begin at most at the rate of the data path and end in any order.
class Engine::Stream {
 public:
  explicit Stream(Engine& engine)
      : engine_(engine),
        max_bursts_(1 + engine.config_.copy_cover /
                            common::transfer_time(abi::kPageBytes, engine.config_.copy_mbps)) {}

  /// Begins a burst of `bytes` at `at` within the packet. False after a burst has failed. @param
  /// access false: it found no translation and has called `fail`.
  template <typename Access>
  bool burst(std::uint64_t at, std::size_t bytes, Access access) {
    if (at >= failed_at_) return false;
    common::Steps& steps = engine_.simulation_.steps;
    const common::Time now = sc_core::sc_time_stamp().value();
    if (now < next_) steps.elapse(next_ - now);
    steps.advance();
    engine_.overlap_.begin(max_bursts_, access);
    next_ =
        sc_core::sc_time_stamp().value() + common::transfer_time(bytes, engine_.config_.copy_mbps);
    return true;
  }

  /// The burst at `at` within the packet found no translation for `address`.
  void fail(std::uint64_t at, std::uint64_t address, bool written) {
    if (at >= failed_at_) return;
    failed_at_ = at;
    failed_address_ = address;
    failed_write_ = written;
  }

  /// Waits for all bursts and for the data path. False if a burst failed; then the failure at the
  /// lowest position in the packet is reported.
  bool finish() {
    engine_.overlap_.finish();
    const common::Time now = sc_core::sc_time_stamp().value();
    if (failed_at_ != kNever)
      return engine_.stores_.note_fault(false, failed_address_, failed_write_);
    if (now < next_) engine_.simulation_.steps.elapse(next_ - now);
    return true;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Engine& engine_;
  const std::size_t max_bursts_;
  common::Time next_ = 0;  ///< when the data path is free
  std::uint64_t failed_at_ = kNever;
  std::uint64_t failed_address_ = 0;
  bool failed_write_ = false;
};

/// Reports the words that a copy has read.
void Engine::report_loads(std::uint64_t address, const unsigned char* data, std::size_t bytes,
                          std::uint32_t space) const {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, data + at, sizeof value);
    simulation_.emit(
        event::GpuLoad{config_.adapter, address + at, value, space, simulation_.tracks_caches});
  }
}

bool Engine::copy(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::CopyPacket>(command);
  const auto space = space_of(command, packet.header.flags);
  if (!space) return false;
  if (simulation_.tracks_memory && *space != common::kPhysical)
    simulation_.emit(
        event::GpuCopy{config_.adapter, packet.source, packet.destination, *space, packet.bytes});
  Stream stream(*this);
  for (std::uint64_t done = 0; done < packet.bytes;) {
    const std::uint64_t from = packet.source + done;
    const std::uint64_t to = packet.destination + done;
    const std::uint64_t end =
        abi::mutant(abi::Mutant::kCopyCrossesPage) ? abi::kPageBytes : room(to);
    const std::size_t piece = std::min({packet.bytes - done, room(from), end});
    if (!stream.burst(done, piece, [this, &stream, space = *space, done, from, to, piece] {
          copy_piece(stream, space, done, {from, to, piece});
        }))
      break;
    done += piece;
  }
  return stream.finish();
}

/// One burst of a copy: it reads everything before it writes.
void Engine::copy_piece(Stream& stream, std::uint32_t space, std::uint64_t at, const Piece& piece) {
  std::array<unsigned char, abi::kPageBytes> buffer;
  if (!move(tlm::TLM_READ_COMMAND, space, piece.from, buffer.data(), piece.bytes))
    return stream.fail(at, piece.from, false);
  if ((simulation_.tracks_caches || simulation_.tracks_combining) && space != common::kPhysical)
    report_loads(piece.from, buffer.data(), piece.bytes, space);
  if (!move(tlm::TLM_WRITE_COMMAND, space, piece.to, buffer.data(), piece.bytes))
    stream.fail(at, piece.to, true);
}

bool Engine::fill(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FillPacket>(command);
  const auto space = space_of(command, packet.header.flags);
  if (!space || packet.bytes % sizeof packet.pattern != 0) return false;
  std::array<unsigned char, abi::kPageBytes> buffer;
  for (std::size_t at = 0; at < buffer.size(); at += sizeof packet.pattern)
    std::memcpy(buffer.data() + at, &packet.pattern, sizeof packet.pattern);
  Stream stream(*this);
  for (std::uint64_t done = 0; done < packet.bytes;) {
    const std::uint64_t to = packet.address + done;
    const std::size_t piece = std::min(packet.bytes - done, room(to));
    if (!stream.burst(done, piece, [this, &stream, &buffer, space = *space, done, to, piece] {
          if (!move(tlm::TLM_WRITE_COMMAND, space, to, buffer.data(), piece))
            stream.fail(done, to, true);
        }))
      break;
    done += piece;
  }
  return stream.finish();
}

}  // namespace fenceline::engine
