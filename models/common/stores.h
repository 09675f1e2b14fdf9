#pragma once

#include <array>
#include <cstdint>

#include "models/common/ordering.h"

namespace fenceline::common {

/// One part of a 64-bit value that is stored separately.
struct Piece {
  std::uint32_t offset = 0;  ///< [bytes]
  std::uint32_t bytes = 0;   ///< 4 or 8
  bool more = false;         ///< the value is incomplete until the next piece
};

/// The pieces of a stored value, first to last.
class Pieces {
 public:
  explicit constexpr Pieces(Stores stores)
      : pieces_{stores == Stores::kWhole       ? Piece{0, 8, false}
                : stores == Stores::kHighFirst ? Piece{4, 4, true}
                                               : Piece{0, 4, true},
                stores == Stores::kHighFirst ? Piece{0, 4, false} : Piece{4, 4, false}},
        count_(stores == Stores::kWhole ? 1 : 2) {}
  constexpr const Piece* begin() const { return pieces_.data(); }
  constexpr const Piece* end() const { return pieces_.data() + count_; }

 private:
  std::array<Piece, 2> pieces_;
  std::uint32_t count_;
};

/// Order in which a device stores a value. A device without 64-bit stores writes the high half
/// first unless the switch says otherwise. This is the worst order for a value that grows past 32
/// bits or shrinks.
constexpr Stores stores_of(Stores by_switch, bool device_stores_whole) {
  return by_switch == Stores::kWhole && !device_stores_whole ? Stores::kHighFirst : by_switch;
}

}  // namespace fenceline::common
