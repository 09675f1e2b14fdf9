#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

/// Packets of a hardware queue: part 2 of the contract between hardware and user-mode driver.
///
/// A ring is a power-of-two buffer. Its write and read pointers count bytes since the queue was
/// created. A packet is a header and its operands. It is 8-aligned and never wraps: kNop fills the
/// end of the ring. Little endian. The layout is our own.
namespace fenceline::abi {

enum class Opcode : std::uint16_t {
#define PACKET(number, opcode, name, payload, traits) opcode = (number),
#include "models/abi/packets.def"
};
constexpr std::uint16_t kOpcodes[] = {
#define PACKET(number, opcode, name, payload, traits) (number),
#include "models/abi/packets.def"
};
constexpr std::size_t kOpcodeCount = std::size(kOpcodes);

/// Properties of all packets with one opcode.
enum PacketTrait : std::uint8_t {
  kNoTrait = 0,
  /// Only the device makes it; a stream with it is refused.
  kDeviceOnly = 1,
  /// User mode may use it in a buffer with physical addresses; then its addresses are bound.
  kPatchable = 2,
  /// Its execution sends nothing to the CMP.
  kSilent = 4,
  /// Reports or logs what other packets have done.
  kReport = 8
};
bool has_trait(Opcode opcode, PacketTrait trait);
/// Upper-case name as reports print it, e.g. "SIGNAL".
const char* opcode_name(Opcode opcode);

struct PacketHeader {
  Opcode opcode;        ///< @0
  std::uint16_t flags;  ///< @2: packet flags below, e.g. kLogFollows
  std::uint32_t bytes;  ///< @4: size of the whole packet, a multiple of 8
};
/// Calls function(address, bytes) with each address that kBound makes relative, until one returns
/// false. Packets with such an address have an overload. False if a call returned false.
template <typename Packet, typename Function>
bool each_address(Packet& /*packet*/, Function&& /*function*/) {
  return true;
}

/// The next packet is the LOG of this packet. The engine executes both as one command.
constexpr std::uint16_t kLogFollows = 1;
/// FENCE_WRITE: interrupt the CPU when the value is visible.
constexpr std::uint16_t kNotify = 2;
/// FENCE_WRITE: store the low 32 bits only.
constexpr std::uint16_t kNarrow = 4;
/// LOG: only a trace needs the entry; see kQueueVerboseLogs.
constexpr std::uint16_t kVerboseLog = 8;

/// COPY and FILL of the system process: the addresses are GPU physical. In another address space
/// the device refuses such a packet.
constexpr std::uint16_t kPhysicalAddresses = 16;

/// RUN_BUFFER: resume from the saved state of the context if that state belongs to this buffer.
constexpr std::uint16_t kResume = 64;
/// RUN_BUFFER without bytes: the node has no context from now on. When the buffer is complete, the
/// state of the node's last context is in memory.
constexpr std::uint16_t kNullContext = 128;

/// WRITE, COPY, DISPATCH and DRAW: addresses are relative to the memory bound to a slot; see
/// bound_address. In a buffer with physical addresses no other address reaches memory.
constexpr std::uint16_t kBound = 256;
/// RUN_BUFFER: its address is GPU physical, and its packets bind physical addresses.
constexpr std::uint16_t kPhysicalBuffer = 512;
/// RUN_BUFFER: the driver wrote the buffer itself. Other buffers may not use WAIT_BLANK and FLIP.
constexpr std::uint16_t kDriverBuffer = 2048;
/// BIND: the address is an index of a word in the table that BIND_TABLE names.
constexpr std::uint16_t kFromTable = 1024;

/// SIGNAL and WAIT.
struct FencePacket {
  PacketHeader header;
  std::uint32_t fence_slot;     ///< @8: slot in the CMP's fence table
  std::uint32_t cookie;         ///< @12: chosen by the writer; reports show it
  std::uint64_t current_value;  ///< @16: GPU virtual address of CurrentValue
  std::uint64_t value;          ///< @24
};
struct WritePacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU virtual address, 8-aligned
  std::uint64_t value;    ///< @16
};
template <typename Function>
bool each_address(WritePacket& packet, Function&& function) {
  return function(packet.address, sizeof packet.value);
}
/// Payload of a log entry. The engine adds the timestamps.
struct LogPacket {
  PacketHeader header;
  std::uint32_t reserved0;       ///< @8: 0; the device counts the log entries itself
  std::uint32_t native_fence;    ///< @12: user-mode handle of the fence
  std::uint64_t fence_value;     ///< @16
  std::uint32_t operation_type;  ///< @24: 0 signal executed, 1 wait unblocked
  std::uint32_t reserved;        ///< @28: 0
};
struct CopyPacket {
  PacketHeader header;
  std::uint64_t source;       ///< @8: GPU virtual addresses
  std::uint64_t destination;  ///< @16
  std::uint64_t bytes;        ///< @24
};
template <typename Function>
bool each_address(CopyPacket& packet, Function&& function) {
  return function(packet.source, packet.bytes) && function(packet.destination, packet.bytes);
}
/// Distribution of the durations of thread groups around their mean.
enum class GroupTimes : std::uint16_t { kUniform = 0, kLognormal = 1 };
/// DISPATCH and DRAW: writes go through the caches and leave no dirty line.
constexpr std::uint16_t kWriteThrough = 32;

