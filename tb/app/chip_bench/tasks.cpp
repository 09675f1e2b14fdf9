#include <optional>

#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

namespace {

enum class Phase : std::uint8_t { kBefore, kGpu, kAfter, kAsleep };

/// One task and its running job.
struct Running {
  PeriodicTask task;
  Phase phase = Phase::kAsleep;
  Time left = 0;      ///< rest of the phase
  Time released = 0;  ///< release time of the job
  Time next = 0;      ///< next release
  Time worst = 0;     ///< worst response time
  bool on_cpu() const { return phase == Phase::kBefore || phase == Phase::kAfter; }
};

/// Cores with fixed priorities and one GPU, advanced from change to change.
class TaskSystem {
 public:
  explicit TaskSystem(const TasksJob& job) : job_(job) {
    for (const PeriodicTask& task : job.tasks) tasks_.push_back({task});
  }

  void run() {
    while (now_ < job_.length) {
      release();
      const std::vector<std::size_t> computing = on_cores();
      give_gpu();
      advance(computing);
    }
  }
  const std::vector<Running>& tasks() const { return tasks_; }

 private:
  void release() {
    for (Running& task : tasks_) {
      if (task.phase != Phase::kAsleep || task.next > now_) continue;
      task.released = task.next;
      task.next += task.task.period;
      enter(task, Phase::kBefore);
    }
  }
  /// Half of a task's CPU time is before its GPU time; an empty phase is skipped.
  void enter(Running& task, Phase phase) {
    task.phase = phase;
    task.left = phase == Phase::kGpu ? task.task.gpu : task.task.cpu / 2;
    if (phase == Phase::kAsleep) {
      task.worst = std::max(task.worst, now_ - task.released);
    } else if (task.left == 0) {
      enter(task, following(phase));
    }
  }
  static Phase following(Phase phase) {
    return phase == Phase::kBefore ? Phase::kGpu
           : phase == Phase::kGpu  ? Phase::kAfter
                                   : Phase::kAsleep;
  }
  /// The computing task of each core: the one of the highest priority.
  std::vector<std::size_t> on_cores() const {
    std::vector<std::optional<std::size_t>> best(64);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      std::optional<std::size_t>& other = best[tasks_[i].task.core];
      if (tasks_[i].on_cpu() && (!other || tasks_[i].task.priority > tasks_[*other].task.priority))
        other = i;
    }
    std::vector<std::size_t> computing;
    for (const auto& task : best)
      if (task) computing.push_back(*task);
    return computing;
  }
  bool wants_gpu(std::size_t task) const { return tasks_[task].phase == Phase::kGpu; }
  /// Gives the GPU to the next task; a change of task costs a switch.
  void give_gpu() {
    std::optional<std::size_t> next;
    const std::size_t first = owner_ ? *owner_ : tasks_.size() - 1;
    const bool goes_on = owner_ && wants_gpu(*owner_) && slice_left_ > 0;
    for (std::size_t i = goes_on ? 0 : 1; i <= tasks_.size(); ++i) {
      const std::size_t at = (first + i) % tasks_.size();
      if (!wants_gpu(at)) continue;
      if (!next || (job_.by_priority && tasks_[at].task.priority > tasks_[*next].task.priority))
        next = at;
      if (!job_.by_priority) break;
    }
    if (!next) return;
    if (next != owner_) {
      switching_ = owner_ ? job_.switching + job_.request : 0;
      slice_left_ = job_.slice;
    } else if (slice_left_ == 0) {
      slice_left_ = job_.slice;
    }
    owner_ = next;
  }
  void advance(const std::vector<std::size_t>& computing) {
    Time step = job_.length - now_;
    for (const Running& task : tasks_)
      if (task.phase == Phase::kAsleep) step = std::min(step, task.next - now_);
    for (const std::size_t i : computing) step = std::min(step, tasks_[i].left);
    const bool busy = owner_ && wants_gpu(*owner_);
    if (busy) step = std::min(step, switching_ > 0 ? switching_ : gpu_step());
    now_ += step;
    for (const std::size_t i : computing) spend(tasks_[i], step);
    if (!busy) return;
    if (switching_ > 0) {
      switching_ -= step;
      return;
    }
    slice_left_ -= step;
    spend(tasks_[*owner_], step);
  }
  Time gpu_step() const { return std::min(slice_left_, tasks_[*owner_].left); }
  void spend(Running& task, Time step) {
    task.left -= step;
    if (task.left == 0) enter(task, following(task.phase));
  }

  const TasksJob& job_;
  std::vector<Running> tasks_;
  Time now_ = 0;
  std::optional<std::size_t> owner_;
  Time slice_left_ = 0;
  Time switching_ = 0;
};

}  // namespace

std::string run(const TasksJob& job) {
  TaskSystem system(job);
  system.run();
  Json result = Json::array();
  for (const Running& task : system.tasks()) result.push_back(microseconds(task.worst));
  return result.dump();
}

}  // namespace fenceline::chip_bench
