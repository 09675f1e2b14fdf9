// Jobs of the program that measures PCIe figures, and what is wrong with some.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "tb/app/pcie_bench/inputs.h"

namespace fenceline::bench_tests::test_pcie_bench_inputs {

using fenceline::pcie_bench::Job;
using fenceline::pcie_bench::Kind;
using fenceline::pcie_bench::read_job;

namespace {

std::string complaint(const std::string& text) {
  try {
    read_job(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

const std::string kMeasure = R"("measure": {"kind": "LAT_DMA_RD"})";

}  // namespace

TEST_CASE("a job takes defaults for fields that it leaves out", "[pcie_bench]") {
  const Job job = read_job(R"({"link": {"propagation_ns": 1.5, "pipelined_reads": true},
      "iommu": {"translates": true, "walk_ns": 7}, "measure": {"kind": "BW_DMA_RW", "bytes": 128}})");
  CHECK(job.machine.link.propagation == 1500);
  CHECK(job.machine.link.pipelined_reads);
  CHECK(job.machine.link.width_lanes == 16);
  CHECK(job.machine.iommu.translates);
  CHECK(job.machine.iommu.walk == 7000);
  CHECK(job.measurement.kind == Kind::kBothBandwidth);
  CHECK(job.measurement.bytes == 128);
}

TEST_CASE("a complaint about a job names the place", "[pcie_bench]") {
  CHECK(complaint("{" + kMeasure + "}").empty());
  CHECK(complaint("{" + kMeasure + R"(, "lnik": {}})") == "/lnik: unknown key");
  CHECK(complaint("{" + kMeasure + R"(, "link": {"lanes": 8}})") == "/link/lanes: unknown key");
  CHECK(complaint("{" + kMeasure + R"(, "link": {"tags": 0}})") ==
        "/link/tags: expected a whole number from 1 to 1024");
  CHECK(complaint("{" + kMeasure + R"(, "link": {"propagation_ns": -1}})") ==
        "/link/propagation_ns: expected nanoseconds from 0 to 1e9");
  CHECK(complaint("{" + kMeasure + R"(, "iommu": {"translates": 1}})") ==
        "/iommu/translates: expected true or false");
  CHECK(complaint("{" + kMeasure + R"(, "sockets": 1})") == "/sockets: expected an object");
  CHECK(complaint("{}") == "/measure/kind: is missing");
  CHECK(complaint(R"({"measure": {"kind": "LAT_DMA_RD", "bytes": 128, "window_bytes": 64}})") ==
        "/measure/window_bytes: is less than one transfer");
  CHECK(complaint("[]") == "/: expected an object");
  CHECK(complaint("{").find("line 1, column 2") != std::string::npos);
}

}  // namespace fenceline::bench_tests::test_pcie_bench_inputs
