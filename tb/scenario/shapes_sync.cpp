#include "tb/scenario/shapes_sync.h"

#include "kmd_stub/wddm/names.h"

namespace fenceline::scenario {

WordCodec status_word() { return {fenceline::wddm::status_names()}; }

}  // namespace fenceline::scenario
