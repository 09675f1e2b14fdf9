#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "tb/os/kernel.h"

namespace fenceline::user {

/// A fence as the user-mode driver knows it.
struct UserFence {
  D3DKMT_HANDLE handle = 0;
  std::uint32_t slot = 0;                    ///< of a native fence, from the driver's private data
  D3DGPU_VIRTUAL_ADDRESS current_value = 0;  ///< of the GPU, 0 if it has no access
  const void* current_value_cpu = nullptr;   ///< user mapping, read only
  bool monitored = false;                    ///< else native
  bool narrow = false;                       ///< the GPU stores its low 32 bits only
  bool traced = false;  ///< it is logged with verbose logging only: no CPU waits for it
};

/// Records packets. All functions run in a thread of the process and take simulated time.
class CommandWriter {
 public:
  virtual ~CommandWriter() = default;

  virtual void signal(const UserFence& fence, std::uint64_t value) = 0;
  virtual void wait(const UserFence& fence, std::uint64_t value) = 0;
  /// Hands over everything written so far.
  virtual void submit() = 0;

  void write(D3DGPU_VIRTUAL_ADDRESS address, std::uint64_t value) {
    const abi::WritePacket packet{{abi::Opcode::kWrite, flags_, sizeof packet}, address, value};
    add_bytes(&packet, sizeof packet);
  }
  void copy(D3DGPU_VIRTUAL_ADDRESS source, D3DGPU_VIRTUAL_ADDRESS destination,
            std::uint64_t bytes) {
    const abi::CopyPacket packet{
        {abi::Opcode::kCopy, flags_, sizeof packet}, source, destination, bytes};
    add_bytes(&packet, sizeof packet);
  }
  /// Work without a shape is a packet that ends before it.
  void work(abi::Opcode opcode, const abi::WorkPacket& packet) {
    abi::WorkPacket whole = packet;
    const bool shape = packet.threads != 0 || packet.triangles + packet.pixels != 0;
    const std::uint32_t bytes = shape ? sizeof whole : abi::kShapelessWork;
    whole.header = {opcode, static_cast<std::uint16_t>(packet.header.flags | flags_), bytes};
    add_bytes(&whole, bytes);
  }
  /// A packet as it is.
  template <class Packet>
  void packet(const Packet& packet) {
    add_bytes(&packet, sizeof packet);
  }
  void barrier(abi::Opcode opcode) {
    const abi::PacketHeader packet{opcode, 0, sizeof packet};
    add_bytes(&packet, sizeof packet);
  }

 protected:
  std::uint16_t flags_ = 0;  ///< of packets with addresses
  /// Appends one command.
  virtual void add_bytes(const void* data, std::uint64_t bytes) = 0;
};

/// Stores bytes to system memory from the core of the current thread.
void store_bytes(os::Kernel& kernel, std::uint64_t address, const void* data, std::uint64_t bytes);

}  // namespace fenceline::user
