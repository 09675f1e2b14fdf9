#pragma once

#include <cstdint>
#include <type_traits>

#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

/// Turns the keys that a configuration declares into fields: see models/abi/keys.h.
/// @tparam Shape shape of a configuration inside this one. @tparam kRequired keys must be present
template <template <class> class Shape, class V, bool kRequired = false>
class Keys {
 public:
  struct TimeRange {
    std::uint64_t min = 0;
    std::uint64_t max = kMaxTime;
  };
  struct SizeRange {
    std::uint64_t min = 0;
    std::uint64_t max = 0;
    std::uint64_t multiple = 1;
    bool power_of_two = false;
  };

  explicit Keys(V& v) : v_(v) {}
  Keys<Shape, V, true> required() { return Keys<Shape, V, true>(v_); }

  template <class T>
  void flag(const char* key, T& member, const char* doc) {
    add(key, member, BooleanCodec{}, doc);
  }
  template <class T>
  void number(const char* key, T& member, const IntegerCodec& range, const char* doc) {
    add(key, member, range, doc);
  }
  template <class T>
  void duration(const char* key, T& member, const TimeRange& range, const char* doc) {
    add(key, member, scenario::duration(range.min, range.max), doc);
  }
  template <class T>
  void duration(const char* key, T& member, const char* doc) {
    duration(key, member, TimeRange{}, doc);
  }
  template <class T>
  void size(const char* key, T& member, const SizeRange& range, const char* doc) {
    add(key, member, scenario::size(range.min, range.max, range.multiple, range.power_of_two), doc);
  }
  template <class T>
  void rate(const char* key, T& member, const char* doc) {
    add(key, member, scenario::rate(), doc);
  }
  template <class T>
  void frequency(const char* key, T& member, const char* doc) {
    add(key, member, scenario::frequency(), doc);
  }
  template <class T, class Choices>
  void choice(const char* key, T& member, const Choices& choices, const char* doc) {
    add(key, member, scenario::choice(choices), doc);
  }
  template <class T>
  void name(const char* key, T& member, const char* doc) {
    add(key, member, scenario::name(), doc);
  }
  template <class T>
  void address(const char* key, T& member, const char* doc) {
    add(key, member, ValueCodec{}, doc);
  }
  template <class T>
  void segments(const char* key, T& member, const char* doc) {
    add(key, member, SegmentsCodec{}, doc);
  }
  template <class T>
  void object(const char* key, T& member, const char* doc) {
    add(key, member, ObjectCodec<Shape<std::remove_const_t<T>>>{}, doc);
  }
  template <class T>
  void list(const char* key, T& member, std::size_t min, std::size_t max, const char* doc) {
    add(key, member, scenario::list(ObjectCodec<Shape<typename T::value_type>>{}, min, max), doc);
  }

 private:
  template <class T, class C>
  void add(const char* key, T& member, const C& codec, const char* doc) {
    if constexpr (kRequired)
      v_.required(key, member, codec, doc);
    else
      v_.field(key, member, codec, doc);
  }

  V& v_;
};

/// Options of software, with the defaults that its configuration has.
template <class Config>
struct OptionsShape {
  using Type = Config;
  static constexpr const char* kName = Config::kName;
  template <class V, class T>
  static void fields(V& v, T& t) {
    Keys<scenario::OptionsShape, V> keys(v);
    Config::keys(keys, t);
  }
};

template <class Config>
struct HardwareShape;

/// The keys of hardware as fields of a shape.
template <class Config, class V, class T>
void hardware_fields(V& v, T& t) {
  Keys<HardwareShape, V> keys(v);
  Config::keys(keys, t);
}

/// A block of hardware, with defaults from a profile.
template <class Config>
struct HardwareShape : FromProfile {
  using Type = Config;
  static constexpr const char* kName = Config::kName;
  template <class V, class T>
  static void fields(V& v, T& t) {
    hardware_fields<Config>(v, t);
  }
};

}  // namespace fenceline::scenario
