#pragma once

#include <array>
#include <cstddef>

/// How an ordering switch is declared: once, beside what it switches. Scenario keys, schema, the
/// search for what would prevent a violation, the matrix and the pages follow from that.
///
/// A group of switches is a struct with a member for each, and
///
///   template <class V, class T> static void switches(V& v, T& t)
///
/// which calls for each member one of
///
///   v.mechanism(name, member, values, doc)  values from the weakest design to the strongest
///   v.variant(name, member, values, doc)    values of which none is stronger than another
///
/// Plain C++, since hardware, driver and operating system have switches.
namespace fenceline::abi {

/// A value of a switch.
template <class T>
struct SwitchValue {
  const char* word;     ///< in a scenario; "true", "false" and numbers stand for themselves
  T value;              ///< that the model reads
  const char* meaning;  ///< what a machine with it does; empty: what the switch's doc says
};

template <class T, std::size_t N>
using SwitchValues = std::array<SwitchValue<T>, N>;

/// A mechanism that is there when the switch is true. @param without what a machine without it
/// does.
constexpr SwitchValues<bool, 2> when_true(const char* without) {
  return {{{"false", false, without}, {"true", true, ""}}};
}
/// A freedom that is taken when the switch is true. @param without what the stronger machine does,
/// which does not take it.
constexpr SwitchValues<bool, 2> when_false(const char* without) {
  return {{{"true", true, ""}, {"false", false, without}}};
}

}  // namespace fenceline::abi
