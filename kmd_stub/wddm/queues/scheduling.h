#pragma once

// Hardware scheduling: priorities of contexts, resets of engines.

#include "kmd_stub/wddm/base.h"

/// Source: WDDM, DXGK_SCHEDULING_PRIORITY_BAND; the names of the values are ours.
enum DXGK_SCHEDULING_PRIORITY_BAND : UINT {
  DXGK_SCHEDULING_PRIORITY_BAND_IDLE = 0,
  DXGK_SCHEDULING_PRIORITY_BAND_NORMAL = 1,
  DXGK_SCHEDULING_PRIORITY_BAND_FOCUS = 2,
  DXGK_SCHEDULING_PRIORITY_BAND_REALTIME = 3,
};
inline constexpr UINT kSchedulingPriorityBands = 4;

/// Argument of DxgkDdiSetContextSchedulingProperties; times in units of 100 ns.
/// Source: WDDM, DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES.
struct DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES {
  HANDLE hContext;
  DXGK_SCHEDULING_PRIORITY_BAND PriorityBand;
  INT RealtimeBandPriorityLevel;  ///< 0 to 31
  INT InProcessPriority;          ///< -7 to 7
  UINT64 Quantum;
  UINT64 GracePeriodSamePriority;
  UINT64 GracePeriodLowerPriority;
};

/// Argument of DxgkDdiSetupPriorityBands; times in units of 100 ns.
/// Source: WDDM, DXGKARG_SETUPPRIORITYBANDS.
struct DXGKARG_SETUPPRIORITYBANDS {
  UINT64 GracePeriodForBand[kSchedulingPriorityBands];
  UINT64 ProcessQuantumForBand[kSchedulingPriorityBands];
  UINT64 ProcessGracePeriodForBand[kSchedulingPriorityBands];
  UINT TargetNormalBandPercentage;  ///< 0 to 50
};

/// Argument of DxgkDdiResetHwEngine. Source: WDDM, DXGKARG_RESETHWENGINE.
struct DXGKARG_RESETHWENGINE {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
};

/// Argument of DxgkDdiResumeHwEngine. Source: WDDM, DXGKARG_RESUMEHWENGINE.
struct DXGKARG_RESUMEHWENGINE {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
};

/// Source: WDDM, DXGKARGCB_INVALIDATEHWCONTEXT.Flags.
struct DXGK_INVALIDATEHWCONTEXTFLAGS {
  UINT Value;
  static constexpr UINT kCollateralDamage = 1u << 0;  ///< the reset was for another context
};

/// Argument of DxgkCbInvalidateHwContext. Source: WDDM, DXGKARGCB_INVALIDATEHWCONTEXT.
struct DXGKARGCB_INVALIDATEHWCONTEXT {
  HANDLE hAdapter;    ///< DeviceHandle of DXGKRNL_INTERFACE
  HANDLE hHwContext;  ///< handle of the OS
  DXGK_INVALIDATEHWCONTEXTFLAGS Flags;
};

// All at PASSIVE_LEVEL.

/// Source: WDDM, DxgkDdiSetContextSchedulingProperties.
using PDXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES =
    NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES* pArgs);
/// Source: WDDM, DxgkDdiSetupPriorityBands.
using PDXGKDDI_SETUPPRIORITYBANDS = NTSTATUS (*)(HANDLE hAdapter,
                                                 const DXGKARG_SETUPPRIORITYBANDS* pArgs);
/// On return the engine sends nothing until DxgkDdiResumeHwEngine. An error leads to a reset of the
/// whole adapter. Source: WDDM, DxgkDdiResetHwEngine.
using PDXGKDDI_RESETHWENGINE = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_RESETHWENGINE* pArgs);
/// Source: WDDM, DxgkDdiResumeHwEngine.
using PDXGKDDI_RESUMEHWENGINE = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_RESUMEHWENGINE* pArgs);
/// Reports that a context is lost. Source: WDDM, DXGKCB_INVALIDATEHWCONTEXT.
using DXGKCB_INVALIDATEHWCONTEXT = NTSTATUS (*)(const DXGKARGCB_INVALIDATEHWCONTEXT* pArgs);
