#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fenceline::compare {

/// Places in A and in B.
using Match = std::pair<std::size_t, std::size_t>;

/// Pairs of equal elements that rise in A and in B. They are as many as possible if the lists
/// differ in `most` elements at most; otherwise they are the longest ones piece by piece.
///
/// Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
std::vector<Match> align(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                         std::size_t most = 1000);

}  // namespace fenceline::compare
