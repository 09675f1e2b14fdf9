#include "tb/compare/timeline_differences.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace fenceline::compare {

namespace {

using ItemKey = std::tuple<bool, std::string, std::uint64_t>;
using RowKey = std::pair<std::string, std::string>;
/// Positions of an item in its row of A and of B.
using Match = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kNoPosition = ~std::size_t{0};

ItemKey key_of(const Item& item) { return {item.span, item.name, item.value}; }

/// The items of A in their order, each with its partner in B; then the items of B without one.
std::vector<Match> match(const Row& a, const Row& b) {
  std::map<ItemKey, std::vector<std::size_t>> open;  // positions in B, the next one last
  for (std::size_t i = b.items.size(); i-- > 0;) open[key_of(b.items[i])].push_back(i);
  std::vector<Match> matches;
  std::vector<bool> taken(b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    const auto found = open.find(key_of(a.items[i]));
    const bool has = found != open.end() && !found->second.empty();
    matches.emplace_back(i, has ? found->second.back() : kNoPosition);
    if (!has) continue;
    taken[found->second.back()] = true;
    found->second.pop_back();
  }
  for (std::size_t i = 0; i < b.items.size(); ++i)
    if (!taken[i]) matches.emplace_back(kNoPosition, i);
  return matches;
}

bool in_both(const Match& match) {
  return match.first != kNoPosition && match.second != kNoPosition;
}

/// True for each match that keeps its order: a longest list of matches that rises in B.
std::vector<bool> in_order(const std::vector<Match>& matches) {
  std::vector<std::size_t>
      ends;  // by length: the match with the smallest place in B that ends a list
  std::vector<std::size_t> before(matches.size(), kNoPosition);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!in_both(matches[i])) continue;
    const auto place = std::lower_bound(
        ends.begin(), ends.end(), i,
        [&](std::size_t x, std::size_t y) { return matches[x].second < matches[y].second; });
    if (place != ends.begin()) before[i] = *std::prev(place);
    place == ends.end() ? ends.push_back(i) : void(*place = i);
  }
  std::vector<bool> kept(matches.size());
  for (std::size_t i = ends.empty() ? kNoPosition : ends.back(); i != kNoPosition; i = before[i])
    kept[i] = true;
  return kept;
}

/// What differs between two items with the same key; kCount if nothing does.
Change change_of(const Item& a, const Item& b, bool ordered) {
  if (b.lasts > a.lasts) return Change::kLonger;
  if (b.lasts < a.lasts) return Change::kShorter;
  if (!ordered) return Change::kMoved;
  return a.begin == b.begin && a.open == b.open ? Change::kCount : Change::kShifted;
}

void compare_row(const Row& a, const Row& b, std::vector<TimelineDifference>& found) {
  const Row& row = a.name.empty() ? b : a;
  const std::vector<Match> matches = match(a, b);
  const std::vector<bool> ordered = in_order(matches);
  const auto first = static_cast<std::ptrdiff_t>(found.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto& [in_a, in_b] = matches[i];
    const Item one = in_a == kNoPosition ? Item{} : a.items[in_a];
    const Item other = in_b == kNoPosition ? Item{} : b.items[in_b];
    const Change change = in_b == kNoPosition   ? Change::kMissing
                          : in_a == kNoPosition ? Change::kNew
                                                : change_of(one, other, ordered[i]);
    if (change != Change::kCount) found.push_back({change, row.group, row.name, one, other});
  }
  std::stable_sort(found.begin() + first, found.end(), [](const auto& one, const auto& other) {
    return time_of(one) < time_of(other);
  });
}

}  // namespace

const char* change_name(Change change) {
  constexpr std::array<const char*, static_cast<std::size_t>(Change::kCount)> kNames{
      "only in A", "only in B", "longer", "shorter", "in another order", "at another time"};
  return kNames[static_cast<std::size_t>(change)];
}

std::uint64_t time_of(const TimelineDifference& difference) {
  return difference.change == Change::kNew ? difference.b.begin : difference.a.begin;
}

std::vector<TimelineDifference> compare_timelines(const std::vector<Row>& a,
                                                  const std::vector<Row>& b) {
  std::map<RowKey, const Row*> in_b;
  for (const Row& row : b) in_b[{row.group, row.name}] = &row;
  std::vector<TimelineDifference> found;
  const Row empty;
  for (const Row& row : a) {
    const auto other = in_b.find({row.group, row.name});
    compare_row(row, other == in_b.end() ? empty : *other->second, found);
    if (other != in_b.end()) in_b.erase(other);
  }
  for (const Row& row : b)
    if (in_b.count({row.group, row.name}) != 0) compare_row(empty, row, found);
  return found;
}

}  // namespace fenceline::compare