/// Dispatch and draw: work given by duration or by shape, with memory traffic.
///
/// A packet that ends before the shape fields has no shape. A dispatch with threads runs as many
/// groups at once as fit on the chip. The pipeline gives the time of a draw with triangles or
/// pixels.
struct WorkPacket {
  PacketHeader header;
  std::uint64_t duration;     ///< @8: [ps] of undisturbed execution; with threads: mean per group
  std::uint64_t address;      ///< @16: GPU virtual address of the traffic
  std::uint64_t read_bytes;   ///< @24
  std::uint64_t write_bytes;  ///< @32
  std::uint32_t units;        ///< @40: thread groups or primitives
  std::uint32_t cookie;       ///< @44
  // Shape.
  std::uint32_t threads;       ///< @48: per group
  std::uint32_t registers;     ///< @52: 32-bit registers per thread
  std::uint32_t shared_bytes;  ///< @56: per group
  std::uint16_t variation;     ///< @60: coefficient of variation of groups, in thousandths
  GroupTimes distribution;     ///< @62
  std::uint64_t triangles;     ///< @64: per draw
  std::uint64_t pixels;        ///< @72: per draw
};
/// Memory traffic stays near its address.
template <typename Function>
bool each_address(WorkPacket& packet, Function&& function) {
  return packet.read_bytes + packet.write_bytes == 0 || function(packet.address, 0);
}
/// Bytes of a work packet without a shape.
constexpr std::size_t kShapelessWork = 48;
struct IndirectPacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU virtual address of the buffer
  std::uint64_t bytes;    ///< @16: a multiple of 8
};

/// A DMA buffer that the kernel-mode driver submits.
struct RunBufferPacket {
  PacketHeader header;
  std::uint64_t address;        ///< @8: GPU virtual address of the buffer
  std::uint64_t bytes;          ///< @16: a multiple of 8
  std::uint16_t address_space;  ///< @24: VMID
  std::uint16_t context;        ///< @26: slot of kContextTable; 0: not preemptible
  std::uint32_t submission_id;  ///< @28: reported at completion
};
struct FenceWritePacket {
  PacketHeader header;    ///< flags: kNotify, kNarrow
  std::uint64_t address;  ///< @8: GPU virtual address of the value
  std::uint64_t value;    ///< @16
};

struct FillPacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU virtual address
  std::uint64_t bytes;    ///< @16: a multiple of 8
  std::uint64_t pattern;  ///< @24: repeated
};

