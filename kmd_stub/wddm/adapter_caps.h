#pragma once

// Properties of an adapter: DxgkDdiQueryAdapterInfo and DxgkDdiGetNodeMetadata.

#include "kmd_stub/wddm/display.h"

/// Source: WDDM, DXGK_QUERYADAPTERINFOTYPE.
enum DXGK_QUERYADAPTERINFOTYPE : UINT {
  DXGKQAITYPE_UMDRIVERPRIVATE = 0,
  DXGKQAITYPE_DRIVERCAPS = 1,
  DXGKQAITYPE_QUERYSEGMENT = 2,
  DXGKQAITYPE_QUERYSEGMENT2 = 4,
  DXGKQAITYPE_QUERYSEGMENT3 = 5,
  DXGKQAITYPE_NUMPOWERCOMPONENTS = 6,
  DXGKQAITYPE_POWERCOMPONENTINFO = 7,
  DXGKQAITYPE_PREFERREDGPUNODE = 8,
  DXGKQAITYPE_HISTORYBUFFERPRECISION = 10,
  DXGKQAITYPE_QUERYSEGMENT4 = 11,
  DXGKQAITYPE_SEGMENTMEMORYSTATE = 12,
  DXGKQAITYPE_GPUMMUCAPS = 13,
  DXGKQAITYPE_PAGETABLELEVELDESC = 14,
  DXGKQAITYPE_PHYSICALADAPTERCAPS = 15,
  DXGKQAITYPE_FRAMEBUFFERSAVESIZE = 21,
  DXGKQAITYPE_HARDWARERESERVEDRANGES = 22,
  DXGKQAITYPE_NODEPERFDATA = 24,
  DXGKQAITYPE_ADAPTERPERFDATA = 25,
  DXGKQAITYPE_GPUVERSION = 27,
  DXGKQAITYPE_DEVICE_TYPE_CAPS = 28,
  DXGKQAITYPE_PHYSICAL_MEMORY_CAPS = 34,
  DXGKQAITYPE_IOMMU_CAPS = 35,
  DXGKQAITYPE_HARDWARERESERVEDRANGES2 = 36,
  DXGKQAITYPE_NATIVE_FENCE_CAPS = 37,
  DXGKQAITYPE_USERMODESUBMISSION_CAPS = 38,
  DXGKQAITYPE_DIRTYBITTRACKINGCAPS = 39,
  DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS = 40,
  DXGKQAITYPE_SCATTER_RESERVE = 41,
  DXGKQAITYPE_QUERYPAGINGBUFFERINFO = 42,
  DXGKQAITYPE_QUERYSEGMENTCOUNT = 43,
  DXGKQAITYPE_QUERYSEGMENT5 = 44,
  DXGKQAITYPE_QUERYMMUCOUNT = 45,
  DXGKQAITYPE_QUERYMMUS = 46,
  DXGKQAITYPE_64BITONLYCAPS = 47,
  DXGKQAITYPE_PAGINGPROCESSGPUVASIZE = 48,
};

/// No flag is modelled. Source: WDDM, DXGK_QUERYADAPTERINFOFLAGS.
struct DXGK_QUERYADAPTERINFOFLAGS {
  UINT Value;
};

/// Argument of DxgkDdiQueryAdapterInfo; Type gives the meaning of input and output.
/// Source: WDDM, DXGKARG_QUERYADAPTERINFO.
struct DXGKARG_QUERYADAPTERINFO {
  DXGK_QUERYADAPTERINFOTYPE Type;
  PVOID pInputData;
  UINT InputDataSize;  ///< [bytes]
  PVOID pOutputData;
  UINT OutputDataSize;  ///< [bytes]
  DXGK_QUERYADAPTERINFOFLAGS Flags;
  HANDLE hKmdProcessHandle;
};

