#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tb/scenario/steps/program.h"

namespace fenceline::scenario {

/// Finds the names and expressions in a step by the shape of its fields, and has `Rules` check
/// each:
///   void check_name(NameOf, const std::string& name, const std::string& pointer)
///   void check_expression(const Expression&, const std::string& pointer)
///   bool has(const std::string& pointer)  the document has a value there
template <class Rules>
class FieldChecker : public FieldVisitor {
 public:
  /// @param pointer of the object with the fields.
  FieldChecker(Rules& rules, std::string pointer) : rules_(rules), pointer_(std::move(pointer)) {}

  template <class T, class C>
  void required(const char* key, const T& value, const C& codec, const char*) {
    check(codec, value, pointer_ + "/" + key);
  }
  template <class T, class C>
  void field(const char* key, const T& value, const C& codec, const char*) {
    check(codec, value, pointer_ + "/" + key);
  }

  template <class C, class T>
  void check(const C&, const T&, const std::string&) {}  // nothing is named
  void check(const NameCodec& codec, const std::string& name, const std::string& pointer) {
    rules_.check_name(codec.of, name, pointer);
  }
  void check(const ExpressionCodec&, const Expression& value, const std::string& pointer) {
    rules_.check_expression(value, pointer);
  }
  template <class C, class T>
  void check(const MaybeCodec<C>& codec, const std::optional<T>& value,
             const std::string& pointer) {
    if (value) check(codec.codec, *value, pointer);
  }
  template <class C, class T>
  void check(const ListCodec<C>& codec, const std::vector<T>& values, const std::string& pointer) {
    for (std::size_t i = 0; i < values.size(); ++i)
      check(codec.codec, values[i], pointer + "/" + std::to_string(i));
  }
  template <class Shape, class T>
  void check(const ListCodec<VerbCodec<Shape>>&, const std::vector<T>&, const std::string&) {
    // Steps and commands inside have a checker of their own.
  }
  template <class S, class M, class C>
  void check(const MemberCodec<S, M, C>& codec, const S& value, const std::string& pointer) {
    check(codec.codec, value.*codec.pointer, pointer);
  }
  template <class Shape, class T>
  void check(const ObjectCodec<Shape>&, const T& value, const std::string& pointer) {
    FieldChecker inside(rules_, pointer);
    Shape::fields(inside, value);
  }
  template <class With, class Without, class T>
  void check(const EitherCodec<With, Without>&, const T& value, const std::string& pointer) {
    if (rules_.has(pointer + "/" + With::kKey))
      check(ObjectCodec<With>{}, value, pointer);
    else
      check(ObjectCodec<Without>{}, value, pointer);
  }

 private:
  Rules& rules_;
  const std::string pointer_;
};

/// Does so for the verb that a step is.
template <class Rules>
class StepFields {
 public:
  StepFields(Rules& rules, const Step& step) : rules_(rules), step_(step) {}
  template <class A, class C>
  void verb(const char* key, const C& codec, const char*) {
    if (const A* found = std::get_if<A>(&step_.what))
      FieldChecker<Rules>(rules_, step_.at.pointer)
          .check(codec, *found, step_.at.pointer + "/" + key);
  }

 private:
  Rules& rules_;
  const Step& step_;
};

}  // namespace fenceline::scenario
