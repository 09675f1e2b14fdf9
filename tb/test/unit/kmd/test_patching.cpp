// DxgkDdiRender, DxgkDdiPatch and DxgkDdiSubmitCommand.
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "kmd_stub/core/memory/segments.h"
#include "models/abi/packets.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_patching {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using fenceline::support::opaque;
using Location = D3DDDI_PATCHLOCATIONLIST;

namespace {

constexpr UINT kNoSlot = Location::kNoSlot;
constexpr std::uint64_t kBuffer = 0x40000;
constexpr UINT kAddressInBind = offsetof(abi::BindPacket, address);

/// What a user-mode driver records.
struct Commands {
  template <class Packet>
  Commands& add(const Packet& packet) {
    const auto* first = reinterpret_cast<const unsigned char*>(&packet);
    bytes.insert(bytes.end(), first, first + packet.header.bytes);
    return *this;
  }
  Commands& bind(UINT slot, UINT allocation) {
    locations.push_back(
        {allocation, slot, 0, 0, static_cast<UINT>(bytes.size()) + kAddressInBind, 0});
    return add(abi::BindPacket{{abi::Opcode::kBind, 0, sizeof(abi::BindPacket)}, slot, 0, 0, 4096});
  }
  Commands& write(UINT slot, std::uint16_t flags = abi::kBound) {
    return add(abi::WritePacket{
        {abi::Opcode::kWrite, flags, sizeof(abi::WritePacket)}, abi::bound_address(slot, 8), 7});
  }
  Commands& split() {
    locations.push_back({0, kNoSlot, 0, 0, 0, static_cast<UINT>(bytes.size())});
    return *this;
  }
  std::vector<unsigned char> bytes;
  std::vector<Location> locations;
};

/// A context of node 2 of a started adapter, and a list with two allocations.
struct Machine {
  explicit Machine(bool linked = false, bool rebinds = true) {
    port.driver_policy.caps.linked = linked;
    port.driver_policy.caps.rebinds_at_splits = rebinds;
    REQUIRE(system.start() == STATUS_SUCCESS);
    system.create_process(true);
    device = system.create_device(system.create_process());
    DXGKARG_CREATECONTEXT args{};
    args.NodeOrdinal = 2;
    REQUIRE(system.ddi.DxgkDdiCreateContext(device, &args) == STATUS_SUCCESS);
    context = args.hContext;
    for (std::uint64_t i = 1; i < allocations.size(); ++i) {
      allocations[i].hDeviceSpecificAllocation = opaque(i);
      allocations[i].Value = fenceline::kmd::kVramSegment << DXGK_ALLOCATIONLIST::kSegmentShift;
      allocations[i].PhysicalAddress.QuadPart = static_cast<LONGLONG>(0x1000 * i);
    }
    port.calls.clear();
  }
  NTSTATUS render(const Commands& commands, UINT room = 4096, UINT most = 32) {
    DXGKARG_RENDER args{};
    args.pCommand = commands.bytes.data();
    args.CommandLength = static_cast<UINT>(commands.bytes.size());
    args.pDmaBuffer = opaque(kBuffer);
    args.DmaSize = room;
    args.pAllocationList = allocations.data();
    args.AllocationListSize = static_cast<UINT>(allocations.size());
    args.pPatchLocationListIn = commands.locations.data();
    args.PatchLocationListInSize = static_cast<UINT>(commands.locations.size());
    locations.assign(32, {});
    args.pPatchLocationListOut = locations.data();
    args.PatchLocationListOutSize = most;
    const NTSTATUS status = system.ddi.DxgkDdiRender(context, &args);
    locations.resize(static_cast<std::size_t>(args.pPatchLocationListOut - locations.data()));
    const auto* const start = static_cast<std::byte*>(opaque(kBuffer));
    bytes = static_cast<UINT>(static_cast<std::byte*>(args.pDmaBuffer) - start);
    return status;
  }
  /// Of all that was rendered.
  DXGKARG_PATCH patch_arguments() const {
    DXGKARG_PATCH args{};
    args.hContext = context;
    args.DmaBufferPhysicalAddress.QuadPart = kBuffer;
    args.pDmaBuffer = opaque(kBuffer);
    args.DmaBufferSize = args.DmaBufferSubmissionEndOffset = bytes;
    args.pAllocationList = allocations.data();
    args.AllocationListSize = static_cast<UINT>(allocations.size());
    args.pPatchLocationList = locations.data();
    args.PatchLocationListSize = args.PatchLocationListSubmissionLength =
        static_cast<UINT>(locations.size());
    args.SubmissionFenceId = 5;
    return args;
  }
  DXGKARG_SUBMITCOMMAND submit_arguments() const {
    DXGKARG_SUBMITCOMMAND args{};
    args.hContext = context;
    args.DmaBufferPhysicalAddress.QuadPart = kBuffer;
    args.DmaBufferSize = args.DmaBufferSubmissionEndOffset = bytes;
    args.SubmissionFenceId = 5;
    args.NodeOrdinal = 2;
    return args;
  }
  NTSTATUS patch(const DXGKARG_PATCH& args) {
    return system.ddi.DxgkDdiPatch(system.adapter, &args);
  }
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND& args) {
    return system.ddi.DxgkDdiSubmitCommand(system.adapter, &args);
  }
  std::uint64_t word(UINT offset) { return port.memory[kBuffer + offset]; }