/// Scans out this primary at once. Only buffers of the kernel-mode driver may use it.
struct FlipPacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU physical
};
/// Number of binding slots of a node. A binding stays until it is replaced, even when the node runs
/// another context. Only a preempted buffer gets its own bindings back.
constexpr std::uint32_t kBindingSlots = 8;
constexpr std::uint32_t kSlotShift = 56;
/// Address operand of a kBound packet.
constexpr std::uint64_t bound_address(std::uint32_t slot, std::uint64_t offset) {
  return std::uint64_t{slot} << kSlotShift | offset;
}
constexpr std::uint32_t slot_of(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> kSlotShift);
}
constexpr std::uint64_t offset_of(std::uint64_t address) {
  return address & ((1ULL << kSlotShift) - 1);
}
struct BindPacket {
  PacketHeader header;    ///< flags: kFromTable
  std::uint32_t slot;     ///< @8
  std::uint32_t cookie;   ///< @12: chosen by the writer
  std::uint64_t address;  ///< @16: GPU physical; 0: nothing
  std::uint64_t bytes;    ///< @24
};
/// Comes in the ring before its RUN_BUFFER.
struct BindTablePacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU physical address of 64-bit words
  std::uint64_t reserved[2] = {};
};

/// All buffers before the preemption are complete or stopped, and their writes are visible.
struct PreemptedPacket {
  PacketHeader header;
  std::uint32_t preemption_id;   ///< @8
  std::uint32_t last_completed;  ///< @12: submission id
};

/// A hardware-queue context has left its node. Only the device makes it.
struct SuspendedPacket {
  PacketHeader header;
  std::uint32_t context;   ///< @8: slot of the context
  std::uint32_t reserved;  ///< @12
  std::uint64_t fence;     ///< @16: fence value of the suspension
};

/// The node gave up this buffer. All buffers before it are complete; their writes and its own are
/// visible.
struct FaultedPacket {
  PacketHeader header;
  std::uint32_t submission_id;  ///< @8
  std::uint32_t code;           ///< @12: FaultCode
  std::uint64_t address;        ///< @16: GPU virtual, 0: none
};

static_assert(sizeof(PacketHeader) == 8);
static_assert(sizeof(FencePacket) == 32);
static_assert(sizeof(WritePacket) == 24);
static_assert(sizeof(LogPacket) == 32);
static_assert(sizeof(CopyPacket) == 32);
static_assert(sizeof(WorkPacket) == 80);
static_assert(offsetof(WorkPacket, threads) == kShapelessWork);
static_assert(sizeof(IndirectPacket) == 24);
static_assert(sizeof(RunBufferPacket) == 32);
static_assert(sizeof(FenceWritePacket) == 24);
static_assert(sizeof(FillPacket) == 32);
static_assert(sizeof(PreemptedPacket) == 16);
static_assert(sizeof(SuspendedPacket) == 24);
static_assert(sizeof(FaultedPacket) == 24);
static_assert(sizeof(FlipPacket) == 16);
static_assert(sizeof(BindPacket) == 32);
static_assert(offsetof(BindPacket, address) == 16);
static_assert(sizeof(BindTablePacket) == 32);

constexpr std::size_t kLargestPacket = sizeof(WorkPacket);

/// The struct of a packet.
template <Opcode opcode>
struct PayloadOf;
#define PACKET(number, opcode, name, payload, traits) \
  template <>                                         \
  struct PayloadOf<Opcode::opcode> {                  \
    using Type = payload;                             \
  };
#include "models/abi/packets.def"

/// A packet with these operands, in the order of its struct.
template <Opcode opcode, typename... Operands>
constexpr auto make_packet(std::uint16_t flags, Operands... operands) {
  using Payload = typename PayloadOf<opcode>::Type;
  constexpr std::uint32_t kBytes = sizeof(Payload);
  if constexpr (std::is_same_v<Payload, PacketHeader>)
    return PacketHeader{opcode, flags, kBytes};
  else
    return Payload{{opcode, flags, kBytes}, operands...};
}

/// Calls function(packet) with the packet that begins at `data`, as the struct of its opcode.
/// Operands beyond the packet's end are 0. An unknown packet is a header.
template <typename Function>
auto visit_packet(const void* data, Function&& function) {
  PacketHeader header{};
  std::memcpy(&header, data, sizeof header);
  switch (header.opcode) {
#define PACKET(number, opcode, name, payload, traits)                \
  case Opcode::opcode: {                                             \
    payload packet{};                                                \
    std::memcpy(static_cast<void*>(&packet), data,                   \
                std::min<std::size_t>(header.bytes, sizeof packet)); \
    return function(packet);                                         \
  }
#include "models/abi/packets.def"
  }
  return function(header);
}

}  // namespace fenceline::abi
