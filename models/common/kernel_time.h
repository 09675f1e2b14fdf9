#pragma once

#include <systemc>
#include <type_traits>

#include "models/common/time.h"

namespace fenceline::common {

/// `time` as the SystemC kernel wants it, at its default resolution of a picosecond.
///
/// The same as sc_time::from_value, which is a call into the library that costs as much as the rest
/// of Steps::step: here the one word that an sc_time consists of is written where it stands.
inline sc_core::sc_time kernel_time(Time time) {
  using Word = sc_core::sc_time::value_type;
  static_assert(std::is_standard_layout_v<sc_core::sc_time>);  // so its first member is where it is
  static_assert(sizeof(sc_core::sc_time) == sizeof(Word));
  sc_core::sc_time result;
  *reinterpret_cast<Word*>(&result) = time;
  return result;
}

}  // namespace fenceline::common
