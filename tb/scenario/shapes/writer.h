#pragma once

#include <utility>

#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// Writes every field of a struct, also defaults; empty optional values are left out.
class Writer {
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
  template <class T, class F>
  void on_read(const T&, const F&) {}
  void location(const Location&) {}

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

template <class Shape, class T>
Json write_object(const T& value) {
  Writer writer;
  Shape::fields(writer, value);
  return writer.take();
}

template <class Shape, class T>
Json write_verb(const T& value) {
  VerbWriter<decltype(value.what)> writer(value.what);
  Shape::verbs(writer);
  return writer.take();
}

}  // namespace fenceline::scenario
