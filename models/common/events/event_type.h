#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "models/common/object_kind.h"

/// Field types, traits and sentences of events: see docs/background/architecture.md, "Events".
namespace fenceline::event {

using common::ObjectKind;

/// Number of an object of this kind in the stream; 0: none.
template <ObjectKind kind>
struct ObjectId {
  std::uint32_t number = 0;

  constexpr ObjectId() = default;
  constexpr ObjectId(std::uint32_t object) : number(object) {}  // NOLINT: it is that number
  constexpr operator std::uint32_t() const { return number; }   // NOLINT
};
using FenceId = ObjectId<ObjectKind::kFence>;
using QueueId = ObjectId<ObjectKind::kQueue>;
using LogId = ObjectId<ObjectKind::kLog>;
using EngineId = ObjectId<ObjectKind::kEngine>;
using CoreId = ObjectId<ObjectKind::kCore>;
using ThreadId = ObjectId<ObjectKind::kThread>;
using AdapterId = ObjectId<ObjectKind::kAdapter>;
using LinkId = ObjectId<ObjectKind::kLink>;
using ProcessId = ObjectId<ObjectKind::kProcess>;
using AllocationId = ObjectId<ObjectKind::kAllocation>;
using CallSiteId = ObjectId<ObjectKind::kCallSite>;
using NoObject = ObjectId<ObjectKind::kNone>;

/// A field with `bits` bits. It shares a word of the record with its neighbours.
template <unsigned bits, class T = std::uint64_t>
struct Part {
  T value{};

  constexpr Part() = default;
  constexpr Part(T field) : value(field) {}  // NOLINT: it is that value
  /// @param object number of an object, if `T` is an ObjectId.
  template <class U,
            class = std::enable_if_t<std::is_same_v<U, std::uint32_t> &&
                                     std::is_convertible_v<U, T> && !std::is_arithmetic_v<T>>>
  constexpr Part(U object) : value(object) {}  // NOLINT: it is that number

  /// An object is read as its number.
  using Read = std::conditional_t<std::is_convertible_v<T, std::uint32_t> && std::is_class_v<T>,
                                  std::uint32_t, T>;
  constexpr operator Read() const { return value; }  // NOLINT
};
/// Skips the remaining bits of this word and the next word.
struct Skip {};
inline constexpr Skip skip{};  // NOLINT(readability-identifier-naming): named as fields are

/// A number that counts over the whole run. It is not part of the compared state.
struct Serial {
  std::uint64_t number = 0;

  constexpr Serial() = default;
  constexpr Serial(std::uint64_t count) : number(count) {}     // NOLINT: it is that number
  constexpr operator std::uint64_t() const { return number; }  // NOLINT
};

/// Properties of a type of event.
enum Trait : unsigned {
  kPlain = 0,
  kStory = 1,     ///< printed in the log of a run
  kOrdered = 2,   ///< its order is part of the state of the search
  kExplains = 4,  ///< printed in the story of a counterexample
  kAdvances = 8   ///< shows progress of the run; polling threads alone do not cause it
};

/// Name and sentence of an event. Placeholders in a sentence:
/// {agent} or {field}: name of the object, or the number;
/// {field:hex}, {field:status}, {field:opcode}, {field:ddi}, {field:label}, {field:c_state},
/// {field:monitored} (a MonitoredValue, or none), {field:acknowledged}, {field:signal} (flags of a
/// signal by the CPU), {field:known} (a fence, or an unknown one): other formats;
/// {field|zero|one|...}: the word with that number.
struct Words {
  const char* name;  ///< stable, lower case; used in events.csv
  unsigned traits;   ///< Trait bits
  const char* sentence;
};

/// Lists the fields of an event in the order of the record. The first is the object that the event
/// is about. Each of the others has its own word, except a Part.
#define FENCELINE_FIELDS(...)                            \
  static constexpr const char* kFields = #__VA_ARGS__;   \
  template <class F>                                     \
  constexpr decltype(auto) with_fields(F&& take) {       \
    return take(__VA_ARGS__);                            \
  }                                                      \
  template <class F>                                     \
  constexpr decltype(auto) with_fields(F&& take) const { \
    return take(__VA_ARGS__);                            \
  }

/// The words of a record: the object, a, b and c.
using Record = std::array<std::uint64_t, 4>;

/// Position of a field in a record.
struct Place {
  unsigned word = 0;
  unsigned shift = 0;
  unsigned bits = 64;

