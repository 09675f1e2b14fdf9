// A DMA device on a host of two sockets: what each part adds to a figure.
#include <catch2/catch.hpp>

#include "tb/app/pcie_bench/measure.h"

namespace fenceline::integration_tests::test_pcie_bench {

using fenceline::common::kNanosecond;
using fenceline::common::Time;
using fenceline::pcie_bench::Kind;
using fenceline::pcie_bench::MachineConfig;
using fenceline::pcie_bench::measure;
using fenceline::pcie_bench::Measurement;

namespace {

constexpr Time kPropagation = 200 * kNanosecond, kMemory = 50 * kNanosecond;

/// A device and a host that take no time of their own, so that the link is what counts.
MachineConfig plain() {
  MachineConfig config;
  config.link.generation = 3;
  config.link.width_lanes = 8;  // 7877 MB/s, less 4 of 1538: 7857
  config.link.propagation = kPropagation;
  config.link.pipelined_reads = true;
  config.system_memory.latency = kMemory;
  config.system_memory.bandwidth_mbps = 10'000'000;
  config.device.bus_mbps = config.device.store_mbps = 10'000'000;
  config.vram.size_bytes = 1 << 20;
  config.vram.latency = 0;
  return config;
}

Measurement of(Kind kind, std::uint64_t bytes) {
  Measurement what;
  what.kind = kind;
  what.bytes = bytes;
  what.samples = kind == Kind::kReadBandwidth || kind == Kind::kWriteBandwidth ? 2000 : 10;
  return what;
}

double nanoseconds(const MachineConfig& config, const Measurement& what) {
  return static_cast<double>(measure(config, what).latencies.back()) / 1000;
}

double gigabytes(const MachineConfig& config, const Measurement& what) {
  return measure(config, what).bytes_per_second / 1e9;
}

}  // namespace

TEST_CASE("a read of a warm line takes a round trip and the wire", "[pcie_bench]") {
  const double wire = (24 + 64 + 20) / 7.857;
  CHECK(nanoseconds(plain(), of(Kind::kReadLatency, 64)) == Approx(400 + wire).margin(0.5));
}

TEST_CASE("a read of a cold line waits for memory too", "[pcie_bench]") {
  Measurement what = of(Kind::kReadLatency, 64);
  what.warm = false;
  CHECK(nanoseconds(plain(), what) == Approx(400 + 108 / 7.857 + 50).margin(0.5));
}

TEST_CASE("a read of memory of the other socket makes a hop", "[pcie_bench]") {
  MachineConfig config = plain();
  config.sockets.hop = 60 * kNanosecond;
  Measurement what = of(Kind::kReadLatency, 64);
  what.buffer_socket = what.core_socket = 1;
  CHECK(nanoseconds(config, what) == Approx(400 + 108 / 7.857 + 50 + 60).margin(0.5));
}

TEST_CASE("a device reads its own writes from the cache next to it", "[pcie_bench]") {
  MachineConfig config = plain();
  Measurement what = of(Kind::kWriteReadLatency, 64);
  what.buffer_socket = what.core_socket = 1;
  const double wire = (64 + 24 + 24 + 64 + 20) / 7.857;
  CHECK(nanoseconds(config, what) == Approx(400 + wire).margin(0.5));
}

TEST_CASE("writes reach the rate of the wire minus their headers", "[pcie_bench]") {
  CHECK(gigabytes(plain(), of(Kind::kWriteBandwidth, 256)) ==
        Approx(7.857 * 256 / 280).epsilon(0.01));
}

TEST_CASE("a write longer than Max_Payload_Size has one header per piece", "[pcie_bench]") {
  CHECK(gigabytes(plain(), of(Kind::kWriteBandwidth, 2048)) ==
        Approx(7.857 * 2048 / (2048 + 8 * 24)).epsilon(0.01));
}

TEST_CASE("data credits bound the writes on their way", "[pcie_bench]") {
  MachineConfig config = plain();
  config.link.posted_data_credits = 16;  // one write of 256 bytes
  CHECK(gigabytes(config, of(Kind::kWriteBandwidth, 256)) ==
        Approx(256 / (200 + 280 / 7.857)).epsilon(0.01));
}

TEST_CASE("tags bound the reads under way", "[pcie_bench]") {
  MachineConfig config = plain();
  config.link.tags = 4;
  CHECK(gigabytes(config, of(Kind::kReadBandwidth, 64)) ==
        Approx(4 * 64 / (400 + 108 / 7.857)).epsilon(0.02));
}

TEST_CASE("acknowledges and a gap per request slow reads down", "[pcie_bench]") {
  MachineConfig config = plain();
  config.link.data_link_packets = true;
  config.link.completion_gap = 4 * kNanosecond;
  const double rate = 7.877 * (1 - 16.0 / 203 - 4.0 / 1538);
  CHECK(gigabytes(config, of(Kind::kReadBandwidth, 512)) ==
        Approx(512 / (552 / rate + 4)).epsilon(0.01));
}

TEST_CASE("a core reads device memory a few lines at a time", "[pcie_bench]") {
  MachineConfig config = plain();
  config.core.loads = 4;
  const double round = 400 + 108 / 7.857;
  CHECK(nanoseconds(config, of(Kind::kCoreRead, 8 * 64)) == Approx(2 * round).epsilon(0.06));
}

TEST_CASE("writes of a core are bound by the link when the credits are used up", "[pcie_bench]") {
  MachineConfig config = plain();
  config.core.write_combining.evict = config.core.write_combining.flush = 1 * kNanosecond;
  config.core.write_combining.fence = 0;
  const double line = 88 / 7.857;
  CHECK(nanoseconds(config, of(Kind::kCoreWrite, 1 << 18)) == Approx(4096 * line).epsilon(0.02));
}

TEST_CASE("a flag crosses to the device and another flag comes back", "[pcie_bench]") {
  MachineConfig config = plain();
  config.core.write_combining.flush = config.core.write_combining.fence = 0;
  config.vram.latency = 100 * kNanosecond;
  const double there_and_back = nanoseconds(config, of(Kind::kPingPong, 4));
  CHECK(there_and_back > 2 * 200 + 100);
  CHECK(there_and_back < 2 * 200 + 100 + 2 * 100 + 2 * 50);
}

}  // namespace fenceline::integration_tests::test_pcie_bench
