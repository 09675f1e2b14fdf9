#include <catch2/catch.hpp>

#include "models/pcie/ordering_table.h"
#include "models/pcie/wire.h"

namespace fenceline::models_tests::test_pcie {

using fenceline::pcie::LinkConfig;
using fenceline::pcie::may_pass;
using fenceline::pcie::TlpClass;
using fenceline::pcie::TlpOrder;
using fenceline::pcie::Wire;

namespace {
TlpOrder tlp(TlpClass tlp_class, bool relaxed = false, bool id_based = false,
             std::uint32_t requester = 0, std::uint32_t transaction = 0) {
  return {tlp_class, relaxed, id_based, requester, transaction};
}
constexpr TlpClass kPosted = TlpClass::kPosted;
constexpr TlpClass kRead = TlpClass::kReadRequest;
constexpr TlpClass kNonPosted = TlpClass::kNonPostedWithData;
constexpr TlpClass kCompletion = TlpClass::kCompletion;
}  // namespace

TEST_CASE("nothing passes a posted write unless an attribute allows it", "[pcie]") {
  for (const TlpClass later : {kPosted, kRead, kNonPosted, kCompletion})
    CHECK_FALSE(may_pass(tlp(later), tlp(kPosted)));
}

TEST_CASE("relaxed ordering lets posted writes and completions pass posted writes not reads",
          "[pcie]") {
  CHECK(may_pass(tlp(kPosted, true), tlp(kPosted)));
  CHECK(may_pass(tlp(kNonPosted, true), tlp(kPosted)));
  CHECK(may_pass(tlp(kCompletion, true), tlp(kPosted)));
  CHECK_FALSE(may_pass(tlp(kRead, true), tlp(kPosted)));
}

TEST_CASE("the attribute of the earlier packet does not matter", "[pcie]") {
  CHECK_FALSE(may_pass(tlp(kPosted), tlp(kPosted, true)));
}

TEST_CASE("ID-based ordering needs another requester", "[pcie]") {
  for (const TlpClass later : {kPosted, kRead, kNonPosted, kCompletion}) {
    CHECK(may_pass(tlp(later, false, true, 2), tlp(kPosted, false, false, 1)));
    CHECK_FALSE(may_pass(tlp(later, false, true, 1), tlp(kPosted, false, false, 1)));
  }
}

TEST_CASE("posted writes and completions must be able to pass requests", "[pcie]") {
  for (const TlpClass later : {kPosted, kCompletion})
    for (const TlpClass earlier : {kRead, kNonPosted}) CHECK(may_pass(tlp(later), tlp(earlier)));
}

TEST_CASE("completions of one read stay in order", "[pcie]") {
  CHECK_FALSE(may_pass(tlp(kCompletion, false, false, 0, 7), tlp(kCompletion, false, false, 0, 7)));
  CHECK(may_pass(tlp(kCompletion, false, false, 0, 7), tlp(kCompletion, false, false, 0, 8)));
}

TEST_CASE("a write occupies the wire for its bytes and 24 of overhead a packet", "[pcie]") {
  LinkConfig config;
  config.generation = 1;
  config.width_lanes = 16;  // 4000 MB/s, less 4 in 1538
  const Wire wire(config);
  CHECK(wire.megabytes_per_second() == 3990);
  CHECK(wire.write(8) == (8 + 24) * 1'000'000 / 3990 + 1);
  CHECK(wire.write(512) == (512 + 2 * 24) * 1'000'000 / 3990 + 1);
  CHECK(wire.read_request(512) == 24 * 1'000'000 / 3990 + 1);
  CHECK(wire.completion(256) == (256 + 20) * 1'000'000 / 3990 + 1);
}

TEST_CASE("acknowledges and credit updates take what the specification lets them", "[pcie]") {
  LinkConfig config;
  config.generation = 1;
  config.width_lanes = 16;
  config.data_link_packets = true;  // two packets of 8 bytes every 72 bytes
  CHECK(Wire(config).megabytes_per_second() == 3990 - 4000 * 16 / 72);
  config.max_payload_bytes = 128;
  CHECK(Wire(config).megabytes_per_second() == 3990 - 4000 * 16 / 48);
  config.max_payload_bytes = 1024;
  CHECK(Wire(config).megabytes_per_second() == 3990 - 4000 * 16 / 86);
  config.width_lanes = 1;
  config.generation = 5;  // 3938 MB/s, less 4 in 1538
  CHECK(Wire(config).megabytes_per_second() == 3938 - 10 - 3938 * 16 / 655);
}

TEST_CASE("a gap before what answers each request", "[pcie]") {
  LinkConfig config;
  const auto without = Wire(config).completion(1024);
  config.completion_gap = 3000;
  CHECK(Wire(config).completion(1024) == without + 2 * 3000);  // two requests of 512 bytes
}

TEST_CASE("each generation and width doubles the rate roughly", "[pcie]") {
  LinkConfig config;
  std::uint64_t last = 0;
  for (config.generation = 1; config.generation <= 6; ++config.generation) {
    const std::uint64_t rate = Wire(config).megabytes_per_second();
    if (last != 0)
      CHECK(static_cast<double>(rate) / static_cast<double>(last) == Approx(1.97).margin(0.06));
    last = rate;
  }
  config.generation = 7;
  CHECK_THROWS_AS(Wire(config), std::invalid_argument);
}

}  // namespace fenceline::models_tests::test_pcie
