#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "models/abi/packets.h"

namespace fenceline::models_tests::test_packets {

namespace abi = fenceline::abi;
using abi::Opcode;

TEST_CASE("a packet has its opcode and its size and its operands", "[packets]") {
  const auto copy = abi::make_packet<Opcode::kCopy>(abi::kBound, 1U, 2U, 3U);
  STATIC_REQUIRE(std::is_same_v<decltype(copy), const abi::CopyPacket>);
  CHECK(copy.header.opcode == Opcode::kCopy);
  CHECK(copy.header.flags == abi::kBound);
  CHECK(copy.header.bytes == sizeof copy);
  CHECK(copy.source == 1);
  CHECK(copy.destination == 2);
  CHECK(copy.bytes == 3);
  const auto barrier = abi::make_packet<Opcode::kBarrier>(0);
  STATIC_REQUIRE(std::is_same_v<decltype(barrier), const abi::PacketHeader>);
  CHECK(barrier.bytes == sizeof barrier);
}

TEST_CASE("each opcode has a name of its own", "[packets]") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < abi::kOpcodeCount; ++i)
    names.insert(abi::opcode_name(static_cast<Opcode>(i)));
  CHECK(names.size() == abi::kOpcodeCount);
  const auto unknown = static_cast<Opcode>(abi::kOpcodeCount);
  CHECK(abi::opcode_name(unknown) == std::string("INVALID"));
  CHECK_FALSE(abi::has_trait(unknown, abi::kPatchable));
  CHECK(abi::has_trait(Opcode::kTimedOut, abi::kDeviceOnly));
  CHECK_FALSE(abi::has_trait(Opcode::kTimedOut, abi::kPatchable));
}

namespace {

/// Addresses of a packet, found from its bytes.
template <class Packet>
std::vector<std::uint64_t> addresses_of(const Packet& packet) {
  std::vector<std::uint64_t> found;
  abi::visit_packet(&packet, [&](auto copy) {
    return abi::each_address(copy, [&](std::uint64_t address, std::uint64_t) {
      found.push_back(address);
      return true;
    });
  });
  return found;
}

}  // namespace

TEST_CASE("a packet lists the addresses that it uses", "[packets]") {
  using Addresses = std::vector<std::uint64_t>;
  CHECK(addresses_of(abi::make_packet<Opcode::kBarrier>(0)).empty());
  CHECK(addresses_of(abi::make_packet<Opcode::kWrite>(0, 8U, 5U)) == Addresses{8});
  CHECK(addresses_of(abi::make_packet<Opcode::kCopy>(0, 8U, 16U, 24U)) == Addresses{8, 16});
  abi::WorkPacket work{};
  work.header = {Opcode::kDraw, 0, sizeof work};
  work.address = 8;
  CHECK(addresses_of(work).empty());
  work.write_bytes = 1;
  CHECK(addresses_of(work) == Addresses{8});
  work.header.bytes = abi::kShapelessWork;
  CHECK(addresses_of(work) == Addresses{8});
  work.header.bytes = sizeof(abi::PacketHeader);
  CHECK(addresses_of(work).empty());
}

}  // namespace fenceline::models_tests::test_packets
