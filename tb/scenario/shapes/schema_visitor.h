#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// The "definitions" of the schema. A recursive shape finds its own entry there.
class SchemaDefinitions {
 public:
  /// A reference to the definition `name`. `make` builds it at the first use.
  template <class F>
  Json reference(const std::string& name, const F& make) {
    if (definitions_.emplace(name, Json()).second) definitions_[name] = make();
    return {{"$ref", "#/definitions/" + name}};
  }
  Json all() const { return definitions_; }

 private:
  std::map<std::string, Json> definitions_;
};

/// Schema with oneOf two definitions.
Json either(Json first, Json second);

/// Adds the property `key` with its description.
void add_property(Json& properties, const char* key, Json schema, const char* doc);

/// Builds the schema of an object from its shape.
class SchemaVisitor : public FieldVisitor {
 public:
  SchemaVisitor(SchemaDefinitions& definitions, bool with_defaults)
      : definitions_(definitions), with_defaults_(with_defaults) {}

  template <class T, class C>
  void required(const char* key, const T&, const C& codec, const char* doc) {
    add_property(properties_, key, codec.schema(definitions_), doc);
    required_.push_back(key);
  }
  template <class T, class C>
  void field(const char* key, const T& value, const C& codec, const char* doc) {
    add_property(properties_, key, codec.schema(definitions_), doc);
    if (with_defaults_) set_default(key, codec.write(value));
  }

  Json take();

 private:
  void set_default(const char* key, Json value);

  SchemaDefinitions& definitions_;
  bool with_defaults_;
  Json properties_ = Json::object();
  Json required_ = Json::array();
};

/// Builds the schema of an object with one verb.
class VerbSchemaVisitor {
 public:
  explicit VerbSchemaVisitor(SchemaDefinitions& definitions) : definitions_(definitions) {}

  template <class A, class C>
  void verb(const char* key, const C& codec, const char* doc) {
    add_property(properties_, key, codec.schema(definitions_), doc);
  }
  Json take();

 private:
  SchemaDefinitions& definitions_;
  Json properties_ = Json::object();
};

// schema() of the codecs that are templates.

template <class Shape>
Json ObjectCodec<Shape>::schema(SchemaDefinitions& definitions) const {
  return definitions.reference(ShapeName<Shape>::kValue, [&] {
    typename TypeOf<Shape>::Type value{};
    SchemaVisitor visitor(definitions, !IsFromProfile<Shape>::kValue);
    Shape::fields(visitor, value);
    return visitor.take();
  });
}

template <class Shape>
Json VerbCodec<Shape>::schema(SchemaDefinitions& definitions) const {
  return definitions.reference(ShapeName<Shape>::kValue, [&] {
    VerbSchemaVisitor visitor(definitions);
    Shape::verbs(visitor);
    return visitor.take();
  });
}

template <class With, class Without>
Json EitherCodec<With, Without>::schema(SchemaDefinitions& definitions) const {
  return either(ObjectCodec<With>{}.schema(definitions),
                ObjectCodec<Without>{}.schema(definitions));
}

template <class E, std::size_t N>
Json ChoiceCodec<E, N>::schema(SchemaDefinitions&) const {
  return {{"enum", texts()}};
}

template <class T, std::size_t N>
Json SwitchCodec<T, N>::schema(SchemaDefinitions& definitions) const {
  if constexpr (std::is_same_v<T, bool>) return BooleanCodec{}.schema(definitions);
  Json all = Json::array();
  for (const abi::SwitchValue<T>& it : values) all.push_back(switch_word(it.word));
  return {{"enum", all}};
}

template <class C>
Json MaybeCodec<C>::schema(SchemaDefinitions& definitions) const {
  return codec.schema(definitions);
}

template <class S, class M, class C>
Json MemberCodec<S, M, C>::schema(SchemaDefinitions& definitions) const {
  return codec.schema(definitions);
}

template <class C>
Json ListCodec<C>::schema(SchemaDefinitions& definitions) const {
  return {{"type", "array"},
          {"items", codec.schema(definitions)},
          {"minItems", least},
          {"maxItems", most}};
}

}  // namespace fenceline::scenario
