// The display with a memory that answers at once.
#include <catch2/catch.hpp>
#include <cstring>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/display/display.h"

namespace fenceline::models_tests::test_display {

namespace {

namespace abi = fenceline::abi;
namespace common = fenceline::common;
namespace event = fenceline::event;
using fenceline::display::Display;
using fenceline::display::DisplayConfig;
using fenceline::display::ScanOut;

constexpr common::Time kPeriod = 16 * common::kMillisecond;
constexpr std::uint64_t kBytes = 0x10000;
constexpr std::uint64_t kFirst = 0x10000, kSecond = 0x20000;  ///< two primaries

DisplayConfig config() {
  DisplayConfig result;
  result.refresh_period = kPeriod;
  result.blanking = common::kMillisecond;
  result.primary_bytes = kBytes;
  return result;
}

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> SC_NAMED(socket);
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Memory of 256 KiB, and what long accesses move.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> SC_NAMED(socket);
  std::vector<unsigned char> bytes = std::vector<unsigned char>(0x40000);
  std::uint64_t traffic = 0;

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const std::uint64_t moved = common::attributes_of(payload).traffic_bytes;
    traffic += moved;
    if (moved == 0)
      std::memcpy(payload.get_data_ptr(), bytes.data() + payload.get_address(),
                  payload.get_data_length());
  }
  /// An image: its number at the top and at the bottom.
  void draw(std::uint64_t primary, std::uint64_t top, std::uint64_t bottom) {
    std::memcpy(bytes.data() + primary, &top, sizeof top);
    std::memcpy(bytes.data() + primary + kBytes - sizeof bottom, &bottom, sizeof bottom);
  }
};

struct Cmp : sc_core::sc_module {
  tlm_utils::simple_target_socket<Cmp> SC_NAMED(socket);
  std::vector<common::SignalNotice> notices;

