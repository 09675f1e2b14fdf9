#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_paging_buffer {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

constexpr std::uint64_t kBufferAt = 0xFFFF'C000'0000'0000;
constexpr std::uint64_t kReserve = 0x10000;
constexpr std::uint64_t kPage = 4096;
constexpr UINT kAperture = 2;

struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    abi::AllocationPrivateData data{4 * kPage, 3, 0, 0, 0};
    DXGK_ALLOCATIONINFO info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
    DXGKARG_CREATEALLOCATION create{};
    create.NumAllocations = 1;
    create.pAllocationInfo = &info;
    REQUIRE(system.ddi.DxgkDdiCreateAllocation(system.adapter, &create) == STATUS_SUCCESS);
    allocation = info.hAllocation;
    port.memory.clear();
  }
  /// From VRAM to the pages of `list`.
  DXGKARG_BUILDPAGINGBUFFER transfer(SIZE_T bytes = 4 * kPage) const {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer = {};
    args.Transfer.hAllocation = allocation;
    args.Transfer.TransferSize = bytes;
    args.Transfer.Source.SegmentId = 1;
    args.Transfer.Source.SegmentAddress.QuadPart = 8 * kPage;
    args.Transfer.Destination.pMdl = &list;
    return args;
  }
  DXGKARG_BUILDPAGINGBUFFER fill() const {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_FILL;
    args.Fill = {};
    args.Fill.hAllocation = allocation;
    args.Fill.FillSize = 2 * kPage;
    args.Fill.FillPattern = 0xAB;
    args.Fill.Destination.SegmentId = 1;
    args.Fill.Destination.SegmentAddress.QuadPart = kPage;
    return args;
  }
  DXGKARG_BUILDPAGINGBUFFER map() const {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    args.MapApertureSegment = {nullptr, allocation, kAperture, 100, 4, &list, {}, 0};
    return args;
  }
  NTSTATUS build(DXGKARG_BUILDPAGINGBUFFER& args, UINT room = 4096) const {
    args.pDmaBuffer = fenceline::support::opaque(kBufferAt);
    args.DmaSize = room;
    return system.ddi.DxgkDdiBuildPagingBuffer(system.adapter, &args);
  }
  template <typename Packet>
  Packet packet(std::size_t number) {
    Packet result;
    for (std::size_t at = 0; at < sizeof result; at += 8)
      std::memcpy(reinterpret_cast<char*>(&result) + at,
                  &port.memory[kBufferAt + number * sizeof result + at], 8);
    return result;
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE allocation = nullptr;
  UINT64 pages[4] = {0x50, 0x51, 0x90, 0x30};
  MDL list{4 * kPage, pages};
};

std::size_t written(const DXGKARG_BUILDPAGINGBUFFER& args) {
  return reinterpret_cast<std::uint64_t>(args.pDmaBuffer) - kBufferAt;
}

}  // namespace

TEST_CASE("a transfer is a copy of physical addresses a run of pages", "[kmd][memory]") {
  Machine machine;
  auto args = machine.transfer();
  REQUIRE(machine.build(args) == STATUS_SUCCESS);
  REQUIRE(written(args) == 3 * sizeof(abi::CopyPacket));
  const auto first = machine.packet<abi::CopyPacket>(0);
  CHECK(first.header.opcode == abi::Opcode::kCopy);
  CHECK(first.header.flags == abi::kPhysicalAddresses);
  CHECK(first.source == kReserve + 8 * kPage);
  CHECK(first.destination == (abi::kSystemMemoryBit | 0x50 * kPage));
  CHECK(first.bytes == 2 * kPage);
  CHECK(machine.packet<abi::CopyPacket>(1).source == kReserve + 10 * kPage);
  CHECK(machine.packet<abi::CopyPacket>(2).destination == (abi::kSystemMemoryBit | 0x30 * kPage));
}