  /// Value of the field in a record.
  constexpr std::uint64_t of(const Record& record) const {
    const std::uint64_t word_bits = record[word] >> shift;
    return bits < 64 ? word_bits & ((1ULL << bits) - 1) : word_bits;
  }
};

namespace detail {

/// Storage of a field of type `T`: a word of its own, unless specialised.
template <class T>
struct Shape {
  static constexpr unsigned kBits = 64;
  static constexpr ObjectKind kObject = ObjectKind::kNone;
  static constexpr bool kSerial = false;
  static constexpr std::uint64_t to_bits(T field) { return static_cast<std::uint64_t>(field); }
  static constexpr T of_bits(std::uint64_t bits) { return static_cast<T>(bits); }
};
template <ObjectKind kind>
struct Shape<ObjectId<kind>> : Shape<std::uint32_t> {
  static constexpr ObjectKind kObject = kind;
};
template <unsigned bits, class T>
struct Shape<Part<bits, T>> : Shape<T> {
  static constexpr unsigned kBits = bits;
  static constexpr std::uint64_t to_bits(const Part<bits, T>& field) {
    return Shape<T>::to_bits(field.value);
  }
};
template <>
struct Shape<Serial> : Shape<std::uint64_t> {
  static constexpr bool kSerial = true;
};

/// Assigns positions to fields in order.
class Cursor {
 public:
  [[gnu::always_inline]] constexpr Place next(unsigned bits) {
    if (shift_ != 0 && shift_ + bits > 64) end_word();
    const Place place{word_, shift_, bits};
    shift_ += bits;
    if (shift_ == 64) end_word();
    return place;
  }
  /// Skips the remaining bits of this word and the next word.
  [[gnu::always_inline]] constexpr void skip() {
    if (shift_ != 0) end_word();
    end_word();
  }

 private:
  [[gnu::always_inline]] constexpr void end_word() {
    ++word_;
    shift_ = 0;
  }

  unsigned word_ = 0;
  unsigned shift_ = 0;
};

// Always inlined: places are then constants, and emitting or reading an event costs a few moves.
template <class T>
[[gnu::always_inline]] inline void put(const T& field, Cursor& cursor, Record& record) {
  if constexpr (std::is_same_v<T, Skip>) {
    cursor.skip();
  } else {
    const Place place = cursor.next(Shape<T>::kBits);
    record[place.word] |= Shape<T>::to_bits(field) << place.shift;
  }
}

template <class T>
[[gnu::always_inline]] inline void take(T& field, Cursor& cursor, const Record& record) {
  if constexpr (std::is_same_v<T, const Skip>) {
    cursor.skip();
  } else {
    field = Shape<T>::of_bits(cursor.next(Shape<T>::kBits).of(record));
  }
}

}  // namespace detail

/// Converts an event to a record.
template <class E>
Record record_of(const E& event) {
  Record record{};
  detail::Cursor cursor;
  event.with_fields([&](const auto&... field) { (detail::put(field, cursor, record), ...); });
  return record;
}

/// Converts a record to an event.
template <class E>
E event_of(const Record& record) {
  E event{};
  detail::Cursor cursor;
  event.with_fields([&](auto&... field) { (detail::take(field, cursor, record), ...); });
  return event;
}

/// A field, for code that does not know the event type.
struct Field {
  std::string_view name;
  Place place;
  ObjectKind object = ObjectKind::kNone;  ///< kind of the object whose number it is
  bool serial = false;                    ///< the field is a Serial
};
constexpr std::size_t kMaxFields = 10;

/// Untyped description of an event type.
struct Description {
  Words words{};
  std::array<Field, kMaxFields> fields{};
  std::size_t count = 0;  ///< number of fields

  /// Kind of the object that the event is about; kNone: none.
  constexpr ObjectKind object() const { return count == 0 ? ObjectKind::kNone : fields[0].object; }
  constexpr bool is(Trait trait) const { return (words.traits & trait) != 0; }
};

namespace detail {

/// Returns the text up to the next comma and removes it from `rest`.
constexpr std::string_view next_name(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view name = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  return name;
}

template <class T>
constexpr void describe_field(std::string_view& names, Cursor& cursor, Description& all) {
  const std::string_view name = next_name(names);
  if constexpr (std::is_same_v<T, Skip>) {
    cursor.skip();
  } else {
    all.fields[all.count++] = {name, cursor.next(Shape<T>::kBits), Shape<T>::kObject,
                               Shape<T>::kSerial};
  }
}

}  // namespace detail

/// Describes the event type `E`.
template <class E>
constexpr Description description_of() {
  Description all;
  all.words = E::kWords;
  [[maybe_unused]] std::string_view names = E::kFields;
  [[maybe_unused]] detail::Cursor cursor;
  const E event{};
  event.with_fields([&](const auto&... field) {
    (detail::describe_field<std::decay_t<decltype(field)>>(names, cursor, all), ...);
  });
  return all;
}

/// A list of event types.
template <class... E>
struct List {
  static constexpr std::size_t kCount = sizeof...(E);
};

}  // namespace fenceline::event
