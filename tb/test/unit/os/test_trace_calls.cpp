// Calls for a trace of fences: the content of logs, and the level of logging.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "models/abi/fence_log.h"
#include "models/abi/private_data.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_trace_calls {

namespace {

using event::LogLevel;
using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;

constexpr Ddi kCalibrate = Ddi::DxgkDdiCalibrateGpuClock;

void with_kernel(const KernelOptions& options,
                 const std::function<void(Kernel&, KernelBench&)>& body) {
  KernelBench bench(options, support::small_platform(), &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) { body(kernel, bench); }});
}

/// Escapes of the OS about the level, each with what user mode is told at that time.
struct Escapes {
  explicit Escapes(Kernel& kernel) {
    ScriptedDriver::replace<Ddi::DxgkDdiEscape>([&kernel, this](HANDLE, const auto* args) {
      abi::LoggingLevelEscape level{};
      CHECK(args->PrivateDriverDataSize == sizeof level);
      std::memcpy(&level, args->pPrivateDriverData, sizeof level);
      CHECK(level.type == abi::kLoggingLevelEscape);
      CHECK(args->Flags.Value == (D3DDDI_ESCAPEFLAGS::kDriverKnownEscape |
                                  D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization));
      verbose.push_back(level.verbose);
      user_mode.push_back(kernel.traces.verbose());
      return STATUS_SUCCESS;
    });
  }
  std::vector<std::uint32_t> verbose;
  std::vector<bool> user_mode;
};

std::vector<LogLevel> levels(KernelBench& bench) {
  std::vector<LogLevel> result;
  for (const auto& change : bench.events.of<event::LogLevelChanged>())
    result.push_back(change.level);
  bench.events.all.clear();
  return result;
}

using Levels = std::vector<LogLevel>;

}  // namespace

TEST_CASE("a capture compares the clocks before it reads the logs", "[calls]") {
  with_kernel(support::managed_kernel(), [](Kernel& kernel, KernelBench& bench) {
    Process& process = kernel.devices.create_process("app", 0);
    QueueRequest request(kernel, process);
    REQUIRE(request.create(16) == STATUS_SUCCESS);
    ScriptedDriver::replace<kCalibrate>([](HANDLE, UINT32, UINT32, auto* clock) {
      *clock = {100, 7, 8, {}};
      return STATUS_SUCCESS;
    });
    ScriptedDriver::calls.clear();
    kernel.traces.capture_logs(process);
    CHECK(ScriptedDriver::count(kCalibrate) == 1);
    CHECK(bench.events.of<event::LogReadDone>().size() == 2);
    const auto is_clock = [](const auto& one) { return one.template is<event::ClockCalibrated>(); };
    const auto is_read = [](const auto& one) { return one.template is<event::LogReadDone>(); };
    const auto& all = bench.events.all;
    CHECK(std::find_if(all.begin(), all.end(), is_clock) <
          std::find_if(all.begin(), all.end(), is_read));
    CHECK(kernel.cpu().irql() == PASSIVE_LEVEL);
    CHECK(bench.events.of<event::IrqlViolation>().empty());
    const auto clocks = bench.events.of<event::ClockCalibrated>();
    REQUIRE(clocks.size() == 1);
    CHECK(clocks[0].frequency == 100);
    CHECK(clocks[0].gpu_counter == 7);
    CHECK(clocks[0].cpu_counter == 8);
  });
}

TEST_CASE("a capture reads the logs where the clocks cannot be compared", "[calls]") {
  with_kernel(support::managed_kernel(), [](Kernel& kernel, KernelBench& bench) {
    Process& process = kernel.devices.create_process("app", 0);
    QueueRequest request(kernel, process);
    REQUIRE(request.create(16) == STATUS_SUCCESS);
    ScriptedDriver::answer<kCalibrate>(STATUS_UNSUCCESSFUL);
    ScriptedDriver::calls.clear();
    kernel.traces.capture_logs(process);
    CHECK(bench.events.of<event::ClockCalibrated>().empty());
    CHECK(bench.events.of<event::LogReadDone>().size() == 2);
  });
}

TEST_CASE("verbose logging begins in the kernel and ends in user mode", "[calls]") {
  with_kernel(support::managed_kernel(), [](Kernel& kernel, KernelBench& bench) {
    Escapes escapes(kernel);
    kernel.traces.set_verbose(true);
    CHECK(kernel.traces.verbose());
    CHECK(levels(bench) == Levels{LogLevel::kChanging, LogLevel::kVerbose});
    kernel.traces.set_verbose(false);
    CHECK_FALSE(kernel.traces.verbose());
    CHECK(levels(bench) == Levels{LogLevel::kChanging, LogLevel::kNormal});
    CHECK(escapes.verbose == std::vector<std::uint32_t>{1, 0});
    CHECK(escapes.user_mode == std::vector<bool>{false, false});
  });
}

TEST_CASE("an OS that does not announce verbose logging to user mode tells the driver only",
          "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.level_to_user_mode = false;
  with_kernel(options, [](Kernel& kernel, KernelBench&) {
    Escapes escapes(kernel);
    kernel.traces.set_verbose(true);
    CHECK_FALSE(kernel.traces.verbose());
    CHECK(escapes.verbose.size() == 1);
  });
}

TEST_CASE("an OS that does not announce verbose logging to drivers tells user mode only",
          "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.level_to_kernel_mode = false;
  with_kernel(options, [](Kernel& kernel, KernelBench&) {
    Escapes escapes(kernel);
    kernel.traces.set_verbose(true);
    CHECK(kernel.traces.verbose());
    CHECK(escapes.verbose.empty());
  });
}

TEST_CASE("an adapter that has not started is told nothing of the level", "[calls]") {
  with_kernel(support::managed_kernel(), [](Kernel& kernel, KernelBench& bench) {
    Escapes escapes(kernel);
    kernel.system.adapters[0].failure = StartFailure(StartRule::kCallFailed, "test");
    kernel.traces.set_verbose(true);
    CHECK(escapes.verbose.empty());
    CHECK(levels(bench).empty());
    CHECK(kernel.traces.verbose());
    kernel.system.adapters[0].failure.reset();
  });
}

TEST_CASE("verbose logging enlarges the logs once", "[calls]") {
  with_kernel(support::managed_kernel(), [](Kernel& kernel, KernelBench&) {
    Process& process = kernel.devices.create_process("app", 0);
    QueueRequest request(kernel, process);
    REQUIRE(request.create(16) == STATUS_SUCCESS);
    const auto entries = [&] { return request.queue().logs.signals.entries; };
    kernel.traces.set_verbose(false);
    CHECK(entries() == 16);
    kernel.traces.set_verbose(true);
    CHECK(entries() == abi::kFenceLogMaxEntries);
    kernel.traces.set_verbose(false);
    CHECK(entries() == abi::kFenceLogMaxEntries);
  });
}

}  // namespace fenceline::os::test_trace_calls