  MockHostPort port;
  MockSystem system{port};
  HANDLE device = nullptr;
  HANDLE context = nullptr;
  std::vector<DXGK_ALLOCATIONLIST> allocations{3};
  std::vector<Location> locations;
  UINT bytes = 0;
};

}  // namespace

TEST_CASE("bindings are unbound before a split and made again when used", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0).bind(1, 2).split().write(0).split().write(1);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  std::vector<std::pair<UINT, UINT>> seen;  // slot, allocation
  for (const Location& location : machine.locations)
    seen.emplace_back(location.slot(), location.AllocationIndex);
  CHECK(seen ==
        std::vector<std::pair<UINT, UINT>>{
            {0, 1}, {1, 2}, {0, 0}, {1, 0}, {kNoSlot, 0}, {0, 1}, {0, 0}, {kNoSlot, 0}, {1, 2}});
  CHECK(machine.locations[4].SplitOffset == 4 * 32 + 24);
  CHECK(machine.locations[7].SplitOffset == 6 * 32 + 2 * 24);
  CHECK(machine.bytes == 7 * 32 + 3 * 24);
}

TEST_CASE("a driver that does not bind anew leaves the commands as they are", "[kmd][patching]") {
  Machine machine(false, false);
  Commands commands;
  commands.bind(0, 1).write(0).split().write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  CHECK(machine.bytes == commands.bytes.size());
  CHECK(machine.locations.size() == 2);
}

