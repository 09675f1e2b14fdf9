#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kmd_stub/wddm/names.h"
#include "kmd_stub/wddm/wddm.h"

namespace fenceline::kmd_tests::test_wddm_layout {

namespace {

/// One documented number next to what the compiler made of the declaration.
struct Row {
  const char* what;
  std::uint64_t actual;
  std::uint64_t documented;
};

template <std::size_t kRows>
void check(const Row (&rows)[kRows]) {
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(row.actual == row.documented);
  }
}

#define SIZE(type, bytes) \
  { "sizeof " #type, sizeof(type), bytes }
#define OFFSET(type, member, bytes) \
  { #type "." #member, offsetof(type, member), bytes }
#define VALUE(name, number) \
  { #name, static_cast < std::uint64_t>(name), number }

}  // namespace

TEST_CASE("native fence structures have the documented x64 layout", "[wddm]") {
  const Row rows[] = {
      SIZE(DXGK_NATIVE_FENCE_CAPS, 56),
      OFFSET(DXGK_NATIVE_FENCE_CAPS, MonitoredValueStride, 0),
      OFFSET(DXGK_NATIVE_FENCE_CAPS, MapToGpuSystemProcess, 4),
      OFFSET(DXGK_NATIVE_FENCE_CAPS, MinimumAddress, 8),
      OFFSET(DXGK_NATIVE_FENCE_CAPS, MaximumAddress, 16),
      OFFSET(DXGK_NATIVE_FENCE_CAPS, Reserved, 24),
      SIZE(DXGKARG_CREATENATIVEFENCE, 136),
      OFFSET(DXGKARG_CREATENATIVEFENCE, hGlobalNativeFence, 0),
      OFFSET(DXGKARG_CREATENATIVEFENCE, Type, 8),
      OFFSET(DXGKARG_CREATENATIVEFENCE, CurrentValueSystemProcessGpuVa, 16),
      OFFSET(DXGKARG_CREATENATIVEFENCE, MonitoredValueSystemProcessGpuVa, 24),
      OFFSET(DXGKARG_CREATENATIVEFENCE, pPrivateDriverData, 32),
      OFFSET(DXGKARG_CREATENATIVEFENCE, Flags, 96),
      OFFSET(DXGKARG_CREATENATIVEFENCE, Reserved, 100),
      SIZE(DXGKARG_OPENNATIVEFENCE, 144),
      OFFSET(DXGKARG_OPENNATIVEFENCE, hGlobalNativeFence, 0),
      OFFSET(DXGKARG_OPENNATIVEFENCE, hLocalNativeFence, 8),
      OFFSET(DXGKARG_OPENNATIVEFENCE, hDevice, 16),
      OFFSET(DXGKARG_OPENNATIVEFENCE, CurrentValueGpuVa, 24),
      OFFSET(DXGKARG_OPENNATIVEFENCE, MonitoredValueGpuVa, 32),
      OFFSET(DXGKARG_OPENNATIVEFENCE, Flags, 40),
      OFFSET(DXGKARG_OPENNATIVEFENCE, pPrivateDriverData, 44),
      OFFSET(DXGKARG_OPENNATIVEFENCE, Reserved, 108),
      SIZE(DXGKARG_CLOSENATIVEFENCE, 48),
      OFFSET(DXGKARG_CLOSENATIVEFENCE, hLocalNativeFence, 0),
      OFFSET(DXGKARG_CLOSENATIVEFENCE, Flags, 8),
      SIZE(DXGKARG_DESTROYNATIVEFENCE, 48),
      OFFSET(DXGKARG_DESTROYNATIVEFENCE, hGlobalNativeFence, 0),
      OFFSET(DXGKARG_DESTROYNATIVEFENCE, Flags, 8),
      SIZE(DXGKARG_UPDATEMONITOREDVALUES, 64),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, NativeFenceArray, 0),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, UpdatedValueArray, 8),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, MonitoredValueKernelCpuVa, 16),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, NumFences, 24),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, Flags, 28),
      OFFSET(DXGKARG_UPDATEMONITOREDVALUES, Reserved, 32),
      SIZE(DXGKARG_UPDATECURRENTVALUESFROMCPU, 64),
      OFFSET(DXGKARG_UPDATECURRENTVALUESFROMCPU, CurrentValueKernelCpuVa, 16),
      OFFSET(DXGKARG_UPDATECURRENTVALUESFROMCPU, Flags, 28),
  };
  check(rows);
}

