// One hop of the fabric beside its floor: a bare b_transport with one timed wait. The far end takes
// no time of its own, so that a hop is the fabric's work alone.
#include <array>
#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/simulation.h"
#include "models/fabric/fabric.h"
#include "tb/run/simulation_scope.h"

namespace {

namespace common = fenceline::common;
namespace fabric = fenceline::fabric;

constexpr int kHops = 100'000;
constexpr std::uint64_t kVramBytes = 1 << 20;

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> SC_NAMED(socket);
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Answers every access after `latency`.
struct Target : sc_core::sc_module {
  tlm_utils::simple_target_socket<Target> SC_NAMED(socket);
  sc_core::sc_time latency;
  std::uint64_t accesses = 0;

  Target(const sc_core::sc_module_name& name, const sc_core::sc_time& time)
      : sc_module(name), latency(time) {
    socket.register_b_transport(this, &Target::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency;
    ++accesses;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

void count_hops(benchmark::State& state) {
  state.counters["per_second"] =
      benchmark::Counter(kHops, benchmark::Counter::kIsIterationInvariantRate);
}

/// One blocking transport and one timed wait.
void floor_transport_hop(benchmark::State& state) {
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    Initiator initiator("initiator");
    Target target("target", sc_core::sc_time(10, sc_core::SC_NS));
    initiator.socket.bind(target.socket);
    sc_core::sc_spawn([&] {
      tlm::tlm_generic_payload payload;
      std::uint64_t data = 0;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
      payload.set_data_length(8);
      for (int i = 0; i < kHops; ++i) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        initiator.socket->b_transport(payload, delay);
        sc_core::wait(delay);
      }
    });
    sc_core::sc_start();
  }
  count_hops(state);
}

/// The fabric with one client, all of whose FIFOs are there.
struct Bench {
  common::Simulation simulation{common::Ordering{}};
  Initiator client{"client"};
  fabric::Fabric fabric{"fabric", simulation, {}, {}, {{"client", true, true}}};
  Target vram{"vram", sc_core::SC_ZERO_TIME};
  Target host{"host", sc_core::SC_ZERO_TIME};
  Target arrivals{"arrivals", sc_core::SC_ZERO_TIME};

  Bench() {
    client.socket.bind(fabric.clients);
    fabric.vram.bind(vram.socket);
    fabric.host.bind(host.socket);
    fabric.arrivals.bind(arrivals.socket);
  }

  /// Eight bytes to or from VRAM, as a block sends them.
  void access(tlm::tlm_command command, int index) {
    std::array<unsigned char, 8> data{};
    const auto address = static_cast<std::uint64_t>(index) * data.size() % kVramBytes;
    auto transaction = simulation.transactions.lend(command, address, data.data(), data.size());
    transaction->attributes.operation = common::Operation::kWrite;
    transaction->attributes.posted = command == tlm::TLM_WRITE_COMMAND;
    common::send(simulation.steps, client.socket, transaction);
  }
};

/// `kHops` accesses, with a pause after each `burst` of them. A read waits for its answer, a posted
/// write for room in its FIFO; every write has left its FIFO when the run ends.
void hop(benchmark::State& state, tlm::tlm_command command, int burst) {
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    Bench bench;
    bench.simulation.steps.add_agent("client", [&] {
      for (int i = 0; i < kHops; ++i) {
        bench.access(command, i);
        if (i % burst == burst - 1) bench.simulation.steps.elapse(common::kMicrosecond);
      }
    });
    sc_core::sc_start();
    if (bench.vram.accesses != kHops) state.SkipWithError("an access did not arrive");
  }
  count_hops(state);
}
void fabric_read(benchmark::State& state) { hop(state, tlm::TLM_READ_COMMAND, kHops); }
/// Bursts that fit into a FIFO and are gone before the next: its drain waits, its client never
/// does.
void fabric_posted_write(benchmark::State& state) { hop(state, tlm::TLM_WRITE_COMMAND, 16); }
/// A client that is faster than its FIFOs: it stalls for each write.
void fabric_stalled_write(benchmark::State& state) { hop(state, tlm::TLM_WRITE_COMMAND, kHops); }

BENCHMARK(floor_transport_hop)->Unit(benchmark::kMillisecond);
BENCHMARK(fabric_read)->Unit(benchmark::kMillisecond);
BENCHMARK(fabric_posted_write)->Unit(benchmark::kMillisecond);
BENCHMARK(fabric_stalled_write)->Unit(benchmark::kMillisecond);

}  // namespace
