#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kmd_stub/wddm/driver.h"

namespace fenceline::os {

/// The functions of entries.def, by their number in recorded events.
enum class Ddi : std::uint8_t {
#define FUNCTION(number, name, lowest, highest) name = (number),
#include "kmd_stub/wddm/entries.def"
};

constexpr std::uint8_t kDdiNumbers[] = {
#define FUNCTION(number, name, lowest, highest) (number),
#include "kmd_stub/wddm/entries.def"
};
constexpr std::size_t kDdiCount = std::size(kDdiNumbers);

struct DdiInfo {
  const char* name;
  KIRQL lowest;  ///< IRQL at which it may run, inclusive
  KIRQL highest;
};

/// Name and IRQL rule of a DDI or callback. Source: WDDM, reference page of each.
const DdiInfo& ddi_info(Ddi ddi);

/// Member of DRIVER_INITIALIZATION_DATA of a DDI.
template <Ddi ddi>
constexpr auto kEntry = nullptr;
#define DDI(number, name, type, version, lowest, highest) \
  template <>                                             \
  inline constexpr auto kEntry<Ddi::name> = &DRIVER_INITIALIZATION_DATA::name;
#include "kmd_stub/wddm/entries.def"

}  // namespace fenceline::os
