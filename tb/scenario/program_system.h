#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tb/os/system_options.h"

// Steps of threads that have the operating system do something with an adapter or its contexts.

namespace fenceline::scenario {

/// An escape of old: the NT handle of an event, for the driver to signal.
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
  std::string context;       ///< that draws it
  bool immediate = false;    ///< FlipInterval 0
  std::uint32_t queued = 0;  ///< flips that may be left when the step is over
  std::optional<std::string> status;
};
struct DestroyDeviceStep {
  std::optional<std::string> status;
};
/// Another device in the place of one that is in error, with contexts like those before.
struct CreateDeviceStep {
  std::optional<std::string> status;
};
// What the operating system does with contexts of hardware queues. A queue without a hardware
// context of its process stands for its own.
struct SuspendContextStep {
  std::string context;
  bool wait = true;                   ///< until it is acknowledged
  std::optional<std::string> status;  ///< what DxgkDdiSuspendContext must return
};
struct ResumeContextStep {
  std::string context;
};
struct SetSchedulingStep {
  std::string context;
  os::SchedulingProperties properties;
};
/// The engine is taken for hung.
struct ResetEngineStep {
  std::string engine;
};

}  // namespace fenceline::scenario
