#include "tb/run/machine/step_checks.h"

#include "kmd_stub/wddm/names.h"

namespace fenceline::run {

void StepChecks::check_status(const std::string& pointer, const std::string& call, NTSTATUS status,
                              const std::optional<std::string>& wanted) {
  const char* found = fenceline::wddm::status_name(status);
  if (wanted)
    check(pointer, call + " returns " + *wanted, found, *wanted == found);
  else if (!NT_SUCCESS(status))
    check(pointer, call + " succeeds", found, false);
}

void StepChecks::check(const std::string& pointer, const std::string& text,
                       const std::string& found, bool holds) {
  const auto [at, fresh] = checked_.try_emplace(pointer);
  if (fresh || at->second.holds) at->second = {pointer, text, found, holds};
}

}  // namespace fenceline::run
