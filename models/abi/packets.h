#pragma once

#include <cstddef>
#include <cstdint>

/// What hardware and user-mode driver agree on, part 2: the packets of a hardware queue.
///
/// A ring is a power-of-two buffer; its write and read pointers count bytes since the queue was
/// created. A packet is a header and its operands, 8-aligned, and never wraps: kNop fills the end.
/// Little endian. This layout is our own.
namespace fenceline::abi {

enum class Opcode : std::uint16_t {
  kNop = 0,       ///< header.bytes are skipped
  kIndirect = 1,  ///< run a buffer elsewhere, then go on
  kSignal = 2,    ///< write CurrentValue, then compare with MonitoredValue
  kWait = 3,      ///< hold the queue until CurrentValue is at least a value
  kWrite = 4,     ///< store 64 bits
  kLog = 5,       ///< log the signal or wait just before it
  kCopy = 6,
  kDispatch = 7,
  kDraw = 8,
  kBarrier = 9,      ///< earlier writes of this queue reach their homes
  kFlush = 10,       ///< the same, through to host memory
  kRunBuffer = 11,   ///< run a DMA buffer in its own address space, then report its completion
  kFenceWrite = 12,  ///< write the value of a monitored fence
  kFill = 13,        ///< store a pattern
  /// Made by the device alone: buffers that were to be stopped are.
  kPreempted = 14,
  kWaitBlank = 15,  ///< go on in vertical blanking; cannot be stopped meanwhile
  kFlip = 16,       ///< write the display's address of the primary
  kBind = 17,       ///< memory that a slot of the node stands for from now on
  kBindTable = 18,  ///< where the BIND packets of the ring's next buffer find their memory
  /// Made by the device alone: a context of hardware queues has left its node.
  kSuspended = 19,
  /// Made by the device alone: a buffer is given up over a packet of it.
  kFaulted = 20,
  /// Made by the device alone: a queue of user mode has hung.
  kTimedOut = 21
};
constexpr std::size_t kOpcodeCount = 22;
/// Upper-case name as reports print it, e.g. "SIGNAL".
const char* opcode_name(Opcode opcode);

struct PacketHeader {
  Opcode opcode;        ///< @0
  std::uint16_t flags;  ///< @2: kLogFollows
  std::uint32_t bytes;  ///< @4: of the whole packet, a multiple of 8
};
/// The next packet is the LOG of this one: both are executed as one command.
constexpr std::uint16_t kLogFollows = 1;
/// FENCE_WRITE: interrupt the CPU when the value is there.
constexpr std::uint16_t kNotify = 2;
/// FENCE_WRITE: store the low 32 bits only.
constexpr std::uint16_t kNarrow = 4;
/// LOG: only a trace wants the entry; see kQueueVerboseLogs.
constexpr std::uint16_t kVerboseLog = 8;

/// COPY and FILL of the system process: the addresses are GPU physical. Elsewhere such a packet is
/// refused.
constexpr std::uint16_t kPhysicalAddresses = 16;

/// RUN_BUFFER: goes on where the saved state of its context says, if that is of this buffer.
constexpr std::uint16_t kResume = 64;
/// RUN_BUFFER without bytes: the node has no context from now on; the state of the one it had is
/// in memory when the buffer is complete.
constexpr std::uint16_t kNullContext = 128;

/// WRITE, COPY, DISPATCH and DRAW: addresses are places in what slots are bound to; see
/// bound_address. In a buffer with physical addresses nothing else reaches memory.
constexpr std::uint16_t kBound = 256;
/// RUN_BUFFER: its address is GPU physical, and so is what its packets bind.
constexpr std::uint16_t kPhysicalBuffer = 512;
/// RUN_BUFFER: the driver has written the buffer itself. In others WAIT_BLANK and FLIP are refused.
constexpr std::uint16_t kDriverBuffer = 2048;
/// BIND: the address is the index of a word of the table that BIND_TABLE names.
constexpr std::uint16_t kFromTable = 1024;

/// Signal and wait.
struct FencePacket {
  PacketHeader header;
  std::uint32_t fence_slot;     ///< @8: slot in the CMP's fence table
  std::uint32_t cookie;         ///< @12: free for the writer; reports show it
  std::uint64_t current_value;  ///< @16: GPU virtual address of CurrentValue
  std::uint64_t value;          ///< @24
};
struct WritePacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU virtual address, 8-aligned
  std::uint64_t value;    ///< @16
};
/// Payload of a log entry; timestamps are the engine's.
struct LogPacket {
  PacketHeader header;
  std::uint32_t reserved0;       ///< @8: 0; the device counts the entries of a log itself
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
/// How the durations of thread groups lie around their mean.
enum class GroupTimes : std::uint16_t { kUniform = 0, kLognormal = 1 };
/// WORK: what it writes goes through the caches, none of which is dirty afterwards.
constexpr std::uint16_t kWriteThrough = 32;

/// Dispatch and draw: work by duration or by shape, and memory traffic.
///
/// A packet that ends before its shape has none. A dispatch with threads runs as many groups at
/// once as the chip has room for; a draw with triangles or pixels takes what the pipeline needs.
struct WorkPacket {
  PacketHeader header;
  std::uint64_t duration;     ///< @8: [ps] of undisturbed execution; with threads: mean of a group
  std::uint64_t address;      ///< @16: GPU virtual address of the traffic
  std::uint64_t read_bytes;   ///< @24
  std::uint64_t write_bytes;  ///< @32
  std::uint32_t units;        ///< @40: thread groups or primitives
  std::uint32_t cookie;       ///< @44
  // The shape.
  std::uint32_t threads;       ///< @48: of a group
  std::uint32_t registers;     ///< @52: of 32 bits, of a thread
  std::uint32_t shared_bytes;  ///< @56: of a group
  std::uint16_t variation;     ///< @60: coefficient of variation of groups, in thousandths
  GroupTimes distribution;     ///< @62
  std::uint64_t triangles;     ///< @64: of the draw
  std::uint64_t pixels;        ///< @72: of the draw
};
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
  std::uint16_t context;        ///< @26: slot of kContextTable, 0: a buffer that runs to its end
  std::uint32_t submission_id;  ///< @28: reported when it is complete
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
  std::uint64_t pattern;  ///< @24: stored again and again
};