TEST_CASE("user mode can neither name addresses nor use what is not bound", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  NTSTATUS wanted = STATUS_PRIVILEGED_INSTRUCTION;
  SECTION("a raw write") { commands.bind(0, 1).write(0, 0); }
  SECTION("an address in a BIND") {
    commands.bind(0, 1);
    commands.bytes[kAddressInBind] = 8;
  }
  SECTION("an opcode that is not for it") {
    wanted = STATUS_ILLEGAL_INSTRUCTION;
    commands.add(abi::BindTablePacket{{abi::Opcode::kBindTable, 0, 32}, 0, {}});
  }
  SECTION("a slot that is not there") {
    wanted = STATUS_ILLEGAL_INSTRUCTION;
    commands.bind(abi::kBindingSlots, 1);
  }
  SECTION("a packet that ends too late") {
    wanted = STATUS_ILLEGAL_INSTRUCTION;
    commands.bind(0, 1).bytes.resize(24);
  }
  SECTION("nothing is bound") {
    wanted = STATUS_INVALID_PARAMETER;
    commands.bind(0, 1).write(1);
  }
  SECTION("no such allocation") {
    wanted = STATUS_INVALID_PARAMETER;
    commands.bind(0, 3);
  }
  SECTION("no patch location") {
    wanted = STATUS_INVALID_PARAMETER;
    commands.bind(0, 1).locations.clear();
  }
  SECTION("a patch location too many") {
    wanted = STATUS_INVALID_PARAMETER;
    commands.bind(0, 1).locations.push_back({1, 0, 0, 0, 400, 0});
  }
  CHECK(machine.render(commands) == wanted);
  CHECK(machine.bytes == 0);
  CHECK(machine.locations.empty());
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a buffer that does not fit is not written", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0);
  CHECK(machine.render(commands, 48) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  CHECK(machine.render(commands, 56, 0) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  CHECK(machine.port.calls.empty());
  CHECK(machine.render(commands, 56, 1) == STATUS_SUCCESS);
}

TEST_CASE("each part is patched with its own locations", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0).split().write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  const std::uint64_t address = 0x1000 + fenceline::kmd::kReservedVram;
  // bind, write, unbind | bind, write
  DXGKARG_PATCH args = machine.patch_arguments();
  args.DmaBufferSubmissionEndOffset = 88;
  args.PatchLocationListSubmissionLength = 2;
  REQUIRE(machine.patch(args) == STATUS_SUCCESS);
  CHECK(machine.word(kAddressInBind) == address);
  CHECK(machine.word(56 + kAddressInBind) == 0);
  CHECK(machine.word(88 + kAddressInBind) == 0);
  args.DmaBufferSubmissionStartOffset = 88;
  args.DmaBufferSubmissionEndOffset = machine.bytes;
  args.PatchLocationListSubmissionStart = 2;
  REQUIRE(machine.patch(args) == STATUS_SUCCESS);
  CHECK(machine.word(88 + kAddressInBind) == address);
}

TEST_CASE("a linked adapter keeps addresses out of the buffer", "[kmd][patching]") {
  Machine machine(true);
  Commands commands;
  commands.bind(0, 1).write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  const auto before = machine.port.memory;
  REQUIRE(machine.patch(machine.patch_arguments()) == STATUS_SUCCESS);
  for (UINT at = 0; at < machine.bytes; at += 8) CHECK(machine.word(at) == before.at(kBuffer + at));
  abi::PacketHeader header{};
  const std::uint64_t word = machine.word(0);
  std::memcpy(&header, &word, sizeof header);
  CHECK((header.flags & abi::kFromTable) != 0);
}

TEST_CASE("a linked adapter without memory for its table patches nothing", "[kmd][patching]") {
  Machine machine(true);
  Commands commands;
  commands.bind(0, 1).write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  machine.port.out_of_memory = true;
  CHECK(machine.patch(machine.patch_arguments()) == STATUS_INSUFFICIENT_RESOURCES);
}

TEST_CASE("bad arguments of DxgkDdiPatch change nothing", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  machine.port.calls.clear();
  DXGKARG_PATCH args = machine.patch_arguments();
  NTSTATUS wanted = STATUS_INVALID_PARAMETER;
  SECTION("no context") {
    args.hContext = nullptr;
    wanted = STATUS_INVALID_HANDLE;
  }
  SECTION("no buffer") { args.pDmaBuffer = nullptr; }
  SECTION("another segment") { args.DmaBufferSegmentId = 1; }
  SECTION("flags") { args.Flags.Value = 1; }
  SECTION("another engine") { args.EngineOrdinal = 1; }
  SECTION("an end before the start") { args.DmaBufferSubmissionStartOffset = machine.bytes + 8; }
  SECTION("an end behind the buffer") { args.DmaBufferSubmissionEndOffset += 8; }
  SECTION("a start that is not aligned") { args.DmaBufferSubmissionStartOffset = 4; }
  SECTION("more locations than there are") { ++args.PatchLocationListSubmissionLength; }
  SECTION("no list") { args.pPatchLocationList = nullptr; }
  SECTION("a location of another part") { args.DmaBufferSubmissionStartOffset = 32; }
  SECTION("no such allocation") { machine.locations[0].AllocationIndex = 3; }
  SECTION("an allocation that is nowhere") { machine.allocations[1].Value = 0; }
  CHECK(machine.patch(args) == wanted);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("bad arguments of DxgkDdiSubmitCommand change nothing", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  REQUIRE(machine.patch(machine.patch_arguments()) == STATUS_SUCCESS);
  machine.port.calls.clear();
  DXGKARG_SUBMITCOMMAND args = machine.submit_arguments();
  NTSTATUS wanted = STATUS_INVALID_PARAMETER;
  SECTION("no context") {
    args.hContext = nullptr;
    wanted = STATUS_INVALID_HANDLE;
  }
  SECTION("another node") { args.NodeOrdinal = 1; }
  SECTION("another engine") { args.EngineOrdinal = 1; }
  SECTION("a virtual address") { args.DmaBufferVirtualAddress = 8; }
  SECTION("a flag that is not known") { args.Flags.Value = DXGK_SUBMITCOMMANDFLAGS::kFlip; }
  SECTION("an end behind the buffer") { args.DmaBufferSubmissionEndOffset += 8; }
  SECTION("no address") { args.DmaBufferPhysicalAddress.QuadPart = 0; }
  CHECK(machine.submit(args) == wanted);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a part that was never patched is not run", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  machine.port.calls.clear();
  CHECK(machine.submit(machine.submit_arguments()) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a part runs by its physical address with its context and id", "[kmd][patching]") {
  Machine machine;
  Commands commands;
  commands.bind(0, 1).write(0).split().write(0);
  REQUIRE(machine.render(commands) == STATUS_SUCCESS);
  REQUIRE(machine.patch(machine.patch_arguments()) == STATUS_SUCCESS);
  machine.port.calls.clear();
  DXGKARG_SUBMITCOMMAND args = machine.submit_arguments();
  args.DmaBufferSubmissionStartOffset = 88;
  args.Flags.Value = DXGK_SUBMITCOMMANDFLAGS::kResubmission;
  REQUIRE(machine.submit(args) == STATUS_SUCCESS);
  const auto writes = machine.port.calls_of({HostCall::Kind::kWriteMemory});
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].bytes == sizeof(abi::RunBufferPacket));
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = machine.port.memory[writes[0].where + 8 * i];
  abi::RunBufferPacket packet{};
  std::memcpy(static_cast<void*>(&packet), words.data(), sizeof packet);
  CHECK(packet.header.flags == (abi::kPhysicalBuffer | abi::kResume));
  CHECK(packet.address == ((kBuffer + 88) | abi::kSystemMemoryBit));
  CHECK(packet.bytes == machine.bytes - 88);
  CHECK(packet.submission_id == 5);
}

}  // namespace fenceline::kmd_tests::test_patching
