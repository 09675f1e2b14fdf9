#pragma once

// Adapter queries of user mode to the OS.

#include "kmd_stub/wddm/feature.h"

/// Excerpt. Source: WDDM, KMTQUERYADAPTERINFOTYPE.
enum KMTQUERYADAPTERINFOTYPE : UINT {
  KMTQAITYPE_WDDM_2_7_CAPS = 70,
  KMTQAITYPE_WDDM_2_9_CAPS = 75,
  KMTQAITYPE_WDDM_3_0_CAPS = 77,
  KMTQAITYPE_WDDM_3_1_CAPS = 80,
};

/// Answer to KMTQAITYPE_WDDM_3_1_CAPS. Source: WDDM, D3DKMT_WDDM_3_1_CAPS.
struct D3DKMT_WDDM_3_1_CAPS {
  UINT Value;
  static constexpr UINT kNativeGpuFenceSupported = 1u << 0;
};

/// Source: WDDM, D3DKMT_QUERYADAPTERINFO.
struct D3DKMT_QUERYADAPTERINFO {
  D3DKMT_HANDLE hAdapter;
  KMTQUERYADAPTERINFOTYPE Type;
  PVOID pPrivateDriverData;    ///< out: the answer
  UINT PrivateDriverDataSize;  ///< [bytes]
};

/// Source: WDDM, D3DKMT_ISFEATUREENABLED.
struct D3DKMT_ISFEATUREENABLED {
  D3DKMT_HANDLE hAdapter;
  DXGK_FEATURE_ID FeatureId;
  DXGK_ISFEATUREENABLED_RESULT Result;  ///< out
};
