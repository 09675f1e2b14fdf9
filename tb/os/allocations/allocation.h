#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/core/cpu.h"

namespace fenceline::os {

constexpr UINT kSystemSegment = 0;    ///< system memory itself, page by page
constexpr UINT kVramSegment = 1;      ///< numbered as the driver reports them
constexpr UINT kApertureSegment = 2;  ///< system memory mapped for the GPU

struct ContextQueue;
struct Process;

/// Memory of a process, managed by VidMm. Its GPU virtual address and its user address never
/// change; the place of its pages does.
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
  UINT segments = 0;   ///< allowed segments, one bit each
  UINT preferred = 0;  ///< segment
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  std::uint64_t user_address = 0;

  event::Placement placement = event::Placement::kSystem;
  std::vector<std::uint64_t> vram;    ///< VRAM offset of each page, while it is in VRAM
  std::vector<std::uint64_t> system;  ///< host physical addresses; empty: all zero, without pages
  std::uint64_t aperture = 0;         ///< offset in the aperture segment while it is mapped there
  std::vector<std::uint32_t> window;  ///< pages of the CpuHostAperture that show it
  bool shown = false;                 ///< they show it now; in D3 they do not
  bool expects_window = false;        ///< window pages are reserved for it until it is in VRAM
  std::uint32_t residency = 0;        ///< MakeResident calls without an Evict
  std::uint32_t locks = 0;
  bool pinned = false;  ///< locked outside the device; it must stay outside
  /// A fault of the OS: bus addresses that user mode keeps using after moves.
  std::vector<std::uint64_t> frozen;
  std::uint64_t last_made_resident = 0;
  /// A context allocation: memory of the driver, not of user mode.
  bool of_context = false;
  std::uint32_t number = 0;             ///< within its adapter, from 1
  std::vector<ContextQueue*> contexts;  ///< contexts that need it: one, or all of a device
  bool reached = true;                  ///< the GPU can reach it, and it is not being moved
  bool lost = false;                    ///< a reset has ended its move: its content is undefined
  bool alive = true;                    ///< user mode has not destroyed it
  bool exists = true;                   ///< its memory is not freed yet

  bool busy = false;            ///< it is being moved or mapped to the window
  std::uint32_t accessors = 0;  ///< number of CPU accesses in progress
  std::uint32_t listed = 0;     ///< incomplete submissions that list it
  KernelEvent unlisted;         ///< set when `listed` becomes 0
  KernelEvent changed;          ///< set when `busy` changes

  bool has(UINT flag) const { return (flags & flag) != 0; }
  bool supports(UINT segment) const { return (segments >> (segment - 1) & 1U) != 0; }
};

}  // namespace fenceline::os
