#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "models/common/time.h"
#include "models/common/trigger.h"

namespace fenceline::pcie {

using common::Time;

/// Something that goes wrong on a link, for tests of what the rest makes of it.
struct LinkFault {
  common::LinkFaultKind kind = common::LinkFaultKind::kReplay;
  bool up = true;  ///< from the device to the host, as all messages
  Time delay =
      0;  ///< [ps] kMessageLate: on top of the way; kReplay: until the packet is sent again
  common::Trigger when;  ///< among the messages, or (kReplay) the packets of the direction
};

/// One link between root complex and endpoint. Both directions are alike.
/// Source: PCIe base specification for rates, encodings and header sizes.
struct LinkConfig {
  std::uint32_t generation = 4;           ///< 1 to 6
  std::uint32_t width_lanes = 16;         ///< 1, 2, 4, 8 or 16
  std::uint32_t max_payload_bytes = 256;  ///< Max_Payload_Size: 128 to 4096, a power of two
  std::uint32_t max_read_request_bytes =
      512;                                   ///< Max_Read_Request_Size: 128 to 4096, a power of two
  std::uint32_t posted_header_credits = 64;  ///< posted TLPs in flight a direction
  std::uint32_t posted_data_credits =
      0;  ///< [16 bytes] of posted payload in flight a direction; 0: as much as the headers allow
  std::uint32_t tags = 256;  ///< requests without an answer a direction; a read takes several if
                             ///< it is longer than Max_Read_Request_Size, a write one
  bool data_link_packets = false;  ///< acknowledges and credit updates take their share of the
                                   ///< wire, at the rate that the specification allows at the least
  bool pipelined_reads = false;  ///< a read travels while the posted writes ahead of it do, as on a
                                 ///< real link; off: it sets out when they have arrived; A-406
  Time completion_gap = 0;  ///< [ps] idle time of the wire before what answers a request; A-404
  Time propagation =
      250 * common::kNanosecond;  ///< one way, through root complex, PHYs and endpoint; A-40
  bool no_snoop = false;          ///< requests to the host carry NS=1
  std::vector<LinkFault> faults;  ///< at one packet the first that fits counts
};

/// The BAR of VRAM as firmware left it, and what it may become.
struct VramBarConfig {
  std::uint64_t bytes = 0;  ///< set by firmware: a power of two from 1 MiB on; 0: all of VRAM
  /// Largest size that the device's resizable-BAR capability lists; 0: it has no such capability.
  /// The sizes from `bytes` on are listed too.
  std::uint64_t largest_bytes = 0;
  std::uint64_t window_bytes = 0;  ///< room that the bridge above can give it; 0: enough
};

}  // namespace fenceline::pcie
