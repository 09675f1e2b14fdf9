#pragma once

#include <cstdint>
#include <optional>

#include "kmd_stub/wddm/interrupt.h"
#include "tb/os/guard/driver_misuse.h"

namespace fenceline::os {

class Adapter;

/// The fault of a notification, and the number that is wrong.
struct NotificationFault {
  Misuse misuse;
  std::uint64_t number = 0;
};

/// The first thing that keeps the OS from using the notification; handles of native fences are
/// looked at elsewhere.
std::optional<NotificationFault> find_fault(const Adapter& adapter,
                                            const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

}  // namespace fenceline::os
