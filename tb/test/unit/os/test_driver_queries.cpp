// Queries of the OS to a driver at start, and the rules that its answers may break.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/top/gpu.h"
#include "tb/os/driver/driver_queries.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_driver_queries {

namespace {

using support::KernelBench;
using support::ScriptedDriver;
using Caps = DXGK_VIDSCHCAPS;
using SegmentFlags = DXGK_SEGMENTFLAGS;

constexpr Ddi kQuery = Ddi::DxgkDdiQueryAdapterInfo;
constexpr Ddi kStandard = Ddi::DxgkDdiGetStandardAllocationDriverData;

/// The driver of the first adapter, which is asked again with other answers.
struct Bench {
  explicit Bench(Kernel& of)
      : kernel(of),
        adapter(of.adapter(0)),
        memory(of.platform().system_memory().config().size_bytes) {
    ScriptedDriver::replace<kQuery>([this](HANDLE handle, const DXGKARG_QUERYADAPTERINFO* query) {
      asked.push_back(query->Type);
      if (asked.size() == refused) return STATUS_NO_MEMORY;
      if (segments && query->Type == DXGKQAITYPE_QUERYSEGMENT4)
        return answer_segments(*static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData));
      if (claims && query->Type == DXGKQAITYPE_NATIVE_FENCE_CAPS) return STATUS_SUCCESS;
      const NTSTATUS status = ScriptedDriver::stub<kQuery>()(handle, query);
      if (query->Type == DXGKQAITYPE_DRIVERCAPS && on_caps)
        on_caps(*static_cast<DXGK_DRIVERCAPS*>(query->pOutputData));
      if (query->Type == DXGKQAITYPE_NATIVE_FENCE_CAPS && on_fence_caps)
        on_fence_caps(*static_cast<DXGK_NATIVE_FENCE_CAPS*>(query->pOutputData));
      if (query->Type == DXGKQAITYPE_QUERYSEGMENT4 && on_segment)
        change_segment(*static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData));
      return status;
    });
  }
  /// So many segments, which are all like the first one of the driver.
  NTSTATUS answer_segments(DXGK_QUERYSEGMENTOUT4& out) const {
    out.NbSegment = *segments;
    for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < *segments; ++i)
      reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out.pSegmentDescriptor)[i] =
          adapter.vram_segment();
    return STATUS_SUCCESS;
  }
  void change_segment(const DXGK_QUERYSEGMENTOUT4& out) const {
    if (out.pSegmentDescriptor != nullptr)
      on_segment(*reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out.pSegmentDescriptor));
  }
  AdapterDescription ask() {
    asked.clear();
    AdapterDescription description;
    DriverQueries(adapter, memory, description).ask();
    return description;
  }
  /// The rule that the answers break; kCount: none.
  StartRule broken() {
    try {
      ask();
    } catch (const StartFailure& failure) {
      return failure.rule();
    }
    return StartRule::kCount;
  }
  bool refuses_segment(const std::function<void(DXGK_SEGMENTDESCRIPTOR4&)>& change) {
    on_segment = change;
    return broken() == StartRule::kSegments;
  }

  Kernel& kernel;
  Adapter& adapter;
  const std::uint64_t memory;
  std::vector<DXGK_QUERYADAPTERINFOTYPE> asked;
  std::size_t refused = 0;  ///< number of the query that the driver refuses
  bool claims = false;      ///< it has native fences, without caps for them
  std::optional<UINT> segments;
  std::function<void(DXGK_DRIVERCAPS&)> on_caps;
  std::function<void(DXGK_NATIVE_FENCE_CAPS&)> on_fence_caps;
  std::function<void(DXGK_SEGMENTDESCRIPTOR4&)> on_segment;
};

using Asked = std::vector<DXGK_QUERYADAPTERINFOTYPE>;

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel()) {
  KernelBench machine(options, support::small_platform(), &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel);
    body(bench);
  }});
}

/// An OS without the feature, and a driver that claims native fences all the same.
void with_claim(bool checks, const std::function<void(Bench&)>& body) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.native_fence = false;
  options.adapter.system.start_checks = checks;
  with_bench(
      [&](Bench& it) {
        it.claims = true;
        it.on_caps = [](DXGK_DRIVERCAPS& caps) {
          caps.SchedulingCaps.Value |= Caps::kNativeGpuFence;
        };
        body(it);
      },
      options);
}

}  // namespace

TEST_CASE("a driver is asked for caps before fence caps before segments", "[driver]") {
  with_bench([](Bench& it) {
    const AdapterDescription description = it.ask();
    CHECK(it.asked == Asked{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_NATIVE_FENCE_CAPS,
                            DXGKQAITYPE_QUERYSEGMENT4, DXGKQAITYPE_QUERYSEGMENT4});
    CHECK(description.native_fences());
    CHECK(description.fence_caps.MonitoredValueStride == 8);
    CHECK(description.vram_cpu_visible());
    CHECK(description.paging_buffer_bytes == 64 * 1024);
    CHECK(description.vram_segment_base == it.adapter.vram_segment_base());
  });
}

TEST_CASE("each query has to succeed", "[driver]") {
  with_bench([](Bench& it) {
    for (it.refused = 1; it.refused <= 4; ++it.refused) {
      CHECK(it.broken() == StartRule::kCallFailed);
      CHECK(it.asked.size() == it.refused);
    }
    CHECK(it.broken() == StartRule::kCount);
  });
}

TEST_CASE("a driver without native fences is not asked about them", "[driver]") {
  with_bench([](Bench& it) {
    it.on_caps = [](DXGK_DRIVERCAPS& caps) { caps.SchedulingCaps.Value &= ~Caps::kNativeGpuFence; };
    CHECK_FALSE(it.ask().native_fences());
    CHECK(it.asked.size() == 3);
  });
}

