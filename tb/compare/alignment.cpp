#include "tb/compare/alignment.h"

#include <algorithm>

namespace fenceline::compare {

namespace {

using List = std::vector<std::uint32_t>;

/// Aligns two lists from a place on, until their ends or `most` differences. Diagonal k holds the
/// places with x - y == k; reach(k) is the furthest x on it.
class Piece {
 public:
  Piece(const List& a, const List& b, Match from, std::size_t most)
      : a_(a), b_(b), from_(from), most_(static_cast<std::ptrdiff_t>(most)) {
    search();
  }

  /// Appends the pairs of the piece.
  void add_to(std::vector<Match>& matches) const {
    const auto first = static_cast<std::ptrdiff_t>(matches.size());
    std::ptrdiff_t x = end_x_, y = end_y_;
    for (auto d = static_cast<std::ptrdiff_t>(reached_.size()) - 1; x > 0 || y > 0; --d) {
      std::ptrdiff_t before_x = 0, before_y = 0;
      if (d > 0) {
        const std::ptrdiff_t k = x - y, before = comes_down(d, k) ? k + 1 : k - 1;
        before_x = reach(d - 1, before);
        before_y = before_x - before;
      }
      for (; x > before_x && y > before_y; --x, --y)
        matches.emplace_back(from_.first + static_cast<std::size_t>(x - 1),
                             from_.second + static_cast<std::size_t>(y - 1));
      x = before_x;
      y = before_y;
    }
    std::reverse(matches.begin() + first, matches.end());
  }
  /// The place behind the piece.
  Match end() const {
    return {from_.first + static_cast<std::size_t>(end_x_),
            from_.second + static_cast<std::size_t>(end_y_)};
  }

 private:
  std::ptrdiff_t reach(std::ptrdiff_t d, std::ptrdiff_t k) const {
    return reached_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }
  /// True if the d-th difference on diagonal k is an element of B, not one of A.
  bool comes_down(std::ptrdiff_t d, std::ptrdiff_t k) const {
    return k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
  }
  std::ptrdiff_t start_of(std::ptrdiff_t d, std::ptrdiff_t k) const {
    if (d == 0) return 0;
    return comes_down(d, k) ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
  }
  void search();

  const List& a_;
  const List& b_;
  const Match from_;
  const std::ptrdiff_t most_;
  std::vector<std::vector<std::ptrdiff_t>> reached_;  ///< by differences, then by diagonal from -d
  std::ptrdiff_t end_x_ = 0, end_y_ = 0;
};

void Piece::search() {
  const auto length = [](const List& list, std::size_t from) {
    return static_cast<std::ptrdiff_t>(list.size() - from);
  };
  const std::ptrdiff_t n = length(a_, from_.first), m = length(b_, from_.second);
  const auto equal = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    return a_[from_.first + static_cast<std::size_t>(x)] ==
           b_[from_.second + static_cast<std::size_t>(y)];
  };
  for (std::ptrdiff_t d = 0; d <= most_ && (end_x_ < n || end_y_ < m); ++d) {
    reached_.emplace_back(static_cast<std::size_t>(2 * d + 1));
    end_x_ = end_y_ = 0;
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = start_of(d, k);
      while (x < n && x - k < m && equal(x, x - k)) ++x;
      reached_.back()[static_cast<std::size_t>(k + d)] = x;
      if (x > n || x - k > m || 2 * x - k < end_x_ + end_y_) continue;
      end_x_ = x;
      end_y_ = x - k;
    }
  }
}

}  // namespace

std::vector<Match> align(const List& a, const List& b, std::size_t most) {
  std::vector<Match> matches;
  for (Match at{0, 0}; at.first < a.size() && at.second < b.size();) {
    const Piece piece(a, b, at, most);
    piece.add_to(matches);
    at = piece.end();
  }
  return matches;
}

}  // namespace fenceline::compare
