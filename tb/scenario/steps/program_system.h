#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tb/os/core/system_options.h"

// Steps in which the operating system acts on an adapter or its contexts.

namespace fenceline::scenario {

/// An older escape: passes the NT handle of an event to the driver for signalling.
struct PassHandleStep {
  std::string event;
  std::optional<std::string> status;
};
struct SetPowerStep {
  std::string state;  ///< "D0" or "D3"
};
/// D3DKMTPresent: shows an allocation on the display.
struct PresentStep {
  std::string primary;
  std::string context;       ///< context that draws the image
  bool immediate = false;    ///< FlipInterval 0
  std::uint32_t queued = 0;  ///< limit of queued flips at the end of the step
  std::optional<std::string> status;
};
struct DestroyDeviceStep {
  std::optional<std::string> status;
};
/// Creates a device to replace one that is in error, with the same contexts.
struct CreateDeviceStep {
  std::optional<std::string> status;
};
// Operations of the operating system on hardware contexts. The name of a queue without a hardware
// context stands for its implicit context.
struct SuspendContextStep {
  std::string context;
  bool wait = true;                   ///< wait for the acknowledgement
  std::optional<std::string> status;  ///< required status of DxgkDdiSuspendContext
};
struct ResumeContextStep {
  std::string context;
};
struct SetSchedulingStep {
  std::string context;
  os::SchedulingProperties properties;
};
/// Treats the engine as hung.
struct ResetEngineStep {
  std::string engine;
};

}  // namespace fenceline::scenario
