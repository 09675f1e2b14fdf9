#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/app/pcie_bench/machine.h"

namespace fenceline::pcie_bench {

/// Measured quantity. Names of DMA tests are those of the pcie-bench study.
enum class Kind : std::uint8_t {
  kReadLatency,       ///< LAT_DMA_RD: one DMA read after the other
  kWriteReadLatency,  ///< LAT_DMA_WRRD: a DMA write, then a read of the same
  kCommandLatency,    ///< LAT_CMD_RD: a read without the DMA engine
  kReadBandwidth,     ///< BW_DMA_RD: many DMA reads at once
  kWriteBandwidth,    ///< BW_DMA_WR
  kBothBandwidth,     ///< BW_DMA_RW: reads and writes in turn; the figure is of one direction
  kCoreWrite,         ///< BAR_W: a core writes device memory by a write-combined mapping
  kCoreRead,          ///< BAR_R: a core reads it
  kPingPong           ///< BAR_PINGPONG: a flag to the device and one back
};

struct Measurement {
  Kind kind = Kind::kReadLatency;
  std::uint64_t bytes = 64;           ///< of one transfer, 1 byte to 16 MiB
  std::uint64_t window_bytes = 8192;  ///< host memory that transfers are spread over
  bool warm = true;                   ///< a core has written the window just before
  std::uint32_t buffer_socket = 0;    ///< whose memory the window is
  std::uint32_t core_socket = 0;      ///< whose core warms the window
  std::uint32_t samples = 400;        ///< transfers that count
  std::uint32_t workers = 96;         ///< transfers at once, of a bandwidth
  Time clock_tick = 1;                ///< [ps] of the time stamps
};

/// Result: latencies [ps], one a sample, or one bandwidth [bytes/s].
struct Samples {
  std::vector<Time> latencies;
  double bytes_per_second = 0;
};

/// Runs a measurement on a machine of its own. Once a process: it starts the simulation.
Samples measure(const MachineConfig& config, const Measurement& what);

}  // namespace fenceline::pcie_bench