TEST_CASE("an OS that has not enabled native fences does not ask about them", "[driver]") {
  with_claim(true, [](Bench& it) {
    CHECK(it.broken() == StartRule::kNotEnabled);
    CHECK(it.asked == Asked{DXGKQAITYPE_DRIVERCAPS});
  });
}

TEST_CASE("an OS without checks at start believes the driver", "[driver]") {
  with_claim(false, [](Bench& it) {
    CHECK(it.broken() == StartRule::kCount);
    CHECK(it.asked.size() == 4);
  });
}

TEST_CASE("a broken rule about caps ends the start", "[driver]") {
  with_bench([](Bench& it) {
    it.on_fence_caps = [](DXGK_NATIVE_FENCE_CAPS& caps) { caps.MonitoredValueStride = 0; };
    CHECK(it.broken() == StartRule::kStride);
    it.on_fence_caps = nullptr;
    it.on_caps = [](DXGK_DRIVERCAPS& caps) { caps.HighestAcceptableAddress.QuadPart = 0xFFFF; };
    CHECK(it.broken() == StartRule::kMemoryLimit);
    CHECK(it.asked.size() == 2);
  });
}

TEST_CASE("a driver with native fences has all of their entries", "[driver]") {
  with_bench([](Bench& it) {
    auto& table = const_cast<DRIVER_INITIALIZATION_DATA&>(it.adapter.table());
    const auto without = [&](auto& entry) {
      const auto kept = std::exchange(entry, nullptr);
      const StartRule rule = it.broken();
      entry = kept;
      return rule == StartRule::kMissingDdi;
    };
    CHECK(without(table.DxgkDdiCreateNativeFence));
    CHECK(without(table.DxgkDdiOpenNativeFence));
    CHECK(without(table.DxgkDdiCloseNativeFence));
    CHECK(without(table.DxgkDdiDestroyNativeFence));
    CHECK(without(table.DxgkDdiUpdateMonitoredValues));
    CHECK(without(table.DxgkDdiUpdateCurrentValuesFromCpu));
    CHECK(without(table.DxgkDdiSetNativeFenceLogBuffer));
    CHECK(without(table.DxgkDdiUpdateNativeFenceLogs));
    CHECK_FALSE(without(table.DxgkDdiCreateDoorbell));
  });
}

TEST_CASE("fences are stored where a standard allocation or the caps or nobody says", "[driver]") {
  with_bench([](Bench& it) {
    ScriptedDriver::replace<kStandard>([](HANDLE, auto* args) {
      auto& data = *args->pCreateFenceStorageData;
      CHECK(args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_FENCESTORAGE);
      const bool current =
          data.FenceStorageValueType == D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE;
      data.AllocationInfo.SupportedWriteSegmentSet = current ? 1 : 3;
      return STATUS_SUCCESS;
    });
    CHECK(it.ask().storage.current_value == 1);
    CHECK(it.ask().storage.monitored_value == 3);
    ScriptedDriver::answer<kStandard>(STATUS_SUCCESS);  // in no segment
    CHECK(it.broken() == StartRule::kSegments);
    ScriptedDriver::answer<kStandard>(STATUS_NOT_SUPPORTED);
    it.on_fence_caps = [](DXGK_NATIVE_FENCE_CAPS& caps) {
      const UINT sets[] = {3, 1};
      std::memcpy(caps.Reserved, sets, sizeof sets);
    };
    CHECK(it.ask().storage.current_value == 3);
    CHECK(it.ask().storage.monitored_value == 1);
    it.on_fence_caps = nullptr;
    CHECK(it.ask().storage.current_value == 2);
    CHECK(it.ask().storage.monitored_value == 2);
  });
}

TEST_CASE("a driver reports from 1 to 32 segments", "[driver]") {
  with_bench([](Bench& it) {
    it.segments = 0;
    CHECK(it.broken() == StartRule::kSegments);
    it.segments = 33;
    CHECK(it.broken() == StartRule::kSegments);
    CHECK(it.asked.size() == 3);
    it.segments = 32;
    CHECK(it.broken() == StartRule::kCount);
    it.segments = 1;
    CHECK(it.broken() == StartRule::kCount);
  });
}

TEST_CASE("the memory segment begins at a page of VRAM", "[driver]") {
  with_bench([](Bench& it) {
    const auto begins = [&](std::uint64_t base) {
      return !it.refuses_segment(
          [base](auto& segment) { segment.BaseAddress.QuadPart = static_cast<LONGLONG>(base); });
    };
    const std::uint64_t bytes = it.adapter.gpu().config().vram.size_bytes;
    CHECK(begins(bytes - kPage));
    CHECK_FALSE(begins(bytes));
    CHECK_FALSE(begins(kPage + 8));
    CHECK_FALSE(begins(UINT64_MAX - kPage + 1));
  });
}

TEST_CASE("a window stands in for memory that the CPU does not see", "[driver]") {
  with_bench([](Bench& it) {
    const auto refused = [&](UINT flags, UINT32 pages) {
      return it.refuses_segment([flags, pages](auto& segment) {
        segment.Flags.Value = flags;
        segment.CpuHostAperture.SizeInPages = pages;
      });
    };
    CHECK_FALSE(refused(SegmentFlags::kSupportsCpuHostAperture, 1));
    CHECK_FALSE(refused(0, 1));  // for kernel mode only
    CHECK(refused(SegmentFlags::kSupportsCpuHostAperture, 0));
    CHECK(refused(SegmentFlags::kCpuVisible | SegmentFlags::kSupportsCpuHostAperture, 1));
    CHECK_FALSE(refused(SegmentFlags::kCpuVisible, 0));
  });
}

}  // namespace fenceline::os::test_driver_queries