TEST_CASE("native fence logs have the documented x64 layout", "[wddm]") {
  const Row rows[] = {
      SIZE(DXGK_NATIVE_FENCE_LOG_HEADER, 40),
      OFFSET(DXGK_NATIVE_FENCE_LOG_HEADER, FirstFreeEntryIndex, 0),
      OFFSET(DXGK_NATIVE_FENCE_LOG_HEADER, WraparoundCount, 4),
      OFFSET(DXGK_NATIVE_FENCE_LOG_HEADER, Type, 8),
      OFFSET(DXGK_NATIVE_FENCE_LOG_HEADER, NumberOfEntries, 16),
      OFFSET(DXGK_NATIVE_FENCE_LOG_HEADER, Reserved, 24),
      SIZE(DXGK_NATIVE_FENCE_LOG_ENTRY, 48),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, FenceValue, 0),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, hNativeFence, 8),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, OperationType, 12),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, Reserved0, 16),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, FenceObservedGpuTimestamp, 24),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, Reserved1, 32),
      OFFSET(DXGK_NATIVE_FENCE_LOG_ENTRY, FenceEndGpuTimestamp, 40),
      VALUE(fenceline::wddm::kNativeFenceLogEntries, 84),
      SIZE(DXGKARG_SETNATIVEFENCELOGBUFFER, 80),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, hHwQueue, 0),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, NumberOfEntries, 8),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, LogBufferCpuVa, 16),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, LogBufferGpuVa, 24),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, LogBufferSystemProcessGpuVa, 32),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, Flags, 40),
      OFFSET(DXGKARG_SETNATIVEFENCELOGBUFFER, Reserved, 44),
      SIZE(DXGKARG_UPDATENATIVEFENCELOGS, 56),
      OFFSET(DXGKARG_UPDATENATIVEFENCELOGS, NumberOfQueues, 0),
      OFFSET(DXGKARG_UPDATENATIVEFENCELOGS, hHWQueue, 8),
      OFFSET(DXGKARG_UPDATENATIVEFENCELOGS, Flags, 16),
      OFFSET(DXGKARG_UPDATENATIVEFENCELOGS, Reserved, 20),
      VALUE(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, 1),
      VALUE(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS, 2),
      VALUE(DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED, 0),
      VALUE(DXGK_NATIVE_FENCE_LOG_OPERATION_WAIT_UNBLOCKED, 1),
  };
  check(rows);
}

TEST_CASE("user-mode native fence arguments have the documented x64 layout", "[wddm]") {
  const Row rows[] = {
      SIZE(D3DDDI_NATIVEFENCEMAPPING, 56),
      OFFSET(D3DDDI_NATIVEFENCEMAPPING, CurrentValueCpuVa, 0),
      OFFSET(D3DDDI_NATIVEFENCEMAPPING, CurrentValueGpuVa, 8),
      OFFSET(D3DDDI_NATIVEFENCEMAPPING, MonitoredValueGpuVa, 16),
      SIZE(D3DDDI_NATIVEFENCEINFO, 112),
      OFFSET(D3DDDI_NATIVEFENCEINFO, InitialFenceValue, 0),
      OFFSET(D3DDDI_NATIVEFENCEINFO, EngineAffinity, 8),
      OFFSET(D3DDDI_NATIVEFENCEINFO, Type, 12),
      OFFSET(D3DDDI_NATIVEFENCEINFO, Flags, 16),
      OFFSET(D3DDDI_NATIVEFENCEINFO, NativeFenceMapping, 24),
      OFFSET(D3DDDI_NATIVEFENCEINFO, Reserved, 80),
      SIZE(D3DKMT_CREATENATIVEFENCE, 216),
      OFFSET(D3DKMT_CREATENATIVEFENCE, hSyncObject, 4),
      OFFSET(D3DKMT_CREATENATIVEFENCE, PrivateDriverData, 8),
      OFFSET(D3DKMT_CREATENATIVEFENCE, Info, 72),
      OFFSET(D3DKMT_CREATENATIVEFENCE, Flags, 184),
      OFFSET(D3DKMT_CREATENATIVEFENCE, Reserved, 188),
      SIZE(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, 176),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, hDevice, 8),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, EngineAffinity, 12),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, Flags, 16),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, hSyncObject, 20),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, NativeFenceMapping, 24),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, PrivateDriverData, 80),
      OFFSET(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, Reserved, 144),
  };
  check(rows);
}

