#pragma once

#include <string>
#include <vector>

#include "kmd_stub/wddm/base.h"

namespace fenceline::wddm {

/// Names for messages, spelled as in the interface; "unknown" for other values.
const char* status_name(NTSTATUS status);
/// All names of status_name.
std::vector<std::string> status_names();
const char* bug_check_name(ULONG code);

}  // namespace fenceline::wddm
