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

/// The chip that is measured, and what is saved at a switch.
struct Chip {
  top::GpuConfig gpu;  ///< of which the chip alone counts
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
  std::uint32_t batch = 1;  ///< that are given at once
  Time window = 0;          ///< the request comes within it, from the resume on
  Time lead = 0;            ///< by which the first kernel begins before that
  Time request = 0;         ///< of the call and its answer
  std::uint32_t idle_permille = 0;  ///< requests that find nothing to stop
  std::uint32_t samples = 1000;
};

/// Work of one context: the same task repeatedly, with the same kernels.
struct Stream {
  scenario::DispatchCommand kernel;
  std::uint32_t kernels = 1;  ///< a task
  Time start = 0;
};

/// Contexts that share a GPU in turns. Source: time-slice rows of several studies.
struct SlicesJob {
  Chip chip;
  std::vector<Stream> streams;
  Time slice = 0;
  Time gap = 0;                        ///< drain of memory accesses that a switch waits for
  bool together = false;               ///< no turns: kernels of all contexts share the units
  std::uint32_t overlap_permille = 0;  ///< of a kernel's time, which others can use as well
  Time length = 0;                     ///< simulated
};

/// Latency-critical requests at a rate, over a context that always has work. Source: GPreempt.
struct RequestsJob {
  Chip chip;
  scenario::DispatchCommand kernel;    ///< of best effort
  std::uint32_t kernels = 1;           ///< a task of it
  scenario::DispatchCommand critical;  ///< the request's own work
  Time period = 0;
  Time preparation = 0;  ///< on the CPU, before the work is there
  Time ahead = 0;        ///< by which the GPU is asked for before the work is there, at most
  Time notice = 0;       ///< until the GPU sees that there is work
  bool early = true;     ///< it is asked for ahead at all
  Time refill = 0;       ///< of caches, that the interrupted work loses
  std::uint32_t requests = 1000;
};

/// One periodic task: CPU, then GPU, then CPU. Source: the GCAPS study's case study.
struct PeriodicTask {
  Time cpu = 0, gpu = 0, period = 0;
  std::uint32_t core = 0;
  std::uint32_t priority = 0;
};

/// Tasks on cores with fixed priorities and one GPU.
struct TasksJob {
  std::vector<PeriodicTask> tasks;
  bool by_priority = false;  ///< the GPU goes to the highest; else slices in turns
  Time slice = 0;
  Time switching = 0;  ///< one context switch
  Time request = 0;    ///< of the call that gives the GPU to another
  Time length = 0;
};

/// State of a context or a unit that must be saved.
struct ContextJob {
  Chip chip;
  scenario::DispatchCommand kernel;
};

/// A dispatch or a draw that is stopped at random moments, at every level.
struct LevelsJob {
  Chip chip;
  std::optional<scenario::DispatchCommand> kernel;
  std::optional<scenario::DrawCommand> draw;
  std::uint32_t samples = 1000;
};

/// Save area of a queue as the Linux driver for AMD GPUs lays it out.
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

/// Reads a job from JSON text: an object with one key, what is measured.
/// @throws scenario::ScenarioError with the position of what is wrong.
Job read_job(const std::string& text);

/// Runs it. The result is JSON: times in microseconds, rates a second, sizes in bytes.
std::string run(const SuspendJob& job);
std::string run(const SlicesJob& job);
std::string run(const RequestsJob& job);
std::string run(const TasksJob& job);
std::string run(const ContextJob& job);
std::string run(const LevelsJob& job);
std::string run(const SaveAreaJob& job);

}  // namespace fenceline::chip_bench
