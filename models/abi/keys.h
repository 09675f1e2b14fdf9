#pragma once

#include <array>
#include <cstddef>

/// Declaration of configuration keys. A key is declared once, beside the member that it sets. The
/// scenario format, its schema and the profiles follow from the declaration.
///
/// A configuration is a struct with a name for its schema definition, kName, and
///
///   template <class V, class T> static void keys(V& v, T& t)
///
/// which calls one of these for each member that has a key:
///
///   v.flag(key, member, doc)
///   v.number(key, member, {min, max, power_of_two}, doc)
///   v.duration(key, member, {min, max}, doc)  without {}: any duration
///   v.size(key, member, {min, max, multiple, power_of_two}, doc)
///   v.rate(key, member, doc)
///   v.frequency(key, member, doc)
///   v.choice(key, member, choices, doc)
///   v.name(key, member, doc)
///   v.address(key, member, doc)
///   v.segments(key, member, doc)  set of memory segments
///   v.object(key, member, doc)    another configuration
///   v.list(key, member, min, max, doc)  a list of configurations
///
/// v.required() has the same functions, for keys that must be present.
///
/// Plain C++, because hardware, driver and operating system have configurations.
namespace fenceline::abi {

/// One word of a key with a fixed set of words.
template <class E>
struct Choice {
  const char* text;
  E value;
};

/// The word of a value; null if there is none.
template <class E, std::size_t N>
constexpr const char* word_of(const std::array<Choice<E>, N>& choices, E value) {
  for (const Choice<E>& choice : choices) {
    if (choice.value == value) return choice.text;
  }
  return nullptr;
}

}  // namespace fenceline::abi
