#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// D3DKMTRender: buffers with physical addresses, which the driver writes from commands of user
/// mode, split, and patched part by part.
class RenderCalls {
 public:
  explicit RenderCalls(System& system) : system_(system) {}

  /// Splits; blocks while a context has many buffers. STATUS_GRAPHICS_NO_VIDEO_MEMORY, or what
  /// DxgkDdiRender returns.
  NTSTATUS D3DKMTRender(const RenderRequest& request);

 private:
  NTSTATUS check(const RenderRequest& request);
  NTSTATUS render(const RenderRequest& request, PatchedBuffer& buffer);
  void check_bindings(const RenderRequest& request, const PatchedBuffer& buffer,
                      const std::vector<PartRange>& parts);

  System& system_;
  PatchedBufferPool buffers_;
};

}  // namespace fenceline::os
