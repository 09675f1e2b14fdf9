#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/page_table.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_page_tables {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

constexpr std::uint64_t kTableAt = 0xFFFF'B000'0000'0000;
constexpr std::uint64_t kSystem = 1ULL << 47;
constexpr std::uint64_t kReserve = 0x10000;  // VRAM that the driver keeps

DXGK_PTE pte(UINT segment, std::uint64_t page, UINT64 flags = DXGK_PTE::kValid) {
  DXGK_PTE entry{};
  entry.Flags = flags | static_cast<UINT64>(segment) << DXGK_PTE::kSegmentShift;
  entry.PageAddress = page;
  return entry;
}

struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    system_process = system.create_process(true);
    process = system.create_process();
    port.calls.clear();
  }
  NTSTATUS update(std::vector<DXGK_PTE> entries, UINT level = 0, UINT start = 0, UINT flags = 0,
                  UINT count = 0) const {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    args.UpdatePageTable = {};
    args.UpdatePageTable.PageTableLevel = level;
    args.UpdatePageTable.PageTableAddress.CpuVirtual = fenceline::support::opaque(kTableAt);
    args.UpdatePageTable.pPageTableEntries = entries.data();
    args.UpdatePageTable.StartIndex = start;
    args.UpdatePageTable.NumPageTableEntries =
        count != 0 ? count : static_cast<UINT>(entries.size());
    args.UpdatePageTable.Flags.Value = flags;
    args.UpdatePageTable.UpdateMode = mode;
    return system.ddi.DxgkDdiBuildPagingBuffer(system.adapter, &args);
  }
  std::uint64_t stored(UINT index) { return port.memory[kTableAt + 8 * index]; }
  MockHostPort port;
  MockSystem system{port};
  HANDLE system_process = nullptr;
  HANDLE process = nullptr;
  DXGK_PAGETABLEUPDATEMODE mode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
};

}  // namespace

TEST_CASE("leaf entries are translated bit for bit", "[kmd][paging]") {
  Machine machine;
  const UINT64 read_only = DXGK_PTE::kValid | DXGK_PTE::kReadOnly;
  const UINT64 harmless = DXGK_PTE::kValid | DXGK_PTE::kCacheCoherent | DXGK_PTE::kNoExecute |
                          DXGK_PTE::kSystemReserved0;
  REQUIRE(machine.update({pte(0, 0x12345), pte(1, 0x2), pte(0, 0x7, read_only),
                          pte(1, 0x3, read_only), pte(1, 0x99, 0), pte(0, 0x8, harmless)}) ==
          STATUS_SUCCESS);
  CHECK(machine.stored(0) == (kSystem | 0x12345003));
  CHECK(machine.stored(1) == kReserve + 0x2003);
  CHECK(machine.stored(2) == (kSystem | 0x7001));
  CHECK(machine.stored(3) == kReserve + 0x3001);
  CHECK(machine.stored(4) == 0);
  CHECK(machine.stored(5) == (kSystem | 0x8003));
}

TEST_CASE("entries of the upper levels point at tables and are never writable", "[kmd][paging]") {
  Machine machine;
  REQUIRE(machine.update({pte(1, 0x20), pte(0, 0x30)}, 1) == STATUS_SUCCESS);
  CHECK(machine.stored(0) == kReserve + 0x20001);
  CHECK(machine.stored(1) == (kSystem | 0x30001));
  REQUIRE(machine.update({pte(1, 0x40)}, 2) == STATUS_SUCCESS);
  CHECK(machine.stored(0) == kReserve + 0x40001);
}

TEST_CASE("entries are stored from the start index in lines of 64 bytes", "[kmd][paging]") {
  Machine machine;
  std::vector<DXGK_PTE> entries;
  for (std::uint64_t page = 0; page < 20; ++page) entries.push_back(pte(0, page));
  REQUIRE(machine.update(entries, 0, 5) == STATUS_SUCCESS);
  const auto stores = machine.port.calls_of({Kind::kWriteMemory});
  REQUIRE(stores.size() == 4);
  CHECK(stores[0].where == kTableAt + 40);
  CHECK(stores[0].bytes == 24);
  CHECK(stores[1].bytes == 64);
  CHECK(stores[3].where == kTableAt + 8 * 24);
  CHECK(stores[3].bytes == 8);
  for (UINT i = 0; i < 20; ++i) CHECK(machine.stored(5 + i) == (kSystem | i << 12 | 3));
  CHECK(machine.stored(4) == 0);
  CHECK(machine.stored(25) == 0);
  CHECK(machine.port.calls.back().kind == Kind::kBarrier);
}

TEST_CASE("a repeated entry goes to all places", "[kmd][paging]") {
  Machine machine;
  REQUIRE(machine.update({pte(0, 0x5)}, 0, 510, DXGK_UPDATEPAGETABLEFLAGS::kRepeat, 2) ==
          STATUS_SUCCESS);
  CHECK(machine.stored(510) == (kSystem | 0x5003));
  CHECK(machine.stored(511) == (kSystem | 0x5003));
}

