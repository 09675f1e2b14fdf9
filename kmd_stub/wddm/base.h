#pragma once

// Base types, status values and interrupt request levels of the WDDM declarations.
//
// Own declarations of a published binary interface (x64), plain C++17. Names are those of the
// interface and therefore global; our own names are in fenceline::wddm. Two conventions hold for
// all headers of this folder:
//  - A flag word is a struct with its interface name, a member `UINT Value` and a mask
//    `static constexpr UINT kName` per flag: `flags.Value |= DXGK_SEGMENTFLAGS::kAperture`.
//    Exceptions: DXGK_PTE, whose word is `UINT64 Flags`, and the enum DXGK_PAGE_FAULT_FLAGS.
//  - Structures are plain data without default values: write `DXGKARG_X arg{};` to start from zero.

#include <cstddef>
#include <cstdint>

using BYTE = std::uint8_t;
using UCHAR = std::uint8_t;
using BOOLEAN = unsigned char;
using BOOL = std::int32_t;
using USHORT = std::uint16_t;
using WORD = std::uint16_t;
using INT = std::int32_t;
using LONG = std::int32_t;
using UINT = std::uint32_t;
using ULONG = std::uint32_t;
using UINT32 = std::uint32_t;
using UINT64 = std::uint64_t;
using ULONGLONG = std::uint64_t;
using LONGLONG = std::int64_t;
using SIZE_T = std::uint64_t;
using WCHAR = char16_t;  ///< 16 bits on every host, unlike wchar_t
using PVOID = void*;
using HANDLE = void*;

inline constexpr BOOLEAN FALSE = 0;
inline constexpr BOOLEAN TRUE = 1;

/// Kernel status: negative values are errors. Source: WDK, ntdef.h.
using NTSTATUS = std::int32_t;

/// Interrupt request level of a processor. Source: WDK, wdm.h.
using KIRQL = UCHAR;

/// User-mode object handle of the D3DKMT interface; 0 is none. Source: WDDM, d3dukmdt.h.
using D3DKMT_HANDLE = UINT;

/// Address in a GPU virtual address space [bytes]. Source: WDDM, d3dukmdt.h.
using D3DGPU_VIRTUAL_ADDRESS = UINT64;

/// Display source and target ids; a compute device does not use them. Source: WDDM, d3dukmdt.h.
using D3DDDI_VIDEO_PRESENT_SOURCE_ID = UINT;
using D3DDDI_VIDEO_PRESENT_TARGET_ID = UINT;

/// Physical address from the CPU's view [bytes]. Source: WDK, PHYSICAL_ADDRESS.
struct PHYSICAL_ADDRESS {
  LONGLONG QuadPart;
};

/// 128-bit identifier. Source: WDK, guiddef.h.
struct GUID {
  UINT32 Data1;
  USHORT Data2;
  USHORT Data3;
  UCHAR Data4[8];
};

static_assert(sizeof(BOOLEAN) == 1 && sizeof(KIRQL) == 1 && sizeof(WCHAR) == 2);
static_assert(sizeof(NTSTATUS) == 4 && sizeof(UINT) == 4 && sizeof(UINT64) == 8);
static_assert(sizeof(void*) == 8, "the layouts are those of a 64-bit machine");
static_assert(sizeof(PHYSICAL_ADDRESS) == 8);
static_assert(sizeof(GUID) == 16);

/// True when the two identifiers are the same. Source: WDK, IsEqualGUID.
constexpr bool operator==(const GUID& left, const GUID& right) {
  for (int i = 0; i < 8; ++i) {
    if (left.Data4[i] != right.Data4[i]) {
      return false;
    }
  }
  return left.Data1 == right.Data1 && left.Data2 == right.Data2 && left.Data3 == right.Data3;
}
constexpr bool operator!=(const GUID& left, const GUID& right) { return !(left == right); }

/// True for success and informational values. Source: WDK, NT_SUCCESS.
constexpr bool NT_SUCCESS(NTSTATUS status) { return status >= 0; }

// Interrupt request levels. Source: WDK, wdm.h for the first three.
inline constexpr KIRQL PASSIVE_LEVEL = 0;
inline constexpr KIRQL APC_LEVEL = 1;
inline constexpr KIRQL DISPATCH_LEVEL = 2;
/// Level of the adapter's interrupt, DIRQL. Assumption: a real system assigns a level from 3 to 12
/// on x64 at device start; the model always uses this one.
inline constexpr KIRQL DEVICE_LEVEL = 5;
/// Levels of the clock and above; on x64 no device interrupt reaches them. Source: WDK, wdm.h.
inline constexpr KIRQL CLOCK_LEVEL = 13;
inline constexpr KIRQL HIGH_LEVEL = 15;

namespace fenceline::wddm {
/// NTSTATUS from its usual hexadecimal spelling.
constexpr NTSTATUS make_status(std::uint32_t code) { return static_cast<NTSTATUS>(code); }
}  // namespace fenceline::wddm