/// Scheduling capabilities. Source: WDDM, DXGK_VIDSCHCAPS.
struct DXGK_VIDSCHCAPS {
  UINT Value;
  static constexpr UINT kMultiEngineAware = 1u << 0;
  static constexpr UINT kVSyncPowerSaveAware = 1u << 1;
  static constexpr UINT kPreemptionAware = 1u << 2;  ///< requires MultiEngineAware
  static constexpr UINT kNoDmaPatching = 1u
                                         << 3;  ///< requires MultiEngineAware and PreemptionAware
  static constexpr UINT kCancelCommandAware = 1u << 4;
  static constexpr UINT kNo64BitAtomics = 1u << 5;
  static constexpr UINT kLowIrqlPreemptCommand = 1u << 6;
  static constexpr UINT kHwQueuePacketCapShift = 7;  ///< bits [10:7]: packets in flight per node
  static constexpr UINT kHwQueuePacketCapMask = 0xFu << 7;
  /// allowed only if the OS enables DXGK_FEATURE_NATIVE_FENCE; otherwise the adapter does not start
  static constexpr UINT kNativeGpuFence = 1u << 11;
  /// native fence interrupts name a queue instead of fences
  static constexpr UINT kOptimizedNativeFenceSignaledInterrupt = 1u << 12;
  static constexpr UINT kReservedMask = 0xFFFFE000u;
};

/// Memory-management capabilities. Source: WDDM, DXGK_VIDMMCAPS.
struct DXGK_VIDMMCAPS {
  UINT Value;
  UINT PagingNode;  ///< node that executes paging work
  static constexpr UINT kOutOfOrderLock = 1u << 0;
  static constexpr UINT kDedicatedPagingEngine = 1u << 1;
  static constexpr UINT kCrossAdapterResource = 1u << 4;
  static constexpr UINT kVirtualAddressingSupported = 1u << 5;
  static constexpr UINT kGpuMmuSupported = 1u << 6;
  static constexpr UINT kIoMmuSupported = 1u << 7;
  static constexpr UINT kMapAperture2Supported = 1u << 14;
};

/// Source: WDDM, DXGK_GPUENGINETOPOLOGY.
struct DXGK_GPUENGINETOPOLOGY {
  UINT NbAsymetricProcessingNodes;
  UINT Reserved[64];
};

/// Where graphics work can be interrupted. Source: WDDM, D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY.
enum D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY : UINT {
  D3DKMDT_GRAPHICS_PREEMPTION_NONE = 0,
  D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY = 100,
  D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY = 200,
  D3DKMDT_GRAPHICS_PREEMPTION_TRIANGLE_BOUNDARY = 300,
  D3DKMDT_GRAPHICS_PREEMPTION_PIXEL_BOUNDARY = 400,
  D3DKMDT_GRAPHICS_PREEMPTION_SHADER_BOUNDARY = 500,
};

/// Where compute work can be interrupted. Source: WDDM, D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY.
enum D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY : UINT {
  D3DKMDT_COMPUTE_PREEMPTION_NONE = 0,
  D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY = 100,
  D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY = 200,
  D3DKMDT_COMPUTE_PREEMPTION_THREAD_GROUP_BOUNDARY = 300,
  D3DKMDT_COMPUTE_PREEMPTION_THREAD_BOUNDARY = 400,
  D3DKMDT_COMPUTE_PREEMPTION_SHADER_BOUNDARY = 500,
};

/// Coarsest level of all engines that run this kind of work. Source: WDDM, D3DKMDT_PREEMPTION_CAPS.
struct D3DKMDT_PREEMPTION_CAPS {
  D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY GraphicsPreemptionGranularity;
  D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY ComputePreemptionGranularity;
};

/// Excerpt. Source: WDDM, DXGK_DRIVERCAPS.MiscCaps.
struct DXGK_MISCCAPS {
  UINT Value;
  static constexpr UINT kSupportContextlessPresent = 1u << 0;
  static constexpr UINT kDetachable = 1u << 1;
  static constexpr UINT kVirtualGpuOnly = 1u << 2;
  static constexpr UINT kComputeOnly = 1u << 3;
  static constexpr UINT kIndependentVidPnVSyncControl = 1u << 4;
};

