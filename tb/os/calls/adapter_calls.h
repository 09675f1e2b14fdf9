#pragma once

#include "kmd_stub/wddm/d3dkmt/d3dkmt_adapter.h"
#include "models/abi/private_data.h"
#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Queries of user mode about an adapter, and escapes to its driver.
class AdapterCalls {
 public:
  explicit AdapterCalls(System& system) : system_(system) {}

  /// Answers KMTQAITYPE_WDDM_3_1_CAPS; STATUS_INVALID_PARAMETER for types that an OS of this
  /// version does not know, STATUS_BUFFER_TOO_SMALL.
  NTSTATUS D3DKMTQueryAdapterInfo(const D3DKMT_QUERYADAPTERINFO& args);
  /// STATUS_NOT_SUPPORTED by an OS without feature services.
  NTSTATUS D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED& args);
  /// STATUS_ACCESS_DENIED for a private escape of a secured guest, or what the driver returns.
  NTSTATUS D3DKMTEscape(Process& process, const D3DKMT_ESCAPE& args);
  /// Data from the kernel-mode driver for its user-mode half: DXGKQAITYPE_UMDRIVERPRIVATE.
  abi::AdapterPrivateData user_driver_data(Process& process);

 private:
  /// Null for a bad handle.
  const Adapter* find(D3DKMT_HANDLE handle) const;
  NTSTATUS fill_known_escape(Process& process, DXGKARG_ESCAPE& escape);

  System& system_;
};

}  // namespace fenceline::os