TEST_CASE("an update with a bad entry stores nothing", "[kmd][paging]") {
  Machine machine;
  DXGK_PTE bad = pte(0, 1);
  SECTION("the aperture segment") { bad = pte(2, 1); }
  SECTION("an unknown segment") { bad = pte(31, 1); }
  SECTION("a large page") { bad = pte(0, 1, DXGK_PTE::kValid | DXGK_PTE::kLargePage); }
  SECTION("a zero page") { bad = pte(0, 1, DXGK_PTE::kValid | DXGK_PTE::kZero); }
  SECTION("a table of 64 KiB pages") {
    bad = pte(0, 1, DXGK_PTE::kValid | 1ULL << DXGK_PTE::kPageTablePageSizeShift);
  }
  SECTION("another adapter of a link") {
    bad = pte(0, 1, DXGK_PTE::kValid | 1ULL << DXGK_PTE::kPhysicalAdapterIndexShift);
  }
  SECTION("an address beyond the bus") { bad = pte(0, 1ULL << 35); }
  SECTION("an address beyond 64 bits") { bad = pte(0, 1ULL << 52); }
  CHECK(machine.update({pte(0, 1), bad}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.update({bad, pte(0, 1)}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("an update out of the table is refused", "[kmd][paging]") {
  Machine machine;
  CHECK(machine.update({pte(0, 1)}, 3) == STATUS_INVALID_PARAMETER);
  CHECK(machine.update({pte(0, 1)}, 0, 512) == STATUS_INVALID_PARAMETER);
  CHECK(machine.update({pte(0, 1), pte(0, 2)}, 0, 511) == STATUS_INVALID_PARAMETER);
  CHECK(machine.update({pte(0, 1)}, 0, 1, DXGK_UPDATEPAGETABLEFLAGS::kRepeat, 0xFFFFFFFF) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("an update without a table or entries is refused", "[kmd][paging]") {
  Machine machine;
  DXGK_PTE entry = pte(0, 1);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  args.UpdatePageTable = {};
  args.UpdatePageTable.NumPageTableEntries = 1;
  SECTION("no table") { args.UpdatePageTable.pPageTableEntries = &entry; }
  SECTION("no entries") {
    args.UpdatePageTable.PageTableAddress.CpuVirtual = fenceline::support::opaque(kTableAt);
  }
  CHECK(machine.system.ddi.DxgkDdiBuildPagingBuffer(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("updates that the driver has no code for are not supported", "[kmd][paging]") {
  Machine machine;
  CHECK(machine.update({pte(0, 1)}, 0, 0, DXGK_UPDATEPAGETABLEFLAGS::kUse64KBPages) ==
        STATUS_NOT_SUPPORTED);
  machine.mode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
  CHECK(machine.update({pte(0, 1)}) == STATUS_NOT_SUPPORTED);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_NOTIFY_ALLOC;
  CHECK(machine.system.ddi.DxgkDdiBuildPagingBuffer(machine.system.adapter, &args) ==
        STATUS_NOT_SUPPORTED);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a TLB flush invalidates the address space of the process", "[kmd][paging]") {
  Machine machine;
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FLUSH_TLB;
  args.FlushTlb = {};
  args.FlushTlb.hProcess = machine.process;
  CHECK(machine.system.ddi.DxgkDdiBuildPagingBuffer(machine.system.adapter, &args) ==
        STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{abi::kMmuInvalidate, 1}});
  CHECK(machine.port.calls.front().kind == Kind::kBarrier);
  args.FlushTlb.hProcess = nullptr;
  CHECK(machine.system.ddi.DxgkDdiBuildPagingBuffer(machine.system.adapter, &args) ==
        STATUS_INVALID_HANDLE);
  Machine other;
  args.FlushTlb.hProcess = other.process;
  CHECK(machine.system.ddi.DxgkDdiBuildPagingBuffer(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
}

TEST_CASE("the root goes to the address space of the context", "[kmd][paging]") {
  Machine machine;
  const HANDLE device = machine.system.create_device(machine.process);
  DXGKARG_SETROOTPAGETABLE args{};
  SECTION("in VRAM") {
    args.hContext = machine.system.create_hw_context(device);
    args.Address = {1, 0, 0x3000};
    machine.port.calls.clear();
    machine.system.ddi.DxgkDdiSetRootPageTable(machine.system.adapter, &args);
    CHECK(machine.port.register_writes() ==
          Writes{{abi::kMmuRoot + 8, kReserve + 0x3001}, {abi::kMmuInvalidate, 1}});
  }
  SECTION("in system memory, of the system context") {
    DXGKARG_CREATECONTEXT context{};
    context.Flags.Value = DXGK_CREATECONTEXTFLAGS::kSystemContext;
    REQUIRE(machine.system.ddi.DxgkDdiCreateContext(
                machine.system.create_device(machine.system_process), &context) == STATUS_SUCCESS);
    args.hContext = context.hContext;
    args.Address = {0, 0, 0x55000};
    machine.port.calls.clear();
    machine.system.ddi.DxgkDdiSetRootPageTable(machine.system.adapter, &args);
    CHECK(machine.port.register_writes() ==
          Writes{{abi::kMmuRoot, kSystem | 0x55001}, {abi::kMmuInvalidate, 0}});
  }
}

TEST_CASE("a bad root is left out", "[kmd][paging]") {
  Machine machine;
  Machine other;
  const HANDLE device = machine.system.create_device(machine.process);
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = machine.system.create_hw_context(device);
  args.Address = {1, 0, 0x3000};
  SECTION("an unaligned address") { args.Address.SegmentOffset = 0x3008; }
  SECTION("the aperture segment") { args.Address.SegmentId = 2; }
  SECTION("not a context") { args.hContext = device; }
  SECTION("a context of another adapter") {
    args.hContext = other.system.create_hw_context(other.system.create_device(other.process));
  }
  machine.port.calls.clear();
  machine.system.ddi.DxgkDdiSetRootPageTable(machine.system.adapter, &args);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("the root table has one size", "[kmd][paging]") {
  Machine machine;
  DXGKARG_GETROOTPAGETABLESIZE args{1, 0};
  CHECK(machine.system.ddi.DxgkDdiGetRootPageTableSize(machine.system.adapter, &args) == 4096);
  CHECK(args.NumberOfPte == 512);
}

}  // namespace fenceline::kmd_tests::test_page_tables
