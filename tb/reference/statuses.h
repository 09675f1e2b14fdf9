#pragma once

#include <set>
#include <string>

#include "tb/reference/values.h"

namespace fenceline::reference {

/// Statuses that the call of a step may return; empty: not judged.
std::set<std::string> statuses_of(const Analysis& analysis, Ref step);

/// The reason why nothing is said about a program in which a call may be refused; empty: none.
std::string call_misuse(const Analysis& analysis);

}  // namespace fenceline::reference
