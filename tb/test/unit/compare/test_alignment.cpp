#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tb/compare/alignment.h"

namespace fenceline::compare::test_alignment {

namespace {

using List = std::vector<std::uint32_t>;

/// The number of pairs, after a check that they are equal and rise.
std::size_t aligned(const List& a, const List& b, std::size_t most = 1000) {
  const std::vector<Match> matches = align(a, b, most);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    CHECK(a.at(matches[i].first) == b.at(matches[i].second));
    if (i == 0) continue;
    CHECK(matches[i - 1].first < matches[i].first);
    CHECK(matches[i - 1].second < matches[i].second);
  }
  return matches.size();
}

/// Length of the longest common subsequence, by the table of all prefixes.
std::size_t longest(const List& a, const List& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::uint32_t x : a) {
    std::size_t corner = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = x == b[j] ? corner + 1 : std::max(above, row[j]);
      corner = above;
    }
  }
  return row.back();
}

List random_list(std::uint32_t& seed, std::size_t size, std::uint32_t kinds) {
  List list(size);
  for (std::uint32_t& it : list) it = (seed = seed * 1664525U + 1013904223U) / 65536U % kinds;
  return list;
}

}  // namespace

TEST_CASE("equal lists are aligned whole and empty ones not at all", "[compare]") {
  CHECK(aligned({1, 2, 2, 3}, {1, 2, 2, 3}) == 4);
  CHECK(aligned({}, {1}) == 0);
  CHECK(aligned({1}, {}) == 0);
  CHECK(aligned({1, 2}, {3, 4, 5}) == 0);
}

TEST_CASE("an alignment has as many pairs as possible", "[compare]") {
  std::uint32_t seed = 1;
  for (std::uint32_t round = 0; round < 300; ++round) {
    const List a = random_list(seed, round % 23, 1 + round % 5);
    const List b = random_list(seed, round % 17, 1 + round % 5);
    CHECK(aligned(a, b) == longest(a, b));
  }
}

TEST_CASE("an alignment piece by piece comes to its end", "[compare]") {
  std::uint32_t seed = 2;
  for (std::size_t round = 0; round < 100; ++round) {
    const List a = random_list(seed, round % 41, 3), b = random_list(seed, round % 37, 3);
    CHECK(aligned(a, b, 1 + round % 3) <= longest(a, b));
  }
  CHECK(aligned({1, 2, 3, 4, 5, 6}, {1, 9, 2, 3, 9, 4, 5, 9, 6}, 1) == 6);
}

}  // namespace fenceline::compare::test_alignment
