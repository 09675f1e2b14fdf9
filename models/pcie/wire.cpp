#include "models/pcie/wire.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace fenceline::pcie {

namespace {

constexpr std::uint64_t kWriteOverhead = 24;     ///< [bytes] framing, sequence, LCRC, 64-bit header
constexpr std::uint64_t kReadRequestBytes = 24;  ///< [bytes]
constexpr std::uint64_t kCompletionOverhead = 20;  ///< [bytes]

/// Usable megabits per second and lane, after encoding.
constexpr std::array<std::uint64_t, 6> kLaneMegabits{2000, 4000, 7877, 15754, 31508, 60500};

constexpr std::uint64_t kDataLinkPacketBytes = 8;  ///< [bytes] an acknowledge or a credit update

/// Largest number of bytes before the receiver must send an acknowledge and a credit update. Rows:
/// lane counts. Columns: Max_Payload_Size of 128, 256, and 512 or more. Source: PCIe base
/// specification 5.0, tables of the ACK latency limit and of the UpdateFC guideline, which have the
/// same numbers.
using Limits = std::array<std::array<std::uint64_t, 3>, 4>;
constexpr std::array<Limits, 3> kAcknowledgeLimits{{
    {{{237, 416, 559}, {73, 118, 154}, {67, 107, 86}, {48, 72, 86}}},       // generation 1
    {{{288, 467, 610}, {124, 169, 205}, {118, 158, 137}, {99, 123, 137}}},  // 2
    {{{333, 512, 655}, {169, 214, 250}, {163, 203, 182}, {144, 168, 182}}}  // 3 and later
}};

std::uint64_t acknowledge_limit(const LinkConfig& config) {
  const std::size_t generation = std::min<std::size_t>(config.generation, 3) - 1;
  const std::size_t lanes = config.width_lanes >= 16  ? 3
                            : config.width_lanes >= 8 ? 2
                            : config.width_lanes >= 4 ? 1
                                                      : 0;
  const std::size_t payload = config.max_payload_bytes >= 512   ? 2
                              : config.max_payload_bytes >= 256 ? 1
                                                                : 0;
  return kAcknowledgeLimits[generation][lanes][payload];
}

constexpr std::uint64_t pieces(std::uint64_t bytes, std::uint64_t max) {
  return bytes == 0 ? 1 : (bytes + max - 1) / max;
}

}  // namespace

Wire::Wire(const LinkConfig& config) : config_(config) {
  if (config.generation < 1 || config.generation > kLaneMegabits.size())
    throw std::invalid_argument("PCIe generation must be 1 to 6");
  const std::uint64_t raw = kLaneMegabits[config.generation - 1] * config.width_lanes / 8;
  // Skip ordered sets: 4 of every 1538 bytes. Without data_link_packets this share also covers
  // acknowledges and credits.
  megabytes_per_second_ = raw - raw * 4 / 1538;
  if (config.data_link_packets)
    megabytes_per_second_ -= raw * 2 * kDataLinkPacketBytes / acknowledge_limit(config);
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
             megabytes_per_second_) +
         config_.completion_gap * requests(bytes);
}

}  // namespace fenceline::pcie
