#include "tb/app/pcie_bench/measure.h"

#include <algorithm>
#include <memory>

namespace fenceline::pcie_bench {

namespace {

constexpr std::uint64_t kFlagAddress = 4096;  ///< of the host's flag
constexpr std::uint64_t kWindowOffset = 1ULL << 20;

/// A pseudo-random sequence, the same in each run.
class Sequence {
 public:
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 1;
};

/// The agents of one measurement.
class Bench {
 public:
  Bench(Machine& machine, const Measurement& what)
      : machine_(machine), what_(what), changed_(machine.steps()) {}

  void add_agents();
  Samples result() const { return result_; }

 private:
  bool is_latency() const {
    return what_.kind == Kind::kReadLatency || what_.kind == Kind::kWriteReadLatency ||
           what_.kind == Kind::kCommandLatency;
  }
  void take_latencies();
  void transfer_once(std::uint64_t at);
  void work();
  void write_by_core();
  void read_by_core();
  void load_lines();
  void ping();
  void pong();

  std::uint64_t window() const {
    return kWindowOffset +
           (what_.buffer_socket == 0 ? 0 : machine_.config().sockets.memory_bytes / 2);
  }
  std::uint64_t address() {
    const std::uint64_t unit = std::max(what_.bytes, common::kLineBytes);
    return window() + sequence_.below(what_.window_bytes / unit) * unit;
  }
  std::uint64_t lines() const {
    return (what_.bytes + common::kLineBytes - 1) / common::kLineBytes;
  }
  Time stamp() const { return machine_.steps().now() / what_.clock_tick * what_.clock_tick; }
  void warm() {
    if (what_.warm) machine_.warm(what_.core_socket, window(), what_.window_bytes);
  }

