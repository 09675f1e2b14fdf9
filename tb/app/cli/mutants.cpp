#include "tb/app/cli/mutants.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "models/abi/mutant.h"

namespace fenceline::cli {

namespace {

using abi::Mutant;

/// A mutant: a fault in the code, an ordering switch of every scenario, or both.
struct MutantInfo {
  const char* name;
  Mutant fault;
  const char* ordering;  ///< "switch=value"; empty: none
};

constexpr std::array<MutantInfo, 27> kMutantInfos{{
    {"M1", Mutant::kNone, "cmp.mv_barrier=none"},
    {"M2", Mutant::kNone, "gpu.signal_barrier=off"},
    {"M3", Mutant::kNone, "gpu.log_barrier=false"},
    {"M4", Mutant::kLogAfterBarrier, ""},
    {"M5", Mutant::kNone, "cmp.recheck=below"},
    {"M5b", Mutant::kNone, "cmp.recheck=at_least"},
    {"M6", Mutant::kMonitoredIsLowest, ""},
    {"M7", Mutant::kNeverDisarms, ""},
    {"M8", Mutant::kNone, "kmd.umv_ack=false"},
    {"M9", Mutant::kNone, "os.resample=before_ddi"},
    {"M10", Mutant::kNone, "kmd.device_lock=false"},
    {"M11", Mutant::kNone, "isr.ack_first=false"},
    {"M12", Mutant::kMergedIsDropped, ""},
    {"M13", Mutant::kWrongHandle, ""},
    {"M14", Mutant::kNone, "kmd.destroy_drain=0"},
    {"M15", Mutant::kNone, "os.refcount=false"},
    {"M16", Mutant::kNone, "mem.cv64=false"},
    {"M17", Mutant::kNone, "log.hdr64=false"},
    {"M18", Mutant::kIndexBeforeEntry, ""},
    {"M19", Mutant::kNoWrapCount, ""},
    {"M20", Mutant::kOverrunIgnored, ""},
    {"M21", Mutant::kFlushesOtherQueue, ""},
    {"M22", Mutant::kSharedNotZero, ""},
    {"M23", Mutant::kNotPassedOn, ""},
    {"M24", Mutant::kPreemptedWaitPasses, ""},
    {"M25", Mutant::kLogsTwice, ""},
    {"M26", Mutant::kLogsNothing, ""},
}};

}  // namespace

void turn_on_mutant(Options& options) {
  if (options.mutant.empty()) return;
  const auto* const it =
      std::find_if(kMutantInfos.begin(), kMutantInfos.end(),
                   [&](const MutantInfo& info) { return options.mutant == info.name; });
  if (!options.kmd.empty()) throw UsageError("--mutant goes with the built-in driver only");
  if (it == kMutantInfos.end())
    throw UsageError(fmt::format("--mutant: there is no {}; M1 to M26 are there", options.mutant));
  abi::set_mutant(it->fault);
  if (*it->ordering != '\0')
    options.overrides.push_back(fmt::format("/platform/ordering/{}", it->ordering));
}

}  // namespace fenceline::cli