/// Scan-out from this primary at once. In buffers of the kernel-mode driver.
struct FlipPacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU physical
};
/// Slots of a node: what was bound last stays bound, whatever context the node runs next. Only a
/// buffer that was stopped gets back what it had bound.
constexpr std::uint32_t kBindingSlots = 8;
constexpr std::uint32_t kSlotShift = 56;
/// Address of kBound packets.
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
  std::uint32_t cookie;   ///< @12: free for the writer
  std::uint64_t address;  ///< @16: GPU physical; 0: nothing
  std::uint64_t bytes;    ///< @24
};
/// Stands in the ring, before its RUN_BUFFER.
struct BindTablePacket {
  PacketHeader header;
  std::uint64_t address;  ///< @8: GPU physical address of 64-bit words
  std::uint64_t reserved[2];
};

/// All buffers before the preemption are complete or stopped, and what they wrote is visible.
struct PreemptedPacket {
  PacketHeader header;
  std::uint32_t preemption_id;   ///< @8
  std::uint32_t last_completed;  ///< @12: submission id
};

/// A context of hardware queues has left its node. Made by the device alone.
struct SuspendedPacket {
  PacketHeader header;
  std::uint32_t context;   ///< @8: its slot
  std::uint32_t reserved;  ///< @12
  std::uint64_t fence;     ///< @16: of the suspension
};

/// All buffers before this one are complete, and what they and it wrote is visible.
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

}  // namespace fenceline::abi
