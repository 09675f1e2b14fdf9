#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "models/common/time.h"
#include "models/common/trigger.h"

namespace fenceline::pcie {

using common::Time;

/// An error on a link, for tests of the error handling.
struct LinkFault {
  event::LinkFaultKind kind = event::LinkFaultKind::kReplay;
  bool up = true;  ///< from the device to the host, as for all messages
  Time delay = 0;  ///< [ps] kMessageLate: extra delay; kReplay: time until the packet is sent again
  common::Trigger when;  ///< counts messages, or with kReplay the packets of the direction
};

/// The link between root complex and endpoint. Both directions have the same parameters. Source:
/// PCIe base specification for rates, encodings and header sizes.
struct LinkConfig {
  std::uint32_t generation = 4;           ///< 1 to 6
  std::uint32_t width_lanes = 16;         ///< 1, 2, 4, 8 or 16
  std::uint32_t max_payload_bytes = 256;  ///< Max_Payload_Size: 128 to 4096, a power of two
  std::uint32_t max_read_request_bytes =
      512;                                   ///< Max_Read_Request_Size: 128 to 4096, a power of two
  std::uint32_t posted_header_credits = 64;  ///< posted TLPs in flight per direction
  std::uint32_t posted_data_credits =
      0;  ///< [16 bytes] posted payload in flight per direction; 0: no limit except by headers
  std::uint32_t tags = 256;        ///< outstanding requests per direction; a read longer than
                                   ///< Max_Read_Request_Size takes several tags, a write one
  bool data_link_packets = false;  ///< acknowledges and credit updates use wire time, at the lowest
                                   ///< rate that the specification allows
  bool pipelined_reads = false;  ///< a read travels while the posted writes ahead of it do, as on a
                                 ///< real link; off: it starts when they have arrived; A-406
  Time completion_gap = 0;       ///< [ps] idle wire time before the answer to a request; A-404
  Time propagation =
      250 * common::kNanosecond;  ///< one way through root complex, PHYs and endpoint; A-40
  bool no_snoop = false;          ///< requests to the host carry NS=1
  std::vector<LinkFault> faults;  ///< for one packet the first fault that matches applies
};

/// The VRAM BAR as set by firmware, and the sizes that it can have.
struct VramBarConfig {
  std::uint64_t bytes = 0;  ///< set by firmware: a power of two from 1 MiB; 0: all of VRAM
  /// Largest size in the device's resizable-BAR capability; 0: no such capability. All sizes from
  /// `bytes` up are listed too.
  std::uint64_t largest_bytes = 0;
  std::uint64_t window_bytes = 0;  ///< space that the bridge above can assign; 0: enough
};

/// Bus addresses of the BARs.
struct BarMap {
  std::uint64_t registers = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t vram = 0;
  std::uint64_t vram_bytes = 0;     ///< size of the VRAM BAR at power-on
  std::uint64_t configuration = 0;  ///< the function's page in the configuration window (ECAM)
};

}  // namespace fenceline::pcie
