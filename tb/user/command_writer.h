#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "models/abi/packets.h"
#include "tb/os/kernel.h"
#include "tb/user/ordering.h"
#include "tb/user/submission_lock.h"

namespace fenceline::user {

/// A fence with its addresses in the user-mode driver.
struct UserFence {
  D3DKMT_HANDLE handle = 0;
  std::uint32_t slot = 0;                    ///< of a native fence; from the driver's private data
  D3DGPU_VIRTUAL_ADDRESS current_value = 0;  ///< GPU virtual; 0 without GPU access
  const void* current_value_cpu = nullptr;   ///< user mapping, read only
  bool monitored = false;                    ///< else native
  bool narrow = false;                       ///< the GPU stores only the low 32 bits
  bool traced = false;  ///< logged only with verbose logging: no CPU waits for it
};

/// Records packets. All functions run in a thread of the process and take simulated time.
///
/// Several threads may share a writer. Each of them records between the beginning and the end of
/// its own Submission. Recording outside a submission throws std::logic_error.
class CommandWriter : public common::Hashed {
 public:
  CommandWriter(os::Kernel& kernel, os::Process& process, const UserOrdering& ordering)
      : kernel_(kernel),
        process_(process),
        ordering_(ordering),
        lock_(kernel, *this, ordering.submission_lock) {}
  CommandWriter(const CommandWriter&) = delete;
  CommandWriter& operator=(const CommandWriter&) = delete;

  /// Call this before the first of several threads uses the writer.
  void share() { lock_.share(); }
  /// Number of the queue or context in the event stream.
  std::uint32_t object() const { return object_; }
  /// Status of the calls to the OS in this submission: of the first that failed.
  virtual NTSTATUS status() const { return failed_; }

  virtual void signal(const UserFence& fence, std::uint64_t value) = 0;
  virtual void wait(const UserFence& fence, std::uint64_t value) = 0;
  /// Submits everything recorded so far.
  virtual void submit() = 0;

  void write(D3DGPU_VIRTUAL_ADDRESS address, std::uint64_t value) {
    packet(abi::make_packet<abi::Opcode::kWrite>(flags_, address, value));
  }
  void copy(D3DGPU_VIRTUAL_ADDRESS source, D3DGPU_VIRTUAL_ADDRESS destination,
            std::uint64_t bytes) {
    packet(abi::make_packet<abi::Opcode::kCopy>(flags_, source, destination, bytes));
  }
  /// Work without a shape is a packet without the shape fields.
  void work(abi::Opcode opcode, const abi::WorkPacket& packet) {
    abi::WorkPacket whole = packet;
    const bool shape = packet.threads != 0 || packet.triangles + packet.pixels != 0;
    const std::uint32_t bytes = shape ? sizeof whole : abi::kShapelessWork;
    whole.header = {opcode, static_cast<std::uint16_t>(packet.header.flags | flags_), bytes};
    add_bytes(&whole, bytes);
  }
  /// A packet without changes.
  template <class Packet>
  void packet(const Packet& packet) {
    add_bytes(&packet, sizeof packet);
  }
  void barrier(abi::Opcode opcode) {
    const abi::PacketHeader packet{opcode, 0, sizeof packet};
    add_bytes(&packet, sizeof packet);
  }

 protected:
  friend class Submission;
  /// Appends one command.
  virtual void add_bytes(const void* data, std::uint64_t bytes) = 0;
  /// Drops recorded commands that are not submitted, without taking time. Returns the ring position
  /// of a queue's next command, or 0 for a context.
  virtual std::uint64_t drop() = 0;

  /// Reports a command recorded by the current thread. @param position end of the command in the
  /// ring of a queue, 0 for a context.
  void report_recorded(const void* data, std::uint64_t bytes, std::uint64_t position) {
    if (!lock_.open()) throw std::logic_error("a command is recorded outside of a submission");
    common::EventStream& events = kernel_.simulation().events;
    if (!events.wants<event::CommandRecorded>()) return;
    abi::PacketHeader header{};
    std::memcpy(&header, data, sizeof header);
    if (header.opcode == abi::Opcode::kBind) return;  // the driver replaces it by its own
    const auto words = common::Hasher().add_words(data, bytes);
    events.emit(kernel_.simulation().steps.current(),
                event::CommandRecorded{object_, words.value(), position});
  }

  /// A call to the OS for this submission has returned.
  void note(NTSTATUS status) {
    if (NT_SUCCESS(failed_)) failed_ = status;
  }
  /// Packet of a signal or wait for a native fence, which is reported as queued. None if the fence
  /// was destroyed: then the command is not recorded.
  std::optional<abi::FencePacket> fence_packet(abi::Opcode opcode, const UserFence& fence,
                                               std::uint64_t value) {
    const os::LocalFence* known = process_.fence(fence.handle);
    if (known == nullptr) {
      named_ = STATUS_INVALID_HANDLE;
      return std::nullopt;
    }
    const std::uint32_t object = known->fence->object;
    if (opcode == abi::Opcode::kSignal)
      kernel_.simulation().emit(event::SignalQueued{object, value, fence.handle, object_});
    else
      kernel_.simulation().emit(event::WaitQueued{object, value, fence.handle, object_});
    abi::FencePacket packet{};
    packet.header = {opcode, 0, sizeof packet};
    packet.fence_slot = fence.slot;
    packet.current_value = fence.current_value;
    packet.value = value;
    return packet;
  }

  os::Kernel& kernel_;
  os::Process& process_;
  const UserOrdering ordering_;
  SubmissionLock lock_;
  NTSTATUS failed_ = STATUS_SUCCESS;  ///< first failure of a call to the OS in this submission
  NTSTATUS named_ = STATUS_SUCCESS;   ///< status of the fences named in this submission
  std::uint32_t object_ = 0;          ///< ObjectKind::kQueue
  std::uint16_t flags_ = 0;           ///< flags of packets with addresses
};

/// One submission of the calling thread. While it exists, no other thread records for the writer or
/// submits to it. Its destruction drops recorded commands that were not submitted.
class Submission {
 public:
  explicit Submission(CommandWriter& writer) : writer_(writer) {
    writer_.lock_.acquire();
    writer_.failed_ = writer_.named_ = STATUS_SUCCESS;
    tell(true, 0);
  }
  ~Submission() {
    tell(false, writer_.drop());
    writer_.lock_.release();
  }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  /// Submits the recorded commands and returns the status of the OS. STATUS_INVALID_HANDLE if a
  /// command named a destroyed fence; that command was left out.
  NTSTATUS submit() {
    writer_.submit();
    const NTSTATUS status = writer_.status();
    return NT_SUCCESS(status) ? writer_.named_ : status;
  }

 private:
  void tell(bool begins, std::uint64_t position) {
    writer_.kernel_.simulation().emit(event::Submission{writer_.object_, begins, position});
  }

  CommandWriter& writer_;
};

/// Stores bytes to system memory from the core of the current thread.
void store_bytes(os::Kernel& kernel, std::uint64_t address, const void* data, std::uint64_t bytes);

}  // namespace fenceline::user