  explicit Cmp(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Cmp::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    std::memcpy(&notices.emplace_back(), payload.get_data_ptr(), sizeof(common::SignalNotice));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Recorder : common::EventSink {
  std::vector<common::Event> events;
  void on_event(const common::Event& event) override { events.push_back(event); }
  template <class E>
  std::vector<common::At<E>> of() const {
    std::vector<common::At<E>> result;
    for (const common::Event& event : events)
      if (event.is<E>()) result.push_back(common::at<E>(event));
    return result;
  }
};

struct Bench {
  common::Simulation simulation{common::Ordering{}};
  Display display{"display", simulation, "gpu0.display", config(), 1};
  Initiator registers{"registers"};
  Memory memory{"memory"};
  Cmp cmp{"cmp"};
  Recorder recorder;

  Bench() {
    registers.socket.bind(display.registers);
    display.memory.bind(memory.socket);
    display.notices.bind(cmp.socket);
    simulation.events.subscribe(recorder);
    memory.draw(kFirst, 1, 1);
    memory.draw(kSecond, 2, 2);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void write(std::uint64_t offset, std::uint64_t value) {
    auto store = simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, offset, &value, 8);
    sc_core::sc_time delay;
    registers.socket->b_transport(store->payload, delay);
    REQUIRE(store->payload.is_response_ok());
  }
  std::uint64_t read(std::uint64_t offset) {
    std::uint64_t value = 0;
    auto load = simulation.transactions.lend(tlm::TLM_READ_COMMAND, offset, &value, 8);
    sc_core::sc_time delay;
    registers.socket->b_transport(load->payload, delay);
    return value;
  }
  static void run_until(common::Time time) {
    sc_core::sc_start(common::kernel_time(time) - sc_core::sc_time_stamp());
  }
};

}  // namespace

TEST_CASE("an address is latched at the next sync or at once", "[display]") {
  ScanOut scan_out(config());
  CHECK_FALSE(scan_out.awake());
  CHECK_FALSE(scan_out.write(kFirst, false));
  CHECK(scan_out.current() == 0);
  CHECK(scan_out.sync(kPeriod));
  CHECK(scan_out.current() == kFirst);
  CHECK(scan_out.write(kSecond, true));
  CHECK(scan_out.current() == kSecond);
  CHECK_FALSE(scan_out.sync(2 * kPeriod));
  CHECK(scan_out.current() == kSecond);
}

TEST_CASE("frames begin at multiples of the period and none begins twice", "[display]") {
  ScanOut scan_out(config());
  CHECK(scan_out.next_sync(0) == kPeriod);
  CHECK(scan_out.next_sync(kPeriod - 1) == kPeriod);
  scan_out.sync(kPeriod);
  CHECK(scan_out.next_sync(kPeriod) == 2 * kPeriod);
  CHECK(scan_out.next_sync(2 * kPeriod) == 2 * kPeriod);
  CHECK(scan_out.next_sync(2 * kPeriod + 1) == 3 * kPeriod);
}

TEST_CASE("a display without new images falls silent", "[display]") {
  ScanOut scan_out(config());
  scan_out.write(kFirst, false);
  scan_out.sync(kPeriod);
  CHECK(scan_out.awake());
  scan_out.sync(2 * kPeriod);
  CHECK(scan_out.awake());
  scan_out.sync(3 * kPeriod);
  CHECK_FALSE(scan_out.awake());
  scan_out.write(kFirst, false);
  CHECK(scan_out.awake());
}

TEST_CASE("a flip takes effect at the sync and its image is scanned out from top to bottom",
          "[display]") {
  Bench bench;
  Bench::run_until(common::kMillisecond);
  bench.write(abi::kDisplayInterrupt, 1);
  bench.write(abi::kDisplayPrimary, kFirst);
  CHECK(bench.read(abi::kDisplayCurrent) == 0);
  Bench::run_until(kPeriod - 1);
  CHECK(bench.recorder.events.empty());
  Bench::run_until(kPeriod + common::kMicrosecond);
  CHECK(bench.read(abi::kDisplayCurrent) == kFirst);
  CHECK(bench.read(abi::kDisplayBlank) == 1);
  REQUIRE(bench.cmp.notices.size() == 1);
  CHECK(bench.cmp.notices[0].kind == common::SignalNotice::Kind::kVerticalSync);
  CHECK(bench.cmp.notices[0].value == kFirst);
  Bench::run_until(2 * kPeriod - 1);
  CHECK(bench.read(abi::kDisplayBlank) == 0);
  const auto tops = bench.recorder.of<event::ScanTop>();
  const auto bottoms = bench.recorder.of<event::ScanBottom>();
  REQUIRE(tops.size() == 1);
  REQUIRE(bottoms.size() == 1);
  CHECK(tops[0].time == kPeriod + common::kMillisecond);
  CHECK(tops[0].word == 1);
  CHECK(bottoms[0].word == 1);
  CHECK(bench.memory.traffic == kBytes);
}

TEST_CASE("an immediate flip in the middle of a frame tears it", "[display]") {
  Bench bench;
  bench.write(abi::kDisplayPrimary, kFirst);
  Bench::run_until(kPeriod + kPeriod / 2);
  bench.write(abi::kDisplayPrimary, kSecond | abi::kFlipImmediate);
  Bench::run_until(2 * kPeriod - 1);
  const auto effective = bench.recorder.of<event::FlipEffective>();
  REQUIRE(effective.size() == 2);
  CHECK_FALSE(effective[0].within);
  CHECK(effective[1].address == kSecond);
  CHECK(effective[1].within);
  CHECK(bench.recorder.of<event::ScanTop>()[0].word == 1);
  CHECK(bench.recorder.of<event::ScanBottom>()[0].word == 2);
}

TEST_CASE("a wait for blanking ends at the sync also while the display is silent", "[display]") {
  Bench bench;
  Bench::run_until(kPeriod + kPeriod / 4);
  common::Time over = 0;
  sc_core::sc_spawn([&] {
    auto wait =
        bench.simulation.transactions.lend(tlm::TLM_IGNORE_COMMAND, abi::kDisplayBlank, nullptr, 0);
    sc_core::sc_time delay;
    bench.registers.socket->b_transport(wait->payload, delay);
    over = sc_core::sc_time_stamp().value();
  });
  sc_core::sc_start();
  CHECK(over == 2 * kPeriod);
  CHECK(bench.recorder.of<event::ScanTop>().empty());  // there was never an image
}

TEST_CASE("a panel in self refresh leaves nothing to simulate", "[display]") {
  Bench bench;
  bench.write(abi::kDisplayPrimary, kFirst);
  sc_core::sc_start();
  CHECK(bench.recorder.of<event::VerticalSync>().size() == 3);
  CHECK(bench.recorder.of<event::ScanBottom>().size() == 3);
}

}  // namespace fenceline::models_tests::test_display
