#include <cstdio>
#include <systemc>

#include "fenceline_version.h"
#include "models/common/steps/time.h"

int sc_main(int /*argc*/, char* /*argv*/[]) {
  const auto nanoseconds =
      fenceline::common::transfer_time(64, 1'000) / fenceline::common::kNanosecond;
  std::printf("fenceline %s: 64 bytes at 1 GB/s take %llu ns\n", FENCELINE_VERSION,
              static_cast<unsigned long long>(nanoseconds));
  return nanoseconds == 64 ? 0 : 1;
}