/// Answer to DXGKQAITYPE_DRIVERCAPS. Excerpt: members keep the interface's order. Display members
/// and unused members are left out, so offsets differ from the interface. Source: WDDM,
/// DXGK_DRIVERCAPS.
struct DXGK_DRIVERCAPS {
  PHYSICAL_ADDRESS HighestAcceptableAddress;  ///< at least the top of system memory
  UINT InterruptMessageNumber;  ///< MSI message number of all DxgkCbNotifyInterrupt calls
  DXGK_FLIPCAPS FlipCaps;
  DXGK_VIDSCHCAPS SchedulingCaps;
  DXGK_VIDMMCAPS MemoryManagementCaps;
  DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
  DXGK_WDDMVERSION WDDMVersion;
  D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
  BOOLEAN SupportPerEngineTDR;
  BOOLEAN SupportRuntimePowerManagement;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart;  ///< start and end 0: the whole range
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;
  BOOLEAN SupportSurpriseRemoval;
  DXGK_MISCCAPS MiscCaps;
};

/// Source: WDDM, DXGK_USERMODESUBMISSION_CAPS.Flags.
struct DXGK_USERMODESUBMISSION_CAPS_FLAGS {
  UINT Value;
  static constexpr UINT kSecondaryDoorbellSupported = 1u << 0;
};

/// Answer to DXGKQAITYPE_USERMODESUBMISSION_CAPS. Source: WDDM, DXGK_USERMODESUBMISSION_CAPS.
struct DXGK_USERMODESUBMISSION_CAPS {
  DXGK_USERMODESUBMISSION_CAPS_FLAGS Flags;
  UINT DoorbellSizeInBytes;
  UINT SecondaryDoorbellSizeInBytes;
  BYTE Reserved[16];
};

/// Kind of a node. Source: WDDM, DXGK_ENGINE_TYPE.
enum DXGK_ENGINE_TYPE : UINT {
  DXGK_ENGINE_TYPE_OTHER = 0,
  DXGK_ENGINE_TYPE_3D = 1,
  DXGK_ENGINE_TYPE_VIDEO_DECODE = 2,
  DXGK_ENGINE_TYPE_VIDEO_ENCODE = 3,
  DXGK_ENGINE_TYPE_VIDEO_PROCESSING = 4,
  DXGK_ENGINE_TYPE_SCENE_ASSEMBLY = 5,
  DXGK_ENGINE_TYPE_COPY = 6,
  DXGK_ENGINE_TYPE_OVERLAY = 7,
  DXGK_ENGINE_TYPE_CRYPTO = 8,
  DXGK_ENGINE_TYPE_VIDEO_CODEC = 9,
};

/// Source: WDDM, DXGK_NODEMETADATA_FLAGS.
struct DXGK_NODEMETADATA_FLAGS {
  UINT Value;
  static constexpr UINT kContextSchedulingSupported = 1u << 0;
  static constexpr UINT kRingBufferFenceRelease =
      1u << 1;  ///< the progress fence is not in the buffer
  static constexpr UINT kSupportTrackedWorkload = 1u << 2;
  static constexpr UINT kUserModeSubmission = 1u << 3;
  static constexpr UINT kSupportBuildTestCommandBuffer = 1u << 4;
  static constexpr UINT kMaxInFlightHwQueueBuffersShift = 16;  ///< bits [31:16]
};

inline constexpr UINT DXGK_MAX_METADATA_NAME_LENGTH = 32;

#pragma pack(push, 1)
/// Answer of DxgkDdiGetNodeMetadata, without padding. Source: WDDM, DXGK_NODEMETADATA.
struct DXGKARG_GETNODEMETADATA {
  DXGK_ENGINE_TYPE EngineType;
  WCHAR FriendlyName[DXGK_MAX_METADATA_NAME_LENGTH];
  DXGK_NODEMETADATA_FLAGS Flags;
  BOOLEAN GpuMmuSupported;
  BOOLEAN IoMmuSupported;
};
#pragma pack(pop)
using DXGK_NODEMETADATA = DXGKARG_GETNODEMETADATA;

/// PASSIVE_LEVEL; STATUS_NOT_SUPPORTED for an unsupported type. Source: WDDM,
/// DxgkDdiQueryAdapterInfo.
using PDXGKDDI_QUERYADAPTERINFO = NTSTATUS (*)(HANDLE hAdapter,
                                               const DXGKARG_QUERYADAPTERINFO* pQueryAdapterInfo);
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiGetNodeMetadata.
using PDXGKDDI_GETNODEMETADATA = NTSTATUS (*)(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                                              DXGKARG_GETNODEMETADATA* pGetNodeMetadata);
