#pragma once

#include <map>
#include <optional>
#include <string>

#include "kmd_stub/wddm/base.h"
#include "tb/report/record/run_report.h"

namespace fenceline::run {

/// Demands of the steps of a scenario, and their results.
class StepChecks {
 public:
  /// Checks the status of a call made at `pointer`. @param wanted its name; without: no error.
  void check_status(const std::string& pointer, const std::string& call, NTSTATUS status,
                    const std::optional<std::string>& wanted);
  /// Something that a step at `pointer` demands. Of several at one place a broken one counts.
  void check(const std::string& pointer, const std::string& text, const std::string& found,
             bool holds);
  /// So far, by pointer.
  const std::map<std::string, report::Expected>& all() const { return checked_; }

 private:
  std::map<std::string, report::Expected> checked_;
};

}  // namespace fenceline::run
