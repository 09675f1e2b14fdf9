#pragma once

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/driver/start_checks.h"

namespace fenceline::os {

class Adapter;

/// Answers of an adapter's driver at start.
struct AdapterDescription {
  DXGK_DRIVERCAPS caps{};
  DXGK_NATIVE_FENCE_CAPS fence_caps{};
  StorageSegments storage;  ///< where it allows fences to be stored
  UINT paging_buffer_bytes = 0;
  DXGK_SEGMENTDESCRIPTOR4 vram_segment{};  ///< segment 1
  std::uint64_t vram_segment_base = 0;     ///< GPU physical [bytes]

  bool has_cap(UINT bit) const { return (caps.SchedulingCaps.Value & bit) != 0; }
  bool native_fences() const { return has_cap(DXGK_VIDSCHCAPS::kNativeGpuFence); }
  bool vram_cpu_visible() const {
    return (vram_segment.Flags.Value & DXGK_SEGMENTFLAGS::kCpuVisible) != 0;
  }
};

/// Asks the driver of an adapter what it is at start, and checks the answers.
class DriverQueries {
 public:
  /// @param description is filled in as far as the driver keeps the rules.
  DriverQueries(Adapter& adapter, std::uint64_t system_memory_bytes,
                AdapterDescription& description)
      : adapter_(adapter), system_memory_bytes_(system_memory_bytes), description_(description) {}

  /// In a thread at PASSIVE_LEVEL. Throws StartFailure saying which rule the driver broke.
  void ask();

 private:
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, void* out, std::size_t bytes);
  void query_fence_caps(DriverAnswers& answers);
  UINT query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE value, UINT from_caps);
  void query_segments();
  void check_window() const;
  [[noreturn]] void fail(StartRule rule, const std::string& why) const;

  Adapter& adapter_;
  const std::uint64_t system_memory_bytes_;
  AdapterDescription& description_;
};

}  // namespace fenceline::os
