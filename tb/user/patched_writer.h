#pragma once

#include <vector>

#include "tb/user/context_writer.h"

namespace fenceline::user {

/// Submission to a context whose buffers take physical addresses: BIND packets with patch locations
/// in place of virtual addresses, then D3DKMTRender. Where the driver needs no patching, it uses
/// virtual addresses, and a split ends one system call's part of a buffer and begins another's.
class PatchedWriter : public ContextWriter {
 public:
  using ContextWriter::ContextWriter;

  NTSTATUS create(const std::string& name, UINT node) override;
  void submit() override;

  /// Address for packets that use the allocation from now on. @param address virtual, where nothing
  /// is patched.
  D3DGPU_VIRTUAL_ADDRESS bind(const os::Backing& backing, D3DGPU_VIRTUAL_ADDRESS address);
  /// The buffer may be split here.
  void split();
  /// What is recorded now goes to another context too, with these in place of the allocations that
  /// were bound, in the order of their first use.
  void also(os::Process& process, D3DKMT_HANDLE context, std::vector<os::Backing> allocations);
  /// Allocations that were bound, in that order, since the last submission.
  const std::vector<os::Backing>& bound() const { return allocations_; }
  bool patches() const { return patches_; }

 protected:
  void add_bytes(const void* data, std::uint64_t bytes) override;
  std::uint64_t drop() override;

 private:
  void submit_virtual();

  bool patches_ = true;
  std::vector<os::Backing> allocations_;
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations_;
  std::vector<os::RenderRequest::Target> others_;
  std::array<UINT, abi::kBindingSlots> slots_{};  ///< place in allocations_ from 1, 0: unused
  UINT next_slot_ = 0;
};

}  // namespace fenceline::user