TEST_CASE("a transfer that does not fit goes on where it stopped", "[kmd][memory]") {
  Machine machine;
  auto args = machine.transfer();
  REQUIRE(machine.build(args, sizeof(abi::CopyPacket)) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  CHECK(args.MultipassOffset == 2);
  REQUIRE(machine.build(args) == STATUS_SUCCESS);
  CHECK(written(args) == 2 * sizeof(abi::CopyPacket));
  CHECK(machine.packet<abi::CopyPacket>(0).destination == (abi::kSystemMemoryBit | 0x90 * kPage));
}

TEST_CASE("a bad transfer writes nothing", "[kmd][memory]") {
  Machine machine;
  const auto refused = [&](NTSTATUS status, auto&& change) {
    auto args = machine.transfer();
    change(args.Transfer);
    CHECK(machine.build(args) == status);
    CHECK(written(args) == 0);
  };
  const NTSTATUS invalid = STATUS_INVALID_PARAMETER;
  refused(STATUS_NOT_SUPPORTED, [](auto& t) { t.Flags.Value = DXGK_TRANSFERFLAGS::kSwizzle; });
  refused(STATUS_INVALID_HANDLE, [](auto& t) { t.hAllocation = nullptr; });
  refused(invalid, [](auto& t) { t.TransferSize = 100; });
  refused(invalid, [](auto& t) { t.TransferSize = 5 * kPage; });
  refused(invalid, [](auto& t) { t.TransferOffset = kPage; });
  refused(invalid, [](auto& t) { t.Source.SegmentAddress.QuadPart = 100; });
  refused(invalid, [](auto& t) { t.Source.SegmentAddress.QuadPart = 1LL << 50; });
  refused(invalid, [](auto& t) { t.Source.SegmentId = 3; });
  refused(invalid, [](auto& t) { t.Source.SegmentId = kAperture; });  // nothing is mapped there
  refused(invalid, [](auto& t) { t.Destination.pMdl = nullptr; });
  refused(invalid, [](auto& t) { t.MdlOffset = 1; });
  CHECK(machine.port.memory.empty());
}

TEST_CASE("a transfer of no bytes is a notice", "[kmd][memory]") {
  Machine machine;
  auto args = machine.transfer(0);
  CHECK(machine.build(args) == STATUS_SUCCESS);
  CHECK(written(args) == 0);
}

TEST_CASE("a fill stores its pattern in a memory segment", "[kmd][memory]") {
  Machine machine;
  auto args = machine.fill();
  REQUIRE(machine.build(args) == STATUS_SUCCESS);
  const auto packet = machine.packet<abi::FillPacket>(0);
  CHECK(packet.header.opcode == abi::Opcode::kFill);
  CHECK(packet.header.flags == abi::kPhysicalAddresses);
  CHECK(packet.address == kReserve + kPage);
  CHECK(packet.bytes == 2 * kPage);
  CHECK(packet.pattern == 0xAB'0000'00AB);
  args = machine.fill();
  CHECK(machine.build(args, 8) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  args = machine.fill();
  args.Fill.Destination.SegmentId = kAperture;
  CHECK(machine.build(args) == STATUS_INVALID_PARAMETER);
  args = machine.fill();
  args.Fill.FillSize = 5 * kPage;
  CHECK(machine.build(args) == STATUS_INVALID_PARAMETER);
  args = machine.fill();
  args.Fill.hAllocation = machine.system.adapter;
  CHECK(machine.build(args) == STATUS_INVALID_HANDLE);
}

TEST_CASE("the aperture segment leads to system memory then to the dummy page", "[kmd][memory]") {
  Machine machine;
  auto map = machine.map();
  REQUIRE(machine.build(map) == STATUS_SUCCESS);
  CHECK(written(map) == 0);
  auto args = machine.transfer();
  args.Transfer.Source.SegmentId = kAperture;
  args.Transfer.Source.SegmentAddress.QuadPart = 100 * kPage;
  args.Transfer.Destination.SegmentId = 1;
  args.Transfer.Destination.SegmentAddress.QuadPart = 0;
  REQUIRE(machine.build(args) == STATUS_SUCCESS);
  CHECK(machine.packet<abi::CopyPacket>(1).source == (abi::kSystemMemoryBit | 0x90 * kPage));
  DXGKARG_BUILDPAGINGBUFFER unmap{};
  unmap.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  unmap.UnmapApertureSegment = {nullptr, machine.allocation, kAperture, 102, 1, {}};
  unmap.UnmapApertureSegment.DummyPage.QuadPart = 0x77 * kPage;
  REQUIRE(machine.build(unmap) == STATUS_SUCCESS);
  args.MultipassOffset = 0;
  REQUIRE(machine.build(args) == STATUS_SUCCESS);
  CHECK(machine.packet<abi::CopyPacket>(1).source == (abi::kSystemMemoryBit | 0x77 * kPage));
}

TEST_CASE("bad ranges of the aperture segment are refused", "[kmd][memory]") {
  Machine machine;
  const auto refused = [&](NTSTATUS status, auto&& change) {
    auto args = machine.map();
    change(args.MapApertureSegment);
    CHECK(machine.build(args) == status);
  };
  refused(STATUS_INVALID_HANDLE, [&](auto& m) { m.hAllocation = machine.system.adapter; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.SegmentId = 1; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.NumberOfPages = 0; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.NumberOfPages = 5; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.pMdl = nullptr; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.MdlOffset = 1; });
  refused(STATUS_INVALID_PARAMETER, [](auto& m) { m.OffsetInPages = 1ULL << 40; });
  DXGKARG_BUILDPAGINGBUFFER unmap{};
  unmap.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  unmap.UnmapApertureSegment = {nullptr, machine.allocation, kAperture, 0, 1, {}};
  unmap.UnmapApertureSegment.DummyPage.QuadPart = 100;
  CHECK(machine.build(unmap) == STATUS_INVALID_PARAMETER);
}

}  // namespace fenceline::kmd_tests::test_paging_buffer
