#include "models/pcie/wire.h"

#include <array>
#include <stdexcept>

namespace fenceline::pcie {

namespace {

constexpr std::uint64_t kWriteOverhead = 24;     ///< [bytes] framing, sequence, LCRC, 64-bit header
constexpr std::uint64_t kReadRequestBytes = 24;  ///< [bytes]
constexpr std::uint64_t kCompletionOverhead = 20;  ///< [bytes]

/// Usable megabits a second and lane, after encoding.
constexpr std::array<std::uint64_t, 6> kLaneMegabits{2000, 4000, 7877, 15754, 31508, 60500};

constexpr std::uint64_t pieces(std::uint64_t bytes, std::uint64_t most) {
  return bytes == 0 ? 1 : (bytes + most - 1) / most;
}

}  // namespace

Wire::Wire(const LinkConfig& config) : config_(config) {
  if (config.generation < 1 || config.generation > kLaneMegabits.size())
    throw std::invalid_argument("PCIe generation must be 1 to 6");
  const std::uint64_t raw = kLaneMegabits[config.generation - 1] * config.width_lanes / 8;
  // Skip ordered sets: 4 of every 1538 bytes. Acknowledges and credits ride in the same share.
  megabytes_per_second_ = raw - raw * 4 / 1538;
}

Time Wire::write(std::uint64_t bytes) const {
  return common::transfer_time(bytes + kWriteOverhead * pieces(bytes, config_.max_payload_bytes),
                               megabytes_per_second_);
}

Time Wire::read_request(std::uint64_t bytes) const {
  return common::transfer_time(kReadRequestBytes * requests(bytes), megabytes_per_second_);
}

std::uint64_t Wire::requests(std::uint64_t bytes) const {
  return pieces(bytes, config_.max_read_request_bytes);
}

Time Wire::completion(std::uint64_t bytes) const {
  return common::transfer_time(
      bytes + kCompletionOverhead * pieces(bytes, config_.max_payload_bytes),
      megabytes_per_second_);
}

}  // namespace fenceline::pcie
