#include "tb/scenario/shapes/reader.h"

#include <algorithm>

#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

bool contains(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string listed(std::vector<std::string> keys) {
  std::sort(keys.begin(), keys.end());
  return one_of(keys);
}

}  // namespace

void reject_unknown_keys(const Node& node, const std::vector<std::string>& keys) {
  const auto& members = node.value().children;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& key = members[i].key;
    if (contains(keys, key)) continue;
    if (keys.empty()) node.fail_at_key(i, "unknown key " + in_quotes(key), "an empty object");
    node.fail_at_key(i, "unknown key", listed(keys), did_you_mean(key, keys));
  }
}

void require_one_verb(const Node& node, const char* what, const std::vector<std::string>& keys) {
  const auto& members = node.value().children;
  const std::string thing = std::string("a ") + what;
  if (members.empty()) node.fail(thing + " without a verb", listed(keys));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& key = members[i].key;
    if (!contains(keys, key)) {
      node.fail_at_key(i, "unknown verb of " + thing, listed(keys), did_you_mean(key, keys));
    }
  }
  if (members.size() > 1) {
    node.fail_at_key(1, thing + " has more than one verb", "one verb, in an object of its own");
  }
}

}  // namespace fenceline::scenario
