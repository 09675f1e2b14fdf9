#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tb/scenario/shapes/brief_writer.h"
#include "tb/scenario/shapes/expect.h"

namespace fenceline::scenario {

// find_defaults(codec, value, base, at, out) compares the settings of a value with those of `base`.
// `out` gets the default of each that differs, under its JSON pointer; null if the default is to
// have no value.

using Defaults = std::vector<std::pair<std::string, Json>>;

/// How the values of a codec are compared.
enum class Comparing {
  kWhole,
  kParts,  ///< by their members
  kNot     ///< texts and names tell things apart, steps and expectations are no settings
};

template <class C>
struct ComparingOf {
  static constexpr Comparing kValue = Comparing::kWhole;
};
template <class Shape>
struct ComparingOf<ObjectCodec<Shape>> {
  static constexpr Comparing kValue = Comparing::kParts;
};
template <>
struct ComparingOf<ObjectCodec<Expectations>> {
  static constexpr Comparing kValue = Comparing::kNot;
};
template <class With, class Without>
struct ComparingOf<EitherCodec<With, Without>> {
  static constexpr Comparing kValue = Comparing::kParts;
};
template <class S, class M, class C>
struct ComparingOf<MemberCodec<S, M, C>> : ComparingOf<C> {};
template <class Shape>
struct ComparingOf<VerbCodec<Shape>> {
  static constexpr Comparing kValue = Comparing::kNot;
};
template <>
struct ComparingOf<TextCodec> {
  static constexpr Comparing kValue = Comparing::kNot;
};
template <>
struct ComparingOf<PatternCodec> {
  static constexpr Comparing kValue = Comparing::kNot;
};

template <class C, class T>
void find_defaults(const C& codec, const T& value, const T& base, const std::string& at,
                   Defaults& out);
template <class Shape, class T>
void find_defaults(const ObjectCodec<Shape>&, const T& value, const T& base, const std::string& at,
                   Defaults& out);
template <class With, class Without, class T>
void find_defaults(const EitherCodec<With, Without>&, const T& value, const T& base,
                   const std::string& at, Defaults& out);
template <class C, class T>
void find_defaults(const MaybeCodec<C>& codec, const std::optional<T>& value,
                   const std::optional<T>& base, const std::string& at, Defaults& out);
template <class S, class M, class C>
void find_defaults(const MemberCodec<S, M, C>& codec, const S& value, const S& base,
                   const std::string& at, Defaults& out);
template <class C, class T>
void find_defaults(const ListCodec<C>& codec, const std::vector<T>& values,
                   const std::vector<T>& base, const std::string& at, Defaults& out);

class DefaultFinder : public BesideBase {
 public:
  DefaultFinder(std::vector<const void*> base, const std::string& at, Defaults& out)
      : BesideBase(std::move(base)), at_(at), out_(out) {}

  /// A required member has no default, but its parts may have one.
  template <class T, class C>
  void required(const char* key, const T& value, const C& codec, const char*) {
    const T& base = next(value);
    const std::size_t before = out_.size();
    const std::string own = at_ + "/" + key;
    find_defaults(codec, value, base, own, out_);
    if (out_.size() > before && out_.back().first == own) out_.pop_back();
  }
  template <class T, class C>
  void field(const char* key, const T& value, const C& codec, const char*) {
    const T& base = next(value);
    find_defaults(codec, value, base, at_ + "/" + key, out_);
  }

 private:
  std::string at_;
  Defaults& out_;
};

template <class C, class T>
void find_defaults(const C& codec, const T& value, const T& base, const std::string& at,
                   Defaults& out) {
  if constexpr (ComparingOf<C>::kValue != Comparing::kNot) {
    Json standard = codec.write(base);
    if (codec.write(value) != standard) out.emplace_back(at, std::move(standard));
  }
}

template <class Shape, class T>
void find_defaults(const ObjectCodec<Shape>&, const T& value, const T& base, const std::string& at,
                   Defaults& out) {
  if constexpr (ComparingOf<ObjectCodec<Shape>>::kValue == Comparing::kNot) return;
  if constexpr (IsFromProfile<Shape>::kValue) {
    const std::string standard = profile_of<Shape>(base);
    if (profile_of<Shape>(value) != standard) out.emplace_back(at + "/profile", standard);
  }
  visit_beside<Shape>(value, base, [&](std::vector<const void*> members) {
    return DefaultFinder(std::move(members), at, out);
  });
}

template <class With, class Without, class T>
void find_defaults(const EitherCodec<With, Without>&, const T& value, const T& base,
                   const std::string& at, Defaults& out) {
  if (With::applies(value))
    find_defaults(ObjectCodec<With>{}, value, base, at, out);
  else
    find_defaults(ObjectCodec<Without>{}, value, base, at, out);
}

template <class C, class T>
void find_defaults(const MaybeCodec<C>& codec, const std::optional<T>& value,
                   const std::optional<T>& base, const std::string& at, Defaults& out) {
  if constexpr (ComparingOf<C>::kValue == Comparing::kParts) {
    if (value) find_defaults(codec.codec, *value, base ? *base : T{}, at, out);
  } else if constexpr (ComparingOf<C>::kValue == Comparing::kWhole) {
    Json standard = codec.write(base);
    if (codec.write(value) != standard) out.emplace_back(at, std::move(standard));
  }
}

template <class S, class M, class C>
void find_defaults(const MemberCodec<S, M, C>& codec, const S& value, const S& base,
                   const std::string& at, Defaults& out) {
  find_defaults(codec.codec, value.*codec.pointer, base.*codec.pointer, at, out);
}

/// Objects of a list are compared one by one. Where the default is a list of objects, another
/// number of them differs, too.
template <class C, class T>
void find_defaults(const ListCodec<C>& codec, const std::vector<T>& values,
                   const std::vector<T>& base, const std::string& at, Defaults& out) {
  if constexpr (ComparingOf<C>::kValue == Comparing::kNot) return;
  Json standard = codec.write(base);
  if (codec.write(values) == standard) return;
  if constexpr (ComparingOf<C>::kValue == Comparing::kParts) {
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < values.size(); ++i)
      find_defaults(codec.codec, values[i], T{}, at + "/" + std::to_string(i), out);
    if (base.empty() || (values.size() == base.size() && out.size() > before)) return;
  }
  out.emplace_back(at, std::move(standard));
}

}  // namespace fenceline::scenario