// Status values. Source: WDK, ntstatus.h.
inline constexpr NTSTATUS STATUS_SUCCESS = 0;
inline constexpr NTSTATUS STATUS_TIMEOUT = 0x00000102;
inline constexpr NTSTATUS STATUS_PENDING = 0x00000103;
inline constexpr NTSTATUS STATUS_UNSUCCESSFUL = fenceline::wddm::make_status(0xC0000001);
inline constexpr NTSTATUS STATUS_NOT_IMPLEMENTED = fenceline::wddm::make_status(0xC0000002);
inline constexpr NTSTATUS STATUS_INVALID_HANDLE = fenceline::wddm::make_status(0xC0000008);
inline constexpr NTSTATUS STATUS_INVALID_PARAMETER = fenceline::wddm::make_status(0xC000000D);
inline constexpr NTSTATUS STATUS_NO_MEMORY = fenceline::wddm::make_status(0xC0000017);
inline constexpr NTSTATUS STATUS_ILLEGAL_INSTRUCTION = fenceline::wddm::make_status(0xC000001D);
inline constexpr NTSTATUS STATUS_ACCESS_DENIED = fenceline::wddm::make_status(0xC0000022);
inline constexpr NTSTATUS STATUS_BUFFER_TOO_SMALL = fenceline::wddm::make_status(0xC0000023);
inline constexpr NTSTATUS STATUS_OBJECT_TYPE_MISMATCH = fenceline::wddm::make_status(0xC0000024);
inline constexpr NTSTATUS STATUS_PRIVILEGED_INSTRUCTION = fenceline::wddm::make_status(0xC0000096);
inline constexpr NTSTATUS STATUS_INSUFFICIENT_RESOURCES = fenceline::wddm::make_status(0xC000009A);
inline constexpr NTSTATUS STATUS_NOT_SUPPORTED = fenceline::wddm::make_status(0xC00000BB);
inline constexpr NTSTATUS STATUS_INVALID_DEVICE_STATE = fenceline::wddm::make_status(0xC0000184);
inline constexpr NTSTATUS STATUS_REVISION_MISMATCH = fenceline::wddm::make_status(0xC0000059);
inline constexpr NTSTATUS STATUS_ACCESS_VIOLATION = fenceline::wddm::make_status(0xC0000005);
inline constexpr NTSTATUS STATUS_DEVICE_REMOVED = fenceline::wddm::make_status(0xC00002B6);
// Assumption: the value of DRIVER_MISMATCH is not confirmed by a public header.
inline constexpr NTSTATUS STATUS_GRAPHICS_DRIVER_MISMATCH =
    fenceline::wddm::make_status(0xC01E0009);
inline constexpr NTSTATUS STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER =
    fenceline::wddm::make_status(0xC01E0001);
inline constexpr NTSTATUS STATUS_GRAPHICS_NO_VIDEO_MEMORY =
    fenceline::wddm::make_status(0xC01E0100);
inline constexpr NTSTATUS STATUS_GRAPHICS_ALLOCATION_BUSY =
    fenceline::wddm::make_status(0xC01E0102);
inline constexpr NTSTATUS STATUS_GRAPHICS_TOO_MANY_REFERENCES =
    fenceline::wddm::make_status(0xC01E0103);
inline constexpr NTSTATUS STATUS_GRAPHICS_ALLOCATION_INVALID =
    fenceline::wddm::make_status(0xC01E0106);
inline constexpr NTSTATUS STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION =
    fenceline::wddm::make_status(0xC01E0109);
inline constexpr NTSTATUS STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION =
    fenceline::wddm::make_status(0xC01E0111);
inline constexpr NTSTATUS STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE =
    fenceline::wddm::make_status(0xC01E0115);
inline constexpr NTSTATUS STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE =
    fenceline::wddm::make_status(0xC01E0200);

// DXGKDDI_INTERFACE_VERSION and WDDM version values. Source: WDDM, d3dkmddi.h.
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM2_0 = 0x5023;
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM2_7 = 0xC004;
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM2_9 = 0xE003;
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM3_0 = 0xF003;
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM3_1 = 0x10004;
inline constexpr ULONG DXGKDDI_INTERFACE_VERSION_WDDM3_2 = 0x11007;

/// Driver model version reported by a driver. Source: WDDM, DXGK_WDDMVERSION.
enum DXGK_WDDMVERSION : UINT {
  DXGKDDI_WDDMv1 = 0x1000,
  DXGKDDI_WDDMv1_2 = 0x1200,
  DXGKDDI_WDDMv1_3 = 0x1300,
  DXGKDDI_WDDMv2 = 0x2000,
  DXGKDDI_WDDMv2_1 = 0x2100,
  DXGKDDI_WDDMv2_2 = 0x2200,
  DXGKDDI_WDDMv2_3 = 0x2300,
  DXGKDDI_WDDMv2_4 = 0x2400,
  DXGKDDI_WDDMv2_5 = 0x2500,
  DXGKDDI_WDDMv2_6 = 0x2600,
  DXGKDDI_WDDMv2_7 = 0x2700,
  DXGKDDI_WDDMv2_8 = 0x2800,
  DXGKDDI_WDDMv2_9 = 0x2900,
  DXGKDDI_WDDMv3_0 = 0x3000,
  DXGKDDI_WDDMv3_1 = 0x3100,
  DXGKDDI_WDDMv3_2 = 0x3200,
};
