#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/abi/preemption.h"
#include "models/top/config.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::chip_bench {

using common::Time;

/// The measured chip, and the state that a switch saves.
struct Chip {
  top::GpuConfig gpu;  ///< only its chip is used
  abi::ComputeGranularity level = abi::ComputeGranularity::kShader;
  const engine::ChipConfig& config() const { return gpu.chip; }
};

/// Time to suspend a queue of consecutive kernels that was resumed a random time before. Source:
/// the XSched study.
struct SuspendJob {
  Chip chip;
  scenario::DispatchCommand kernel;
  std::uint32_t in_flight =
      1;                    ///< kernels that have been given to the GPU; 1: and can be taken back
  std::uint32_t batch = 1;  ///< kernels given at once
  Time window = 0;          ///< the request comes within this time after the resume
  Time lead = 0;            ///< time by which the first kernel begins earlier
  Time request = 0;         ///< duration of the call and its answer
  std::uint32_t idle_permille = 0;  ///< requests that find nothing to stop
  std::uint32_t samples = 1000;
};

/// Work of one context: the same task repeatedly, with the same kernels.
struct Stream {
  scenario::DispatchCommand kernel;
  std::uint32_t kernels = 1;  ///< kernels per task
  Time start = 0;
};

/// Contexts that share a GPU in turns. Source: time-slice rows of several studies.
struct SlicesJob {
  Chip chip;
  std::vector<Stream> streams;
  Time slice = 0;
  Time gap = 0;                        ///< drain of memory accesses before a switch
  bool together = false;               ///< no time slices: kernels of all contexts share the units
  std::uint32_t overlap_permille = 0;  ///< part of a kernel's time that others can use
  Time length = 0;                     ///< simulated time
};

/// Periodic latency-critical requests and a context that always has work. Source: GPreempt.
struct RequestsJob {
  Chip chip;
  scenario::DispatchCommand kernel;    ///< kernel of best effort
  std::uint32_t kernels = 1;           ///< kernels per best-effort task
  scenario::DispatchCommand critical;  ///< work of a request
  Time period = 0;
  Time preparation = 0;  ///< CPU time before the work is ready
  Time ahead = 0;        ///< longest time by which the GPU is requested before the work is ready
  Time notice = 0;       ///< time until the GPU sees the work
  bool early = true;     ///< the GPU is requested ahead
  Time refill = 0;       ///< refill of caches of the interrupted work
  std::uint32_t requests = 1000;
};

/// One periodic task: CPU, then GPU, then CPU. Source: the case study of GCAPS.
struct PeriodicTask {
  Time cpu = 0, gpu = 0, period = 0;
  std::uint32_t core = 0;
  std::uint32_t priority = 0;
};

/// Tasks on cores with fixed priorities and one GPU.
struct TasksJob {
  std::vector<PeriodicTask> tasks;
  bool by_priority = false;  ///< the GPU goes to the highest priority; else time slices
  Time slice = 0;
  Time switching = 0;  ///< one context switch
  Time request = 0;    ///< duration of the call that gives the GPU to another task
  Time length = 0;
};

/// State of a context or a unit that must be saved.
struct ContextJob {
  Chip chip;
  scenario::DispatchCommand kernel;
};

/// A dispatch or a draw, stopped at random moments at every level.
struct LevelsJob {
  Chip chip;
  std::optional<scenario::DispatchCommand> kernel;
  std::optional<scenario::DrawCommand> draw;
  std::uint32_t samples = 1000;
};

/// Save area of a queue in the layout of the Linux driver for AMD GPUs.
struct SaveAreaJob {
  std::uint32_t units = 0;  ///< of one compute die
  std::uint32_t dies = 1;
  std::uint32_t engines = 0;     ///< shader engines of one die
  std::uint32_t generation = 9;  ///< 9: to GCN and CDNA; 10 on: RDNA
  std::uint64_t vector_bytes = 0, shared_bytes = 0;
  std::uint64_t bandwidth_mbps = 1;
};

using Job =
    std::variant<SuspendJob, SlicesJob, RequestsJob, TasksJob, ContextJob, LevelsJob, SaveAreaJob>;

/// Reads a job from JSON text: an object with the measured quantity as its only key.
/// @throws scenario::ScenarioError with the position of the error
Job read_job(const std::string& text);

/// Runs it. The result is JSON: times in microseconds, rates per second, sizes in bytes.
std::string run(const SuspendJob& job);
std::string run(const SlicesJob& job);
std::string run(const RequestsJob& job);
std::string run(const TasksJob& job);
std::string run(const ContextJob& job);
std::string run(const LevelsJob& job);
std::string run(const SaveAreaJob& job);

}  // namespace fenceline::chip_bench
