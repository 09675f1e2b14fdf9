#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tb/scenario/shapes/codec.h"

namespace fenceline::scenario {

// Shapes. A shape lists the fields of an object type once. Most types are their own shape:
//
//   struct Context {
//     static constexpr const char* kName = "context";         // of its schema definition
//     std::string name;
//     std::int32_t priority = 0;
//     Location at;
//
//     template <class V, class T> static void fields(V& v, T& t) {
//       v.required("name", t.name, scenario::name(), "Unique among the process's contexts.");
//       v.field("priority", t.priority, SignedCodec{-7, 7}, "...");  // keeps its value when absent
//       v.location(t.at);
//     }
//   };
//
// A type with several notations, or of another library, has shapes beside it that name it as Type.
// Visitors use the list: Reader (file to struct), Writer (struct to effective document) and
// SchemaVisitor. `t` is const for the writer. `v.on_read(t, f)` calls f(t) only while reading, at
// its place in the list.
// An object with one key is a verb with its operands: see Verb.

/// The key and the documentation of an alternative of `what`, the variant of a step or a command.
/// The alternative declares it as kVerb, and it has fields or a codec().
struct Verb {
  const char* key;
  const char* doc;
};

/// The name of a shape's schema definition; default: its verb.
template <class Shape, class = void>
struct ShapeName {
  static constexpr const char* kValue = Shape::kVerb.key;
};
template <class Shape>
struct ShapeName<Shape, std::void_t<decltype(Shape::kName)>> {
  static constexpr const char* kValue = Shape::kName;
};

/// The type that a shape describes; default: itself.
template <class Shape, class = void>
struct TypeOf {
  using Type = Shape;
};
template <class Shape>
struct TypeOf<Shape, std::void_t<typename Shape::Type>> {
  using Type = typename Shape::Type;
};

/// True if the defaults of a shape come from a profile. The schema does not have them then.
template <class Shape, class = void>
struct IsFromProfile {
  static constexpr bool kValue = false;
};
template <class Shape>
struct IsFromProfile<Shape, std::void_t<decltype(Shape::kFromProfile)>> {
  static constexpr bool kValue = Shape::kFromProfile;
};
struct FromProfile {
  static constexpr bool kFromProfile = true;
};

/// Base of visitors that only fields concern.
class FieldVisitor {
 public:
  template <class T, class F>
  void on_read(const T&, const F&) {}
  void location(const Location&) {}
};

/// Collects the keys of a shape.
class KeyVisitor : public FieldVisitor {
 public:
  template <class T, class C>
  void required(const char* key, const T&, const C&, const char*) {
    keys.emplace_back(key);
  }
  template <class T, class C>
  void field(const char* key, const T&, const C&, const char*) {
    keys.emplace_back(key);
  }
  template <class A, class C>
  void verb(const char* key, const C&, const char*) {
    keys.emplace_back(key);
  }

  std::vector<std::string> keys;
};

/// Throws ScenarioError at the first key of the object that is not in `keys`.
void reject_unknown_keys(const Node& node, const std::vector<std::string>& keys);
/// Throws ScenarioError unless the object has exactly one key and `keys` contains it.
void require_one_verb(const Node& node, const char* what, const std::vector<std::string>& keys);

/// Fills a struct from the object at `node`.
class Reader {
 public:
  explicit Reader(const Node& node) : node_(node) {}

  template <class T, class C>
  void required(const char* key, T& out, const C& codec, const char*) {
    if (!node_.has(key)) node_.fail("the key \"" + std::string(key) + "\" is missing");
    codec.read(node_.member(key), out);
  }
  template <class T, class C>
  void field(const char* key, T& out, const C& codec, const char*) {
    if (node_.has(key)) codec.read(node_.member(key), out);
  }
  template <class T, class F>
  void on_read(T& target, const F& action) {
    action(target);
  }
  void location(Location& at) { at = node_.location(); }

 private:
  const Node& node_;
};

/// Fills the variant from the only verb of the object at `node`.
template <class What>
class VerbReader {
 public:
  VerbReader(const Node& node, What& what) : node_(node), what_(what) {}

  template <class A, class C>
  void verb(const char* key, const C& codec, const char*) {
    if (node_.value().children[0].key != key) return;
    codec.read(node_.child(0), what_.template emplace<A>());
  }

 private:
  const Node& node_;
  What& what_;
};

/// An object with the fields of `Shape`.
template <class Shape>
struct ObjectCodec {
  template <class T>
  void read(const Node& node, T& out) const {
    node.object();
    KeyVisitor known;
    Shape::fields(known, out);
    reject_unknown_keys(node, known.keys);
    Reader reader(node);
    Shape::fields(reader, out);
  }
  template <class T>
  Json write(const T& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

template <class A, class = void>
struct CodecOf {
  static ObjectCodec<A> codec() { return {}; }
};
template <class A>
struct CodecOf<A, std::void_t<decltype(A::codec())>> {
  static auto codec() { return A::codec(); }
};

template <class What>
struct VerbsOf;
template <class... A>
struct VerbsOf<std::variant<A...>> {
  template <class V>
  static void visit(V& v) {
    (v.template verb<A>(A::kVerb.key, CodecOf<A>::codec(), A::kVerb.doc), ...);
  }
};

/// An object with exactly one key, which is a verb of `Shape`.
template <class Shape>
struct VerbCodec {
  template <class T>
  void read(const Node& node, T& out) const {
    node.object();
    KeyVisitor known;
    Shape::verbs(known);
    require_one_verb(node, Shape::kName, known.keys);
    VerbReader<decltype(out.what)> reader(node, out.what);
    Shape::verbs(reader);
    out.at = node.location();
  }
  template <class T>
  Json write(const T& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// An object in one of two shapes: `With` if the key With::kKey is present, otherwise `Without`.
/// With::applies(value) selects the shape for writing.
template <class With, class Without>
struct EitherCodec {
  template <class T>
  void read(const Node& node, T& out) const {
    node.object();
    if (node.has(With::kKey))
      ObjectCodec<With>{}.read(node, out);
    else
      ObjectCodec<Without>{}.read(node, out);
  }
  template <class T>
  Json write(const T& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

}  // namespace fenceline::scenario
