#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tb/user/command_writer.h"

namespace fenceline::user {

/// Submission to a context that the OS feeds: packets into DMA buffers, then a system call.
///
/// A signal of a monitored fence is a FENCE_WRITE packet where the engine can write one, else a
/// software packet of the OS behind the buffer. A wait ends the buffer: what follows it is held by
/// the OS. Buffers are used in turn; the OS lets a context have fewer queued than there are.
/// Source: WDDM, context monitoring.
class ContextWriter : public CommandWriter {
 public:
  ContextWriter(os::Kernel& kernel, os::Process& process, const UserOrdering& ordering)
      : CommandWriter(kernel, ordering), process_(process) {}

  /// Creates the context. @param node node ordinal.
  /// Returns what refuses it: the OS or the driver.
  virtual NTSTATUS create(const std::string& name, UINT node);

  /// @param priority -7 to 7.
  void set_priority(INT priority);

  void signal(const UserFence& fence, std::uint64_t value) override;
  void wait(const UserFence& fence, std::uint64_t value) override;
  void submit() override;

  /// The OS signals when all that was submitted is complete.
  NTSTATUS software_signal(const UserFence& fence, std::uint64_t value);

  /// Has a monitored fence count what is submitted from now on, so that others see what is done.
  /// Returns what making that fence does.
  NTSTATUS track_usage();
  bool tracks_usage() const { return usage_.handle != 0; }
  const UserFence& usage_fence() const { return usage_; }
  /// Value at which what is recorded now is done; and the one that has been reached.
  std::uint64_t next_value() const { return usage_value_ + 1; }
  std::uint64_t completed_value() const;
  /// The duty MapDuties::fences.
  void fence_stores(bool fences) { fences_ = fences; }
  /// What is recorded now uses an allocation.
  void list(D3DKMT_HANDLE allocation, bool writes);

  D3DKMT_HANDLE handle() const { return handle_; }
  NTSTATUS last_status() const override { return last_status_; }
  /// Covers what its threads share.
  std::uint64_t state_hash() const override;

 protected:
  void add_bytes(const void* data, std::uint64_t bytes) override;
  std::uint64_t drop() override;

  /// A context has been made.
  void created(const std::string& name, UINT node, D3DKMT_HANDLE handle);
  /// Puts what is pending into a DMA buffer; its address. Nothing is pending then.
  D3DGPU_VIRTUAL_ADDRESS store_pending();
  void submit_range(D3DGPU_VIRTUAL_ADDRESS address, UINT bytes);

  os::Process& process_;
  D3DKMT_HANDLE handle_ = 0;
  bool writes_fences_ = false;
  bool fences_ = true;
  std::vector<unsigned char> pending_;
  NTSTATUS last_status_ = STATUS_SUCCESS;

 private:
  void append(const unsigned char* first, std::uint64_t bytes);
  void add_fence_packet(abi::Opcode opcode, const UserFence& fence, std::uint64_t value);
  abi::FenceWritePacket fence_write(const UserFence& fence, std::uint64_t value) const;

  struct Buffer {
    os::Backing backing;
    D3DGPU_VIRTUAL_ADDRESS address = 0;
  };
  static constexpr std::size_t kBuffers = os::ContextScheduler::kMostQueued + 1;

  std::string name_;
  UserFence usage_;
  std::uint64_t usage_value_ = 0;  ///< of the last submission
  bool notifies_ = false;
  std::array<Buffer, kBuffers> buffers_;
  std::size_t next_ = 0;
  std::vector<D3DDDI_ALLOCATIONLIST> listed_;  ///< of what is pending
};

}  // namespace fenceline::user
