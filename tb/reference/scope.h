#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fenceline::reference {

/// The first reason why the rules of the documents do not decide this scenario; empty: none.
std::string out_of_scope(const nlohmann::json& scenario);

/// Each hold ends when a thread has slept that does nothing else and has a core of its own: it
/// changes the order of what is in no order, and no outcome.
bool holds_end(const nlohmann::json& scenario);

}  // namespace fenceline::reference
