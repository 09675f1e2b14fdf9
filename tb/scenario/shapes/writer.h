#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// Writes every field of a struct, also defaults; empty optional values are left out.
class Writer : public FieldVisitor {
 public:
  template <class T, class C>
  void required(const char* key, const T& value, const C& codec, const char* doc) {
    field(key, value, codec, doc);
  }
  template <class T, class C>
  void field(const char* key, const T& value, const C& codec, const char*) {
    Json written = codec.write(value);
    if (!written.is_null()) object_[key] = std::move(written);
  }

  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

/// Writes the alternative of a variant.
template <class What>
class VerbWriter {
 public:
  explicit VerbWriter(const What& what) : what_(what) {}

  template <class A, class C>
  void verb(const char* key, const C& codec, const char*) {
    const A* alternative = std::get_if<A>(&what_);
    if (alternative == nullptr) return;
    Json written = codec.write(*alternative);
    if (!written.is_null()) object_[key] = std::move(written);
  }

  Json take() { return std::move(object_); }

 private:
  const What& what_;
  Json object_ = Json::object();
};

// write() of the codecs that are templates.

template <class Shape>
template <class T>
Json ObjectCodec<Shape>::write(const T& value) const {
  Writer writer;
  Shape::fields(writer, value);
  return writer.take();
}

template <class Shape>
template <class T>
Json VerbCodec<Shape>::write(const T& value) const {
  VerbWriter<decltype(value.what)> writer(value.what);
  Shape::verbs(writer);
  return writer.take();
}

template <class With, class Without>
template <class T>
Json EitherCodec<With, Without>::write(const T& value) const {
  return With::applies(value) ? ObjectCodec<With>{}.write(value)
                              : ObjectCodec<Without>{}.write(value);
}

template <class E, std::size_t N>
Json ChoiceCodec<E, N>::write(E value) const {
  const char* word = abi::word_of(choices, value);
  return word == nullptr ? Json() : Json(word);
}

template <class T, std::size_t N>
Json SwitchCodec<T, N>::write(T value) const {
  for (const abi::SwitchValue<T>& it : values)
    if (it.value == value) return switch_word(it.word);
  return nullptr;
}

template <class C>
template <class T>
Json MaybeCodec<C>::write(const std::optional<T>& value) const {
  return value ? codec.write(*value) : Json();
}

template <class S, class M, class C>
Json MemberCodec<S, M, C>::write(const S& value) const {
  return codec.write(value.*pointer);
}

template <class C>
template <class T>
Json ListCodec<C>::write(const std::vector<T>& values) const {
  Json array = Json::array();
  for (const T& value : values) array.push_back(codec.write(value));
  return array;
}

}  // namespace fenceline::scenario
