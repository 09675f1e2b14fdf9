#include "tb/compare/timeline_differences.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "tb/compare/alignment.h"

namespace fenceline::compare {

namespace {

using ItemKey = std::tuple<bool, std::string, std::uint64_t>;
using RowKey = std::pair<std::string, std::string>;

constexpr std::size_t kNoPlace = ~std::size_t{0};

/// A number for each kind of item: equal numbers are equal in name and value.
class Kinds {
 public:
  std::vector<std::uint32_t> of(const Row& row) {
    std::vector<std::uint32_t> list;
    for (const Item& it : row.items)
      list.push_back(numbers_
                         .try_emplace({it.span, it.name, it.value},
                                      static_cast<std::uint32_t>(numbers_.size()))
                         .first->second);
    return list;
  }

 private:
  std::map<ItemKey, std::uint32_t> numbers_;
};

/// An item of A and its partner in B; one of them may be missing.
struct Pair {
  std::size_t a, b;
  bool ordered;  ///< in both runs between the same neighbours
};

/// Most items keep their order: these are paired by it. Of the others, those of a kind are paired.
std::vector<Pair> pairs_of(const Row& a, const Row& b) {
  Kinds kinds;
  const std::vector<std::uint32_t> in_a = kinds.of(a), in_b = kinds.of(b);
  std::vector<Pair> pairs;
  std::vector<bool> done_a(in_a.size()), done_b(in_b.size());
  for (const Match& it : align(in_a, in_b)) {
    pairs.push_back({it.first, it.second, true});
    done_a[it.first] = done_b[it.second] = true;
  }
  std::map<std::uint32_t, std::vector<std::size_t>>
      open;  // by kind: places in B, the next one last
  for (std::size_t i = in_b.size(); i-- > 0;)
    if (!done_b[i]) open[in_b[i]].push_back(i);
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    if (done_a[i]) continue;
    std::vector<std::size_t>& same = open[in_a[i]];
    pairs.push_back({i, same.empty() ? kNoPlace : same.back(), false});
    if (!same.empty()) same.pop_back();
  }
  for (const auto& [kind, rest] : open)
    for (const std::size_t i : rest) pairs.push_back({kNoPlace, i, false});
  return pairs;
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
  const auto first = static_cast<std::ptrdiff_t>(found.size());
  for (const Pair& pair : pairs_of(a, b)) {
    const Item one = pair.a == kNoPlace ? Item{} : a.items[pair.a];
    const Item other = pair.b == kNoPlace ? Item{} : b.items[pair.b];
    const Change change = pair.b == kNoPlace   ? Change::kMissing
                          : pair.a == kNoPlace ? Change::kNew
                                               : change_of(one, other, pair.ordered);
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
