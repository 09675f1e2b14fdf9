#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "tb/scenario/shapes/codec.h"
#include "tb/user/ordering.h"

namespace fenceline::scenario {

/// The words of SwitchValue::breaks.
std::vector<std::string> words_of(const char* breaks);
/// A switch value in scenario notation: true, false and numbers have no quotes.
Json switch_word(const char* word);
/// Index of the value at `node`. Throws ScenarioError if it is not one of `words`.
std::size_t read_switch(const Node& node, const std::vector<std::string>& words);

/// One of the values of a switch.
template <class T, std::size_t N>
struct SwitchCodec {
  abi::SwitchValues<T, N> values;

  void read(const Node& node, T& out) const {
    if constexpr (std::is_same_v<T, bool>)
      BooleanCodec{}.read(node, out);
    else
      out = values[read_switch(node, words())].value;
  }
  Json write(T value) const;
  Json schema(SchemaDefinitions& definitions) const;

 private:
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const abi::SwitchValue<T>& it : values) all.emplace_back(it.word);
    return all;
  }
};

/// Codec for the values of a kind of switch.
template <class T, std::size_t N>
SwitchCodec<T, N> one_of(const abi::SwitchValues<T, N>& values) {
  return {values};
}

/// Members of /platform/ordering.
struct OrderingShape {
  using Type = user::Ordering;
  static constexpr const char* kName = "ordering";

  template <class V, class T>
  static void fields(V& v, T& t) {
    Fields<V> each{v};
    user::Ordering::switches(each, t);
  }

 private:
  /// Turns every switch into a field.
  template <class V>
  struct Fields {
    V& visitor;

    template <class M, class T, std::size_t N>
    void mechanism(const char* name, M& member, const abi::SwitchValues<T, N>& values,
                   const char* doc) {
      visitor.field(name, member, one_of(values), doc);
    }
    template <class M, class T, std::size_t N>
    void variant(const char* name, M& member, const abi::SwitchValues<T, N>& values,
                 const char* doc) {
      visitor.field(name, member, one_of(values), doc);
    }
  };
};

/// Description of a switch.
struct SwitchInfo {
  struct Value {
    std::string json;     ///< in scenario notation
    std::string meaning;  ///< behaviour of a machine with this value
    /// Invariants that may break if all other switches have their defaults; also HANG and
    /// BUG_CHECK.
    std::vector<std::string> breaks = {};

    bool safe() const { return breaks.empty(); }
  };
  std::string name;
  std::string doc;
  bool ranked = true;         ///< values are sorted from the weakest design to the strongest
  std::vector<Value> values;  ///< at least two
  std::size_t initial = 0;    ///< index of the default
};

/// All switches in the order of their declarations.
const std::vector<SwitchInfo>& switch_infos();
/// Names of all switches in the same order.
std::vector<std::string> ordering_names();
/// Names of the switches with ranked values.
std::vector<std::string> mechanism_names();
/// All switches as JSON: what `list --switches --json` prints.
Json switches_json();

}  // namespace fenceline::scenario
