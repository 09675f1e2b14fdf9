#pragma once

#include <memory>
#include <optional>

#include "tb/os/core/mutex.h"
#include "tb/os/dxgk/adapter_power.h"
#include "tb/os/objects/doorbells.h"
#include "tb/os/vidmm/address_space.h"
#include "tb/os/vidmm/video_memory.h"
#include "tb/os/vidsch/fallback_timer.h"
#include "tb/os/vidsch/fence_scheduler.h"
#include "tb/os/vidsch/flip_queue.h"
#include "tb/os/vidsch/log_follower.h"
#include "tb/os/vidsch/lost_wait_check.h"

namespace fenceline::os {

/// One adapter with all parts of the OS that serve only it.
struct AdapterState {
  std::unique_ptr<PagePool> vram_pages;
  std::unique_ptr<Adapter> adapter;
  std::unique_ptr<FenceScheduler> scheduler;
  std::unique_ptr<FallbackTimer> fallback;         ///< null without os.fallback_timer
  std::unique_ptr<LostWaitCheck> lost_wait_check;  ///< null without os.watchdog
  std::unique_ptr<LogFollower> logs;
  std::unique_ptr<FlipQueue> flips;      ///< null without a display
  std::unique_ptr<VideoMemory> memory;   ///< null without managed memory
  std::unique_ptr<Mutex> paging_queues;  ///< held while a process creates its paging queue
  std::unique_ptr<Doorbells> doorbells;  ///< null if each queue owns a doorbell
  std::unique_ptr<AddressSpace> system;
  std::unique_ptr<AdapterPower> power;
  std::optional<StartFailure> failure;  ///< set if it has not started: it cannot be used
};

}  // namespace fenceline::os
