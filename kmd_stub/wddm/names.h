#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/interrupt.h"

namespace fenceline::wddm {

/// Names for messages, spelled as in the interface; "unknown" for other values.
const char* status_name(NTSTATUS status);
/// All names of status_name, and the reverse lookup.
std::vector<std::string> status_names();
std::optional<NTSTATUS> find_status(const std::string& name);
const char* bug_check_name(ULONG code);
const char* interrupt_type_name(DXGK_INTERRUPT_TYPE type);

}  // namespace fenceline::wddm
