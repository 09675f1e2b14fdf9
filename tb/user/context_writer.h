#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tb/user/command_writer.h"

namespace fenceline::user {

/// Submission to a context that the OS schedules: packets in DMA buffers, then a system call.
///
/// A signal of a monitored fence is a FENCE_WRITE packet if the engine supports it, otherwise a
/// software packet of the OS after the buffer. A wait ends the buffer: the OS holds the later ones
/// back. Buffers are used in turn; the OS limits queued buffers of a context to fewer than there
/// are. Source: WDDM, context monitoring.
class ContextWriter : public CommandWriter {
 public:
  using CommandWriter::CommandWriter;

  /// Creates the context. @param node node ordinal. Returns the error of the OS or the driver.
  virtual NTSTATUS create(const std::string& name, UINT node);

  /// @param priority -7 to 7.
  NTSTATUS set_priority(INT priority);

  void signal(const UserFence& fence, std::uint64_t value) override;
  void wait(const UserFence& fence, std::uint64_t value) override;
  void submit() override;

  /// The OS signals the fence when all submitted work is complete.
  NTSTATUS software_signal(const UserFence& fence, std::uint64_t value);
  /// The OS keeps later work back until the fence has the value.
  NTSTATUS software_wait(const UserFence& fence, std::uint64_t value);

  /// Makes a monitored fence count the submissions from now on: it shows which work is done.
  /// Returns the status of its creation.
  NTSTATUS track_usage();
  bool tracks_usage() const { return usage_.handle != 0; }
  const UserFence& usage_fence() const { return usage_; }
  /// The last packet of each submission writes the usage fence.
  bool writes_usage() const {
    return tracks_usage() && writes_fences_ && usage_.current_value != 0;
  }
  /// Fence value at which the recorded commands are done, and the value reached so far.
  std::uint64_t next_value() const { return usage_value_ + 1; }
  std::uint64_t completed_value() const;
  /// Sets the duty MapDuties::fences.
  void fence_stores(bool fences) { fences_ = fences; }
  /// The commands recorded now use an allocation.
  void list(D3DKMT_HANDLE allocation, bool writes);

  D3DKMT_HANDLE handle() const { return handle_; }
  /// Covers the state that threads share.
  std::uint64_t state_hash() const override;

 protected:
  void add_bytes(const void* data, std::uint64_t bytes) override;
  std::uint64_t drop() override;

  /// Call after a context was created.
  void created(const std::string& name, UINT node, D3DKMT_HANDLE handle);
  /// Moves the pending commands into a DMA buffer and returns its address.
  D3DGPU_VIRTUAL_ADDRESS store_pending();
  void submit_range(D3DGPU_VIRTUAL_ADDRESS address, UINT bytes);

  D3DKMT_HANDLE handle_ = 0;
  bool writes_fences_ = false;
  bool fences_ = true;
  std::vector<unsigned char> pending_;

 private:
  void append(const unsigned char* first, std::uint64_t bytes);
  void add_fence_packet(abi::Opcode opcode, const UserFence& fence, std::uint64_t value);
  abi::FenceWritePacket fence_write(const UserFence& fence, std::uint64_t value) const;

  struct Buffer {
    os::Backing backing;
    D3DGPU_VIRTUAL_ADDRESS address = 0;
  };
  static constexpr std::size_t kBuffers = os::ContextSubmission::kMaxQueued + 1;

  std::string name_;
  UserFence usage_;
  std::uint64_t usage_value_ = 0;  ///< value of the last submission
  bool notifies_ = false;
  std::array<Buffer, kBuffers> buffers_;
  std::size_t next_ = 0;
  std::vector<D3DDDI_ALLOCATIONLIST> listed_;  ///< allocations used by pending commands
};

}  // namespace fenceline::user