  Machine& machine_;
  const Measurement what_;
  common::Gate changed_;
  Sequence sequence_;
  Samples result_;
  bool warmed_ = false;
  std::uint64_t issued_ = 0;  ///< transfers, or lines
  std::uint64_t done_ = 0;
  std::uint64_t wanted_ = 0;  ///< lines that may be loaded
  Time begin_ = 0;
};

void Bench::add_agents() {
  common::Steps& steps = machine_.steps();
  if (is_latency()) {
    steps.add_agent("firmware", [this] { take_latencies(); });
  } else if (what_.kind == Kind::kCoreWrite) {
    steps.add_agent("core", [this] { write_by_core(); });
  } else if (what_.kind == Kind::kCoreRead) {
    steps.add_agent("core", [this] { read_by_core(); });
    for (std::uint32_t i = 0; i < machine_.config().core.loads; ++i)
      steps.add_agent("load" + std::to_string(i), [this] { load_lines(); });
  } else if (what_.kind == Kind::kPingPong) {
    steps.add_agent("core", [this] { ping(); });
    steps.add_agent("kernel", [this] { pong(); });
  } else {
    steps.add_agent("core", [this] {
      warm();
      warmed_ = true;
      changed_.open();
    });
    for (std::uint32_t i = 0; i < what_.workers; ++i)
      steps.add_agent("worker" + std::to_string(i), [this] { work(); });
  }
}

void Bench::take_latencies() {
  constexpr std::uint32_t kFirst = 200;  // until the IOTLB holds what it can
  warm();
  for (std::uint32_t i = 0; i < kFirst + what_.samples; ++i) {
    // The transfers begin anywhere within a tick of the clock.
    machine_.steps().elapse(2 * common::kMicrosecond + sequence_.below(what_.clock_tick));
    const std::uint64_t at = address();
    const Time begin = stamp();
    transfer_once(at);
    if (i >= kFirst) result_.latencies.push_back(stamp() - begin);
  }
}

void Bench::transfer_once(std::uint64_t at) {
  DmaDevice& device = machine_.device();
  if (what_.kind == Kind::kCommandLatency) return device.command_read(at, what_.bytes);
  if (what_.kind == Kind::kWriteReadLatency) device.write(at, what_.bytes);
  device.read(at, what_.bytes);
}

/// One of many contexts of the firmware that transfer one after the other.
void Bench::work() {
  machine_.steps().wait_until(changed_, [this] { return warmed_; });
  const std::uint64_t last = what_.samples, first = last / 4;
  while (issued_ < last) {
    const bool reads = what_.kind == Kind::kReadBandwidth ||
                       (what_.kind == Kind::kBothBandwidth && issued_ % 2 == 0);
    ++issued_;
    const std::uint64_t at = address();
    if (reads)
      machine_.device().read(at, what_.bytes);
    else
      machine_.device().write(at, what_.bytes);
    ++done_;
    if (done_ == first) begin_ = machine_.steps().now();
    if (done_ != last - last / 4) continue;  // no transfers follow the last ones
    const auto bytes = static_cast<double>((done_ - first) * what_.bytes);
    const auto seconds =
        static_cast<double>(machine_.steps().now() - begin_) / static_cast<double>(common::kSecond);
    result_.bytes_per_second = bytes / seconds / (what_.kind == Kind::kBothBandwidth ? 2.0 : 1.0);
  }
}

void Bench::write_by_core() {
  for (std::uint32_t i = 0; i < what_.samples; ++i) {
    machine_.steps().elapse(10 * common::kMicrosecond);
    const Time begin = stamp();
    for (std::uint64_t line = 0; line < lines(); ++line)
      machine_.store_line(line * common::kLineBytes);
    machine_.store_fence();
    result_.latencies.push_back(stamp() - begin);
  }
}

void Bench::read_by_core() {
  for (std::uint32_t i = 0; i < what_.samples; ++i) {
    machine_.steps().elapse(10 * common::kMicrosecond);
    const Time begin = stamp();
    issued_ = done_ = 0;
    wanted_ = lines();
    changed_.open();
    machine_.steps().wait_until(changed_, [this] { return done_ == wanted_; });
    machine_.steps().elapse(machine_.config().core.call);
    result_.latencies.push_back(stamp() - begin);
  }
}

/// One of the core's loads that can be under way at once.
void Bench::load_lines() {
  for (;;) {
    machine_.steps().wait_until(changed_, [this] { return issued_ < wanted_; });
    const std::uint64_t line = issued_++;
    machine_.read_device_line(line * common::kLineBytes);
    if (++done_ == wanted_) changed_.open();
  }
}

void Bench::ping() {
  common::Steps& steps = machine_.steps();
  for (std::uint64_t round = 1; round <= what_.samples; ++round) {
    steps.elapse(10 * common::kMicrosecond + sequence_.below(common::kMicrosecond));
    const Time begin = stamp();
    machine_.store_line(0, round);
    machine_.store_fence();
    while (machine_.read_host_word(kFlagAddress) != round) continue;
    result_.latencies.push_back(stamp() - begin);
  }
}

/// A kernel on the device that looks at its flag, one load after the other: half of a load's
/// latency goes by before the memory is read, and half after; a store needs half of it to leave.
void Bench::pong() {
  common::Steps& steps = machine_.steps();
  const Time half = machine_.config().vram.latency / 2;
  const auto look = [&] {
    steps.elapse(half);
    const std::uint64_t value = machine_.device_word(0);
    steps.elapse(half);
    return value;
  };
  for (std::uint64_t round = 1; round <= what_.samples; ++round) {
    while (look() != round) continue;
    steps.elapse(half);
    machine_.post_to_host(kFlagAddress, round);
  }
}

}  // namespace

Samples measure(const MachineConfig& config, const Measurement& what) {
  Machine machine("machine", config);
  Bench bench(machine, what);
  bench.add_agents();
  sc_core::sc_start();
  if (machine.steps().failure()) std::rethrow_exception(machine.steps().failure());
  return bench.result();
}

}  // namespace fenceline::pcie_bench
