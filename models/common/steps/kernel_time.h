#pragma once

#include <systemc>
#include <type_traits>

#include "models/common/steps/time.h"

namespace fenceline::common {

/// `time` as an sc_time of the SystemC kernel, at its default resolution of a picosecond.
///
/// Same result as sc_time::from_value. That library call costs as much as the rest of Steps::step.
/// This function instead writes the only word of an sc_time directly.
inline sc_core::sc_time kernel_time(Time time) {
  using Word = sc_core::sc_time::value_type;
  static_assert(std::is_standard_layout_v<sc_core::sc_time>);  // its first member is at its address
  static_assert(sizeof(sc_core::sc_time) == sizeof(Word));
  sc_core::sc_time result;
  *reinterpret_cast<Word*>(&result) = time;
  return result;
}

}  // namespace fenceline::common
