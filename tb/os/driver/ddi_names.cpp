#include "tb/os/driver/ddi_names.h"

#include <array>

namespace fenceline::os {

namespace {

constexpr std::array<DdiInfo, kDdiCount> make_infos() {
  std::array<DdiInfo, kDdiCount> infos{};
#define FUNCTION(number, name, lowest, highest) infos[(number)] = {#name, lowest, highest};
#include "kmd_stub/wddm/entries.def"
  return infos;
}
constexpr std::array<DdiInfo, kDdiCount> kInfos = make_infos();

constexpr bool all_named() {
  for (const DdiInfo& info : kInfos)
    if (info.name == nullptr) return false;
  return true;
}
static_assert(all_named(), "the numbers of entries.def are those from 0 on, each once");

}  // namespace

const DdiInfo& ddi_info(Ddi ddi) { return kInfos[static_cast<std::size_t>(ddi)]; }

}  // namespace fenceline::os
