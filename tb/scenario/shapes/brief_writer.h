#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

// brief(codec, value, base) writes a value like codec.write(value), but without members that equal
// those of `base`. Reading the result over `base` gives the value again.

/// Collects the addresses of the members of an object.
class MemberAddresses : public FieldVisitor {
 public:
  template <class T, class C>
  void required(const char* key, T& member, const C& codec, const char* doc) {
    field(key, member, codec, doc);
  }
  template <class T, class C>
  void field(const char*, T& member, const C&, const char*) {
    all.push_back(&member);
  }

  std::vector<const void*> all;
};

/// Gives an object the profile of another one, with all values of this profile.
class ProfileLoader : public FieldVisitor {
 public:
  /// @param from members of the other object.
  explicit ProfileLoader(const MemberAddresses& from) : from_(from) {}

  template <class T, class C>
  void required(const char*, T&, const C&, const char*) {
    ++next_;
  }
  template <class T, class C>
  void field(const char* key, T& member, const C&, const char*) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (std::strcmp(key, "profile") == 0)
        member = *static_cast<const std::string*>(from_.all[next_]);
    }
    ++next_;
  }
  template <class T, class F>
  void on_read(T& target, const F& action) {
    action(target);
  }

 private:
  const MemberAddresses& from_;
  std::size_t next_ = 0;
};

/// The defaults of an object: those of `base`, with the profile that `value` names.
template <class Shape, class T>
T with_profile(const T& value, const T& base) {
  T start = base;
  if constexpr (IsFromProfile<Shape>::kValue) {
    MemberAddresses own;
    Shape::fields(own, value);
    ProfileLoader loader(own);
    Shape::fields(loader, start);
  }
  return start;
}

/// Visits the members of an object beside those of a base, in their order.
class BesideBase : public FieldVisitor {
 protected:
  explicit BesideBase(std::vector<const void*> base) : base_(std::move(base)) {}

  /// The member of the base beside the one that is visited.
  template <class T>
  const T& next(const T&) {
    return *static_cast<const T*>(base_[next_++]);
  }

 private:
  std::vector<const void*> base_;
  std::size_t next_ = 0;
};

/// Lets a BesideBase visit the members of `value`. The base is `base` with the profile of `value`.
/// @param make gets the members of the base
template <class Shape, class T, class Make>
auto visit_beside(const T& value, const T& base, const Make& make) {
  const T start = with_profile<Shape>(value, base);
  MemberAddresses started;
  Shape::fields(started, start);
  auto visitor = make(std::move(started.all));
  Shape::fields(visitor, value);
  return visitor;
}

template <class C, class T>
Json brief(const C& codec, const T& value, const T&) {
  return codec.write(value);
}
template <class Shape, class T>
Json brief(const ObjectCodec<Shape>&, const T& value, const T& base);
template <class Shape, class T>
Json brief(const VerbCodec<Shape>&, const T& value, const T&);
template <class With, class Without, class T>
Json brief(const EitherCodec<With, Without>&, const T& value, const T& base);
template <class C, class T>
Json brief(const MaybeCodec<C>& codec, const std::optional<T>& value, const std::optional<T>&);
template <class S, class M, class C>
Json brief(const MemberCodec<S, M, C>& codec, const S& value, const S& base);
template <class C, class T>
Json brief(const ListCodec<C>& codec, const std::vector<T>& values, const std::vector<T>&);

/// Types that are cheaper to compare than to write.
template <class T>
inline constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool kIsPlain<std::optional<T>> = kIsPlain<T>;

/// True if a member can be left out. @param written what brief() gave for it.
template <class C, class T>
bool is_default(const C& codec, const Json& written, const T& value, const T& base) {
  return written.is_null() || codec.write(value) == codec.write(base);
}
template <class Shape, class T>
bool is_default(const ObjectCodec<Shape>&, const Json& written, const T&, const T&) {
  return written.empty();
}
template <class C, class T>
bool is_default(const ListCodec<C>& codec, const Json&, const std::vector<T>& value,
                const std::vector<T>& base) {
  return value.size() == base.size() && codec.write(value) == codec.write(base);
}

/// Finds the profile of an object; empty if its shape has none.
class ProfileFinder : public FieldVisitor {
 public:
  template <class T, class C>
  void required(const char*, const T&, const C&, const char*) {}
  template <class T, class C>
  void field(const char* key, const T& value, const C&, const char*) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (std::strcmp(key, "profile") == 0) found = value;
    }
  }

  std::string found;
};

template <class Shape, class T>
std::string profile_of(const T& value) {
  ProfileFinder finder;
  Shape::fields(finder, value);
  return finder.found;
}

/// Names the profile, if it is not that of the base.
template <class Shape, class T>
void add_profile(Json& object, const T& value, const T& base) {
  const std::string own = profile_of<Shape>(value);
  if (own != profile_of<Shape>(base)) object["profile"] = own;
}

/// Writes the members of an object that differ from those of a base.
class BriefWriter : public BesideBase {
 public:
  explicit BriefWriter(std::vector<const void*> base) : BesideBase(std::move(base)) {}

  template <class T, class C>
  void required(const char* key, const T& value, const C& codec, const char*) {
    object_[key] = brief(codec, value, next(value));
  }
  template <class T, class C>
  void field(const char* key, const T& value, const C& codec, const char*) {
    const T& base = next(value);
    if constexpr (kIsPlain<T>) {
      if (value == base) return;
    }
    Json written = brief(codec, value, base);
    if (!is_default(codec, written, value, base)) object_[key] = std::move(written);
  }

  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

/// Writes the alternative of a variant.
template <class What>
class BriefVerbWriter {
 public:
  explicit BriefVerbWriter(const What& what) : what_(what) {}

  template <class A, class C>
  void verb(const char* key, const C& codec, const char*) {
    if (const A* alternative = std::get_if<A>(&what_))
      object_[key] = brief(codec, *alternative, A{});
  }
  Json take() { return std::move(object_); }

 private:
  const What& what_;
  Json object_ = Json::object();
};

template <class Shape, class T>
Json brief(const ObjectCodec<Shape>&, const T& value, const T& base) {
  Json object = visit_beside<Shape>(value, base, [](std::vector<const void*> members) {
                  return BriefWriter(std::move(members));
                }).take();
  if constexpr (IsFromProfile<Shape>::kValue) add_profile<Shape>(object, value, base);
  return object;
}

template <class Shape, class T>
Json brief(const VerbCodec<Shape>&, const T& value, const T&) {
  BriefVerbWriter<decltype(value.what)> writer(value.what);
  Shape::verbs(writer);
  return writer.take();
}

template <class With, class Without, class T>
Json brief(const EitherCodec<With, Without>&, const T& value, const T& base) {
  return With::applies(value) ? brief(ObjectCodec<With>{}, value, base)
                              : brief(ObjectCodec<Without>{}, value, base);
}

template <class C, class T>
Json brief(const MaybeCodec<C>& codec, const std::optional<T>& value, const std::optional<T>&) {
  return value ? brief(codec.codec, *value, T{}) : Json();
}

template <class S, class M, class C>
Json brief(const MemberCodec<S, M, C>& codec, const S& value, const S& base) {
  return brief(codec.codec, value.*codec.pointer, base.*codec.pointer);
}

template <class C, class T>
Json brief(const ListCodec<C>& codec, const std::vector<T>& values, const std::vector<T>&) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(brief(codec.codec, value, T{}));
  return array;
}

}  // namespace fenceline::scenario
