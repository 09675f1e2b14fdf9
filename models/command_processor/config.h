#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::command_processor {

struct CommandProcessorConfig {
  common::Time doorbell = 20 * common::kNanosecond;  ///< doorbell write to queue ready; A-70
  common::Time decode = 10 * common::kNanosecond;    ///< one packet; A-71
  common::Time queue_switch =
      200 * common::kNanosecond;  ///< an engine takes up another queue; A-72
  std::uint32_t fetch_bytes =
      256;  ///< one ring or indirect-buffer read; 64 to 4096, a power of two
};

}  // namespace fenceline::command_processor
