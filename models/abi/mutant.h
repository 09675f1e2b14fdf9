#pragma once

#include <cstdint>
#include <utility>

/// Deliberate faults in the model. They show that the checkers, the search and campaigns find real
/// bugs. In a build without FENCELINE_MUTANTS there are none: mutant() is a constant and the code
/// that it guards is not compiled. Plain C++, because hardware, driver and operating system all ask
/// for it.
namespace fenceline::abi {

/// A fault that one line of the code makes; see models/abi/mutants.def. A fault that an ordering
/// switch already makes is not listed.
enum class Mutant : std::uint8_t {
  kNone,
#define FAULT(name, room, fault, what, scenario) fault,
#include "models/abi/mutants.def"
};

#ifdef FENCELINE_MUTANTS
constexpr bool kMutants = true;
inline Mutant active_mutant = Mutant::kNone;
inline bool mutant_reached = false;
/// Call this before the machine is built.
inline void set_mutant(Mutant fault) { active_mutant = fault; }
/// True if the line with the active fault has run since the last call, in this process.
inline bool take_reached() { return std::exchange(mutant_reached, false); }
/// True if the model must make this fault.
inline bool mutant(Mutant fault) {
  if (active_mutant != fault) return false;
  mutant_reached = true;
  return true;
}
#else
constexpr bool kMutants = false;
inline void set_mutant(Mutant /*fault*/) {}
constexpr bool take_reached() { return false; }
constexpr bool mutant(Mutant /*fault*/) { return false; }
#endif

}  // namespace fenceline::abi
