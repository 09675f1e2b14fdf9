#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
inline std::array<bool, 256> mutant_reached{};
/// Call this before the machine is built.
inline void set_mutant(Mutant fault) { active_mutant = fault; }
/// No line has run since this call.
inline void forget_reached() { mutant_reached.fill(false); }
/// True if the line with the fault has run in this process, whether the fault is active or not.
inline bool reached(Mutant fault) { return mutant_reached[static_cast<std::size_t>(fault)]; }
/// True if the model must make this fault.
inline bool mutant(Mutant fault) {
  mutant_reached[static_cast<std::size_t>(fault)] = true;
  return active_mutant == fault;
}
#else
constexpr bool kMutants = false;
inline void set_mutant(Mutant /*fault*/) {}
inline void forget_reached() {}
constexpr bool reached(Mutant /*fault*/) { return false; }
constexpr bool mutant(Mutant /*fault*/) { return false; }
#endif

}  // namespace fenceline::abi