TEST_CASE("interrupt data has the documented x64 layout", "[wddm]") {
  using Data = DXGKARGCB_NOTIFY_INTERRUPT_DATA;
  const Row rows[] = {
      SIZE(Data, 80),
      OFFSET(Data, InterruptType, 0),
      OFFSET(Data, DmaCompleted, 8),
      OFFSET(Data, Flags, 72),
      OFFSET(Data, NativeFenceSignaled.NodeOrdinal, 8),
      OFFSET(Data, NativeFenceSignaled.EngineOrdinal, 12),
      OFFSET(Data, NativeFenceSignaled.SignaledNativeFenceCount, 16),
      OFFSET(Data, NativeFenceSignaled.pSignaledNativeFenceArray, 24),
      OFFSET(Data, NativeFenceSignaled.hHWQueue, 32),
      VALUE(DXGK_INTERRUPT_DMA_COMPLETED, 1),
      VALUE(DXGK_INTERRUPT_DMA_PREEMPTED, 2),
      VALUE(DXGK_INTERRUPT_DMA_PAGE_FAULTED, 9),
      VALUE(DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED, 11),
      VALUE(DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED, 12),
      VALUE(DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT, 15),
      VALUE(DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT, 16),
      VALUE(DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED, 17),
      VALUE(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED, 19),
      VALUE(DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE, 20),
      VALUE(DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences, 4),
  };
  check(rows);
}

TEST_CASE("queue paging and memory structures have the documented x64 layout", "[wddm]") {
  using UpdatePageTable = DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;
  const Row rows[] = {
      SIZE(DXGKARG_CREATEHWQUEUE, 48),
      OFFSET(DXGKARG_CREATEHWQUEUE, Flags, 8),
      OFFSET(DXGKARG_CREATEHWQUEUE, PrivateDriverDataSize, 12),
      OFFSET(DXGKARG_CREATEHWQUEUE, pPrivateDriverData, 16),
      OFFSET(DXGKARG_CREATEHWQUEUE, hHwQueueProgressFence, 24),
      OFFSET(DXGKARG_CREATEHWQUEUE, HwQueueProgressFenceCPUVirtualAddress, 32),
      OFFSET(DXGKARG_CREATEHWQUEUE, HwQueueProgressFenceGPUVirtualAddress, 40),
      SIZE(UpdatePageTable, 104),
      OFFSET(UpdatePageTable, PageTableAddress, 16),
      OFFSET(UpdatePageTable, pPageTableEntries, 32),
      OFFSET(UpdatePageTable, Flags, 52),
      OFFSET(UpdatePageTable, DriverProtection, 56),
      OFFSET(UpdatePageTable, AllocationOffsetInBytes, 64),
      OFFSET(UpdatePageTable, hProcess, 72),
      OFFSET(UpdatePageTable, UpdateMode, 80),
      OFFSET(UpdatePageTable, pPageTableEntries64KB, 88),
      OFFSET(UpdatePageTable, FirstPteVirtualAddress, 96),
      VALUE(DXGK_OPERATION_UPDATE_PAGE_TABLE, 11),
      VALUE(DXGK_OPERATION_FLUSH_TLB, 12),
      SIZE(DXGK_PTE, 16),
      SIZE(D3DGPU_PHYSICAL_ADDRESS, 16),
      SIZE(DXGK_SEGMENTDESCRIPTOR4, 96),
      OFFSET(DXGK_SEGMENTDESCRIPTOR4, CpuTranslatedAddress, 40),
      OFFSET(DXGK_SEGMENTDESCRIPTOR4, NumInvalidMemoryRanges, 56),
      SIZE(DXGK_NODEMETADATA, 74),
      VALUE(D3DKMDT_STANDARDALLOCATION_FENCESTORAGE, 6),
  };
  check(rows);
}

TEST_CASE("capability bits and version numbers are the documented ones", "[wddm]") {
  const Row rows[] = {
      VALUE(DXGKDDI_WDDMv1_2, 0x1200),
      VALUE(DXGKDDI_WDDMv2, 0x2000),
      VALUE(DXGKDDI_WDDMv3_0, 0x3000),
      VALUE(DXGKDDI_WDDMv3_1, 0x3100),
      VALUE(DXGKDDI_WDDMv3_2, 0x3200),
      VALUE(DXGKDDI_INTERFACE_VERSION_WDDM3_0, 0xF003),
      VALUE(DXGKDDI_INTERFACE_VERSION_WDDM3_1, 0x10004),
      VALUE(DXGKDDI_INTERFACE_VERSION_WDDM3_2, 0x11007),
      VALUE(DXGK_VIDSCHCAPS::kMultiEngineAware, 0x1),
      VALUE(DXGK_VIDSCHCAPS::kPreemptionAware, 0x4),
      VALUE(DXGK_VIDSCHCAPS::kNo64BitAtomics, 0x20),
      VALUE(DXGK_VIDSCHCAPS::kNativeGpuFence, 0x800),
      VALUE(DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt, 0x1000),
      VALUE(DXGKQAITYPE_DRIVERCAPS, 1),
      VALUE(DXGKQAITYPE_QUERYSEGMENT4, 11),
      VALUE(DXGKQAITYPE_GPUMMUCAPS, 13),
      VALUE(DXGKQAITYPE_NATIVE_FENCE_CAPS, 37),
      VALUE(DXGKQAITYPE_USERMODESUBMISSION_CAPS, 38),
      VALUE(DXGKQAITYPE_PAGINGPROCESSGPUVASIZE, 48),
      VALUE(D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY, 100),
      VALUE(D3DKMDT_COMPUTE_PREEMPTION_SHADER_BOUNDARY, 500),
      VALUE(DXGK_FEATURE_HWSCH, 0),
      VALUE(DXGK_FEATURE_USER_MODE_SUBMISSION, 4),
      VALUE(DXGK_FEATURE_NATIVE_FENCE, 37),
      VALUE(DxgkServicesFeature, 7),
      VALUE(D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission, 0x10),
      VALUE(D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence, 0x20),
      VALUE(D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT, 3),
      VALUE(D3DDDI_NATIVE_FENCE, 7),
      VALUE(DXGK_NODEMETADATA_FLAGS::kUserModeSubmission, 8),
      VALUE(DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled, 1),
      VALUE(DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly, 2),
      VALUE(DXGK_ISFEATUREENABLED_RESULT::kSupportedOnCurrentConfig, 8),
  };
  check(rows);
}

