// Measures preemption on a chip in the same way as published studies: reads a job from stdin and
// writes the result to stdout as one line of JSON. See docs/background/preemption_calibration.md.
#include <iostream>
#include <iterator>
#include <systemc>

#include "tb/app/chip_bench/jobs.h"
#include "tb/scenario/text/diagnostics.h"

int sc_main(int argc, char* /*argv*/[]) {
  if (argc != 1) {
    std::cerr << "usage: fenceline_chip <JOB.json\n";
    return 2;
  }
  try {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    std::cout << std::visit([](const auto& job) { return fenceline::chip_bench::run(job); },
                            fenceline::chip_bench::read_job(text))
              << '\n';
    return 0;
  } catch (const fenceline::scenario::ScenarioError& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 2;
  }
}
