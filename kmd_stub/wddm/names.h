#pragma once

#include <string>
#include <vector>

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/interrupt.h"

namespace fenceline::wddm {

/// Names for messages, as the interface spells them; "unknown" for a value it does not have.
const char* status_name(NTSTATUS status);
std::vector<std::string> status_names();
const char* bug_check_name(ULONG code);
const char* interrupt_type_name(DXGK_INTERRUPT_TYPE type);

}  // namespace fenceline::wddm
