#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tb/user/command_writer.h"

namespace fenceline::user {

/// User-mode submission to one hardware queue: packets into the ring, then the doorbell.
///
/// With logs, a LOG packet follows every signal and wait; the entry index is counted here. For
/// fences that only a trace uses, LOG packets are written only while the OS has verbose logging on.
/// A submission larger than the free ring space is split: the writer rings the doorbell and polls
/// the read pointer that the GPU writes back.
///
/// If queues share doorbells, the write pointer is also in memory, and the doorbell status is read
/// after each ring: the doorbell may have to be connected, or the queue may be lost. Source: WDDM,
/// user-mode work submission. All functions run in a thread of the queue's process and take
/// simulated time.
class QueueWriter : public CommandWriter {
 public:
  using CommandWriter::CommandWriter;

  /// Sets DisableGpuTimeout of the queue to create.
  void disable_gpu_timeout(bool disable) { no_timeout_ = disable; }
  /// Creates the queue in a hardware context. @param log_entries 0: no logs. With `progress_fence`
  /// each submission ends with a signal of the queue's native progress fence. Returns the status of
  /// the OS. After an error the queue cannot be used.
  NTSTATUS create(const std::string& name, D3DKMT_HANDLE context, std::uint64_t ring_bytes,
                  UINT log_entries, bool progress_fence);
  const os::Backing& ring() const { return ring_; }
  /// Memory of the read pointer, at its begin, and of the write pointer.
  const os::Backing& pointers() const { return read_pointer_; }
  static constexpr std::uint64_t kWritePointer = 128;  ///< its offset there [bytes]
  /// The progress fence; handle 0 without one.
  const UserFence& progress_fence() const { return progress_; }
  /// Returns the status of the OS.
  NTSTATUS set_log_buffers(UINT entries);
  /// Connects the doorbell while no thread submits. Returns the status of the OS.
  NTSTATUS connect_doorbell();

  void signal(const UserFence& fence, std::uint64_t value) override;
  void wait(const UserFence& fence, std::uint64_t value) override;
  /// Rings the doorbell for all recorded commands.
  void submit() override;

  /// STATUS_DEVICE_REMOVED when the queue is lost. Later submissions are dropped.
  NTSTATUS status() const override { return last_status_; }
  /// With true it stores to the status of its doorbell, which only the OS may do.
  void write_status(bool writes) { writes_status_ = writes; }

  D3DKMT_HANDLE handle() const { return handle_; }
  std::uint64_t announced() const { return announced_; }  ///< [bytes] last doorbell value
  /// Covers the state that threads share.
  std::uint64_t state_hash() const override;

 protected:
  void add_bytes(const void* data, std::uint64_t bytes) override;
  std::uint64_t drop() override;

 private:
  void add_fence_packet(abi::Opcode opcode, const UserFence& fence, std::uint64_t value);
  void flush_to_ring();
  void wait_for_room(std::uint64_t bytes);
  void check_lost();
  std::uint64_t read_status(const os::HwQueue& queue);
  void ring_doorbell();
  void announce();
  void announce_shared(const os::HwQueue& queue);
  bool follow_status(const os::HwQueue& queue);
  void store_word(std::uint64_t bus, std::uint64_t value);

  D3DKMT_HANDLE handle_ = 0;
  os::Backing ring_;
  os::Backing read_pointer_;  ///< the write pointer is in another line of it
  bool no_timeout_ = false;
  UserFence progress_;
  std::uint64_t submissions_ =
      0;  ///< last queued value; also of the progress fence, if there is one
  bool logs_ = false;
  std::uint64_t written_ = 0;    ///< bytes written to the ring since its creation
  std::uint64_t read_ = 0;       ///< bytes that the GPU is known to have read
  std::uint64_t announced_ = 0;  ///< last doorbell value
  NTSTATUS last_status_ = STATUS_SUCCESS;
  bool writes_status_ = false;
  std::vector<unsigned char> pending_;  ///< written to the ring at `written_` next
};

}  // namespace fenceline::user
