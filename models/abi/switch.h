#pragma once

#include <array>
#include <cstddef>

/// Declaration of ordering switches. A switch is declared once, next to the code that uses it.
/// Scenario keys, schema, cure search, matrix and documentation pages follow from the declaration.
///
/// A group of switches is a struct with one member per switch and
///
///   template <class V, class T> static void switches(V& v, T& t)
///
/// which calls one of these for each member:
///
///   v.mechanism(name, member, values, doc)  values from the weakest design to the strongest
///   v.variant(name, member, values, doc)    values of which none is stronger than another
///
/// Plain C++, because hardware, driver and operating system have switches.
namespace fenceline::abi {

/// Breaks of a value with which no invariant breaks, unless other switches are weak too.
constexpr const char* kNothing = "";

/// One value of a switch.
template <class T>
struct SwitchValue {
  const char* word;  ///< word in a scenario; "true", "false" and numbers stand for themselves
  T value;           ///< value that the model reads
  const char*
      meaning;  ///< behaviour of a machine with this value; empty: see the doc of the switch
  /// Invariants that may break if all other switches have their defaults, such as "I1 I7"; also
  /// HANG and BUG_CHECK. The default needs none.
  const char* breaks = kNothing;
};

template <class T, std::size_t N>
using SwitchValues = std::array<SwitchValue<T>, N>;

/// Values of a mechanism that is present when the switch is true. @param without behaviour of a
/// machine without the mechanism. @param breaks as SwitchValue::breaks, of the machine without it
constexpr SwitchValues<bool, 2> when_true(const char* without, const char* breaks) {
  return {{{"false", false, without, breaks}, {"true", true, "", kNothing}}};
}
/// Values of a freedom that is used when the switch is true. @param without behaviour of the
/// stronger machine, which does not use it. @param breaks of the machine that uses it
constexpr SwitchValues<bool, 2> when_false(const char* without, const char* breaks) {
  return {{{"true", true, "", breaks}, {"false", false, without, kNothing}}};
}

}  // namespace fenceline::abi
