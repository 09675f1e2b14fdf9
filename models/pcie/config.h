#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "models/common/steps/time.h"
#include "models/common/steps/trigger.h"

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
  static constexpr const char* kName = "link";
  std::uint32_t generation = 4;
  std::uint32_t width_lanes = 16;
  std::uint32_t max_payload_bytes = 256;
  std::uint32_t max_read_request_bytes = 512;
  std::uint32_t posted_header_credits = 64;
  std::uint32_t posted_data_credits =
      0;  ///< [16 bytes] posted payload in flight per direction; 0: no limit except by headers
  std::uint32_t tags = 256;        ///< a read longer than Max_Read_Request_Size takes several tags,
                                   ///< a write one
  bool data_link_packets = false;  ///< acknowledges and credit updates use wire time, at the lowest
                                   ///< rate that the specification allows
  bool pipelined_reads = false;  ///< a read travels while the posted writes ahead of it do, as on a
                                 ///< real link; off: it starts when they have arrived; A-406
  Time completion_gap = 0;       ///< [ps] idle wire time before the answer to a request; A-404
  Time propagation = 250 * common::kNanosecond;  ///< A-40
  bool no_snoop = false;
  std::vector<LinkFault> faults;  ///< for one packet the first fault that matches applies

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.number("generation", t.generation, {1, 6}, "PCIe generation.");
    v.number("width", t.width_lanes, {1, 16, true}, "Number of lanes.");
    v.size("max_payload", t.max_payload_bytes, {128, 4096, 1, true}, "Max_Payload_Size.");
    v.size("max_read_request", t.max_read_request_bytes, {128, 4096, 1, true},
           "Max_Read_Request_Size.");
    v.number("posted_header_credits", t.posted_header_credits, {1, 4096},
             "Posted TLPs in flight per direction.");
    v.number("tags", t.tags, {1, 16384}, "Non-posted requests in flight per direction.");
    v.flag("no_snoop", t.no_snoop,
           "Requests to the host carry No Snoop: its caches do not see them.");
    v.duration("propagation", t.propagation,
               "One-way delay through root complex, PHYs and endpoint.");
  }
};

/// The VRAM BAR as set by firmware, and the sizes that it can have.
struct VramBarConfig {
  static constexpr const char* kName = "vram_bar";
  std::uint64_t bytes = 0;
  std::uint64_t largest_bytes = 0;  ///< all sizes from `bytes` up are listed too
  std::uint64_t window_bytes = 0;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.size("size", t.bytes, {0, 1ULL << 40U, 1 << 20, true},
           "Size set by firmware: a power of two; 0B: all of VRAM.");
    v.size("largest", t.largest_bytes, {0, 1ULL << 40U, 1 << 20, true},
           "Largest size in its resizable-BAR capability; 0B: no such capability.");
    v.size("window", t.window_bytes, {0, 1ULL << 40U, 1 << 20},
           "Space that the bridge above can assign; 0B: enough.");
  }
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
