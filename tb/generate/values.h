#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/generate/draw.h"
#include "tb/scenario/shapes/platform.h"

namespace fenceline::generate {

/// A key whose value is not drawn by its codec, with the reason. `path` is a JSON pointer below
/// /platform without indices; it stands for all keys below it too.
struct FixedKey {
  const char* path;
  const char* reason;
};
/// All of them.
std::vector<FixedKey> fixed_keys();
/// The reason why a key is not drawn; null if it is.
const char* why_fixed(std::string_view path);

// Each codec has a rule to draw a value near the present one, in the range of the codec.

std::uint64_t near_value(Draw& draw, std::uint64_t value, std::uint64_t least, std::uint64_t most,
                         bool power_of_two, std::uint64_t multiple);

inline void draw_value(Draw& draw, const scenario::BooleanCodec&, bool& value) {
  value = draw.chance(50);
}
template <class T>
void draw_value(Draw& draw, const scenario::IntegerCodec& codec, T& value) {
  constexpr std::uint64_t kFew = 16;  // of these, each is as likely as the others
  const bool few = codec.max - codec.min < kFew && !codec.power_of_two;
  value =
      static_cast<T>(few ? draw.between(codec.min, codec.max)
                         : near_value(draw, value, codec.min, codec.max, codec.power_of_two, 1));
}
inline void draw_value(Draw& draw, const scenario::SignedCodec& codec, std::int32_t& value) {
  const auto count = static_cast<std::uint64_t>(codec.max - codec.min);
  value = codec.min + static_cast<std::int32_t>(draw.between(0, count));
}
template <class T>
void draw_value(Draw& draw, const scenario::QuantityCodec& codec, T& value) {
  value = static_cast<T>(
      near_value(draw, value, codec.min, codec.max, codec.power_of_two, codec.multiple));
}
template <class E, std::size_t N>
void draw_value(Draw& draw, const scenario::ChoiceCodec<E, N>& codec, E& value) {
  value = codec.choices[draw.below(N)].value;
}
template <class C, class T>
void draw_value(Draw& draw, const scenario::MaybeCodec<C>& codec, std::optional<T>& value) {
  draw_value(draw, codec.codec, value ? *value : value.emplace());
}

/// Draws values of an object. A new key is drawn by the rule of its codec; a codec without a rule
/// does not compile.
class ValueDrawer : public scenario::FieldVisitor {
 public:
  /// @param percent chance of each value to be drawn. @param path of the object.
  ValueDrawer(Draw& draw, std::uint32_t percent, std::string path)
      : draw_(draw), percent_(percent), path_(std::move(path)) {}

  /// Names and kinds: the plan decides them.
  template <class T, class C>
  void required(const char*, T&, const C&, const char*) {}
  template <class T, class C>
  void field(const char* key, T& member, const C& codec, const char*) {
    const std::string path = path_ + "/" + key;
    if (why_fixed(path) == nullptr) visit(codec, member, path);
  }

 private:
  template <class C, class T>
  void visit(const C& codec, T& member, const std::string&) {
    if (draw_.chance(percent_)) draw_value(draw_, codec, member);
  }
  template <class Shape, class T>
  void visit(const scenario::ObjectCodec<Shape>&, T& member, const std::string& path) {
    ValueDrawer inside(draw_, percent_, path);
    Shape::fields(inside, member);
  }
  template <class Shape, class T>
  void visit(const scenario::ListCodec<scenario::ObjectCodec<Shape>>& codec, std::vector<T>& all,
             const std::string& path) {
    for (T& one : all) visit(codec.codec, one, path);
  }
  // Words, texts and sets have no values that are near: fixed_keys() has them all.
  void visit(const scenario::WordCodec&, std::string&, const std::string&) {}
  void visit(const scenario::ListCodec<scenario::WordCodec>&, std::vector<std::string>&,
             const std::string&) {}
  void visit(const scenario::ValueCodec&, std::uint64_t&, const std::string&) {}
  void visit(const scenario::SegmentsCodec&, std::uint32_t&, const std::string&) {}
  template <class T, std::size_t N>
  void visit(const scenario::SwitchCodec<T, N>&, T&, const std::string&) {}

  Draw& draw_;
  std::uint32_t percent_;
  std::string path_;
};

}  // namespace fenceline::generate
