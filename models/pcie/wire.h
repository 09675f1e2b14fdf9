#pragma once

#include <cstdint>

#include "models/pcie/config.h"

namespace fenceline::pcie {

/// Wire time of packets on one direction of a link. Plain arithmetic. Source: PCIe base
/// specification; rates, encodings and header sizes as in docs/assumptions.md.
class Wire {
 public:
  explicit Wire(const LinkConfig& config);

  /// Wire time of a memory write of `bytes`, split at Max_Payload_Size.
  Time write(std::uint64_t bytes) const;
  /// Wire time of the request(s) for a read of `bytes`, split at Max_Read_Request_Size.
  Time read_request(std::uint64_t bytes) const;
  /// Number of requests for a read of `bytes`.
  std::uint64_t requests(std::uint64_t bytes) const;
  /// Wire time of the completion(s) with `bytes`.
  Time completion(std::uint64_t bytes) const;

  /// Usable rate after encoding and link-layer traffic [MB/s].
  std::uint64_t megabytes_per_second() const { return megabytes_per_second_; }

 private:
  LinkConfig config_;
  std::uint64_t megabytes_per_second_;
};

}  // namespace fenceline::pcie
