// Measures one figure of a PCIe device on a host, as the pcie-bench study does on real ones: reads
// a job from stdin, writes the result to stdout as one line of JSON. See docs/background/pcie.md.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <systemc>

#include "tb/app/pcie_bench/inputs.h"

namespace {

using fenceline::common::Time;
using Json = nlohmann::ordered_json;

double nanoseconds(Time time) { return static_cast<double>(time) / 1000; }

/// The sample that `share` of all do not exceed.
double quantile(const std::vector<Time>& sorted, double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return nanoseconds(sorted[static_cast<std::size_t>(std::lround(share * last))]);
}

Json summary(std::vector<Time> samples) {
  std::sort(samples.begin(), samples.end());
  const Time sum = std::accumulate(samples.begin(), samples.end(), Time{0});
  return {{"avg", nanoseconds(sum) / static_cast<double>(samples.size())},
          {"median", quantile(samples, 0.5)},
          {"min", nanoseconds(samples.front())},
          {"max", nanoseconds(samples.back())},
          {"p95", quantile(samples, 0.95)},
          {"p99_9", quantile(samples, 0.999)}};
}

}  // namespace

int sc_main(int argc, char* /*argv*/[]) {
  if (argc != 1) {
    std::cerr << "usage: fenceline_measure <JOB.json\n";
    return 2;
  }
  try {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    const fenceline::pcie_bench::Job job = fenceline::pcie_bench::read_job(text);
    const auto result = fenceline::pcie_bench::measure(job.machine, job.measurement);
    std::cout << (result.latencies.empty()
                      ? Json{{"gbit_per_second", result.bytes_per_second * 8e-9}}
                      : summary(result.latencies))
              << '\n';
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 2;
  }
}
