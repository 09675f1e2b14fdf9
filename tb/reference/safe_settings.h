#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fenceline::reference {

/// The first ordering switch that has a value with which a rule of the documents may break, or "".
/// A weak host needs `isr.load_barrier`, and all other mechanisms.
std::string unsafe_switch(const nlohmann::json& ordering, bool weak_host);
/// The first member of `platform.os` with which an adapter may not start or a rule is removed, or
/// "".
std::string unsafe_system(const nlohmann::json& os);
/// The first member of a driver with which its adapter may not start or it breaks a rule, or "".
std::string unsafe_driver(const nlohmann::json& driver);
/// The first member of a driver with which a reset, or the report of a fault, may end in a bug
/// check or name other work, or "".
std::string unsafe_recovery(const nlohmann::json& driver);

}  // namespace fenceline::reference
