#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/core/cpu.h"

namespace fenceline::os {

constexpr UINT kSystemSegment = 0;    ///< system memory itself, page by page
constexpr UINT kVramSegment = 1;      ///< as the driver reports them
constexpr UINT kApertureSegment = 2;  ///< system memory that the GPU sees

struct ContextQueue;
struct Process;

/// Memory of a process as VidMm keeps it. Its GPU virtual address and its user address stay the
/// same for life; where its pages are does not.
struct Allocation {
  using Flags = DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

  explicit Allocation(common::Steps& steps) : unlisted(steps), changed(steps) {}

  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kAllocation
  Process* process = nullptr;
  HANDLE driver_handle = nullptr;  ///< hAllocation of the driver
  HANDLE opened = nullptr;         ///< hDeviceSpecificAllocation
  std::uint64_t pages = 0;
  UINT flags = 0;      ///< DXGK_ALLOCATIONINFOFLAGS_WDDM2_0
  UINT segments = 0;   ///< where it may be: a bit a segment
  UINT preferred = 0;  ///< segment
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  std::uint64_t user_address = 0;

  event::Placement placement = event::Placement::kSystem;
  std::vector<std::uint64_t> vram;    ///< VRAM offset of each page, while it is there
  std::vector<std::uint64_t> system;  ///< host physical; none: it is all zero and nowhere yet
  std::uint64_t aperture = 0;         ///< offset in the aperture segment, if it is mapped there
  std::vector<std::uint32_t> window;  ///< pages of the CpuHostAperture that show it
  bool expects_window = false;        ///< pages of it are kept free until it is there
  std::uint32_t residency = 0;        ///< MakeResident without Evict
  std::uint32_t locks = 0;
  bool pinned = false;  ///< locked outside the device and has to stay outside
  /// A fault of the OS: bus addresses that user mode goes on using, whatever has been moved.
  std::vector<std::uint64_t> frozen;
  std::uint64_t last_made_resident = 0;
  /// A context allocation: memory of the driver, not of user mode.
  bool of_context = false;
  std::uint32_t number = 0;             ///< among those of the adapter, from 1
  std::vector<ContextQueue*> contexts;  ///< that need it: one, or all of a device
  bool reached = true;                  ///< the GPU reaches it, and it is not being moved
  bool lost = false;                    ///< a reset has ended its move: what is in it is anything
  bool alive = true;                    ///< user mode has not destroyed it
  bool exists = true;                   ///< its memory is not free yet

  bool busy = false;            ///< it is being moved, or mapped to the window
  std::uint32_t accessors = 0;  ///< CPU accesses under way
  std::uint32_t listed = 0;     ///< submissions that list it and are not done
  KernelEvent unlisted;         ///< set when there are none left
  KernelEvent changed;          ///< set when one of the two changes

  bool has(UINT flag) const { return (flags & flag) != 0; }
  bool supports(UINT segment) const { return (segments >> (segment - 1) & 1U) != 0; }
};

}  // namespace fenceline::os