TEST_CASE("a status has the documented number and its name", "[wddm]") {
  using fenceline::wddm::status_name;
  const struct {
    std::uint32_t code;
    NTSTATUS status;
    std::string name;
  } rows[] = {
      {0x00000000, STATUS_SUCCESS, "STATUS_SUCCESS"},
      {0x00000102, STATUS_TIMEOUT, "STATUS_TIMEOUT"},
      {0x00000103, STATUS_PENDING, "STATUS_PENDING"},
      {0xC0000001, STATUS_UNSUCCESSFUL, "STATUS_UNSUCCESSFUL"},
      {0xC0000002, STATUS_NOT_IMPLEMENTED, "STATUS_NOT_IMPLEMENTED"},
      {0xC0000008, STATUS_INVALID_HANDLE, "STATUS_INVALID_HANDLE"},
      {0xC000000D, STATUS_INVALID_PARAMETER, "STATUS_INVALID_PARAMETER"},
      {0xC0000017, STATUS_NO_MEMORY, "STATUS_NO_MEMORY"},
      {0xC0000022, STATUS_ACCESS_DENIED, "STATUS_ACCESS_DENIED"},
      {0xC0000023, STATUS_BUFFER_TOO_SMALL, "STATUS_BUFFER_TOO_SMALL"},
      {0xC000009A, STATUS_INSUFFICIENT_RESOURCES, "STATUS_INSUFFICIENT_RESOURCES"},
      {0xC00000BB, STATUS_NOT_SUPPORTED, "STATUS_NOT_SUPPORTED"},
      {0xC0000184, STATUS_INVALID_DEVICE_STATE, "STATUS_INVALID_DEVICE_STATE"},
      {0xC00002B6, STATUS_DEVICE_REMOVED, "STATUS_DEVICE_REMOVED"},
      {0xC01E0001, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
       "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER"},
      {0xC01E0102, STATUS_GRAPHICS_ALLOCATION_BUSY, "STATUS_GRAPHICS_ALLOCATION_BUSY"},
      {0xC01E0200, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE,
       "STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE"},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(static_cast<std::uint32_t>(row.status) == row.code);
    CHECK(status_name(row.status) == row.name);
    CHECK(NT_SUCCESS(row.status) == (row.code < 0x80000000));
  }
  CHECK(status_name(fenceline::wddm::make_status(0xC0FFEE00)) == std::string("unknown"));
}

TEST_CASE("bug checks and interrupt types have names", "[wddm]") {
  using fenceline::wddm::bug_check_name;
  using fenceline::wddm::interrupt_type_name;
  CHECK(bug_check_name(0x119) == std::string("VIDEO_SCHEDULER_INTERNAL_ERROR"));
  CHECK(bug_check_name(0x116) == std::string("VIDEO_TDR_FAILURE"));
  CHECK(bug_check_name(0x10E) == std::string("VIDEO_MEMORY_MANAGEMENT_INTERNAL"));
  CHECK(bug_check_name(0) == std::string("unknown"));
  CHECK(interrupt_type_name(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) ==
        std::string("DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED"));
  CHECK(interrupt_type_name(static_cast<DXGK_INTERRUPT_TYPE>(21)) == std::string("unknown"));
}

TEST_CASE("the feature interface is named by its GUID", "[wddm]") {
  GUID guid{0x94BB3993, 0xC6C3, 0x4DA7, {0x89, 0x49, 0xA1, 0x13, 0x82, 0x32, 0xE7, 0x59}};
  CHECK((guid == GUID_WDDM_INTERFACE_FEATURE));
  guid.Data4[7] = 0;
  CHECK((guid != GUID_WDDM_INTERFACE_FEATURE));
}

}  // namespace fenceline::kmd_tests::test_wddm_layout
