#pragma once

#include <vector>

#include "tb/user/context_writer.h"

namespace fenceline::user {

/// Submission to a context whose buffers use physical addresses: BIND packets with patch locations
/// instead of virtual addresses, then D3DKMTRender. If the driver needs no patching, packets use
/// virtual addresses, and each part between two splits is submitted by a system call of its own.
class PatchedWriter : public ContextWriter {
 public:
  using ContextWriter::ContextWriter;

  NTSTATUS create(const std::string& name, UINT node) override;
  void submit() override;

  /// Returns the address with which packets use the allocation from now on. @param address virtual
  /// address, used if nothing is patched.
  D3DGPU_VIRTUAL_ADDRESS bind(const os::Backing& backing, D3DGPU_VIRTUAL_ADDRESS address);
  /// Marks a point where the buffer may be split.
  void split();
  /// Also submits the recorded commands to another context. `allocations` replace the bound ones
  /// there, in the order of their first use.
  void also(os::Process& process, D3DKMT_HANDLE context, std::vector<os::Backing> allocations);
  /// Allocations bound since the last submission, in that order.
  const std::vector<os::Backing>& bound() const { return allocations_; }

 protected:
  void add_bytes(const void* data, std::uint64_t bytes) override;
  std::uint64_t drop() override;

 private:
  void submit_virtual();

  bool patches_ = true;
  std::vector<os::Backing> allocations_;
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations_;
  std::vector<os::RenderRequest::Target> others_;
  std::array<UINT, abi::kBindingSlots> slots_{};  ///< position in allocations_ from 1; 0: unused
  UINT next_slot_ = 0;
};

}  // namespace fenceline::user
