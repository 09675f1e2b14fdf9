#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "tb/reference/program/expression.h"
#include "tb/reference/program/unrolling.h"

namespace fenceline::reference {

class Submission;

/// Unrolls the steps of one thread.
class ThreadSteps {
 public:
  ThreadSteps(Unrolling& unrolling, std::string process, const std::string& thread);

  void add(const nlohmann::json& steps, const std::string& pointer, const Counters& counters);
  /// After the last step.
  void end();

 private:
  void add_one(const std::string& verb, const nlohmann::json& value, const Counters& counters,
               Op op);
  void add_repeat(const nlohmann::json& value, const Counters& counters, Op op);
  void add_wait(const nlohmann::json& value, const Counters& counters, Op op);
  void add_poll(const nlohmann::json& value, const Counters& counters, Op op);
  void add_wait_with_event(const nlohmann::json& value, Op op);
  void add_wait_event(const nlohmann::json& value, Op op);
  void add_signal(const nlohmann::json& value, const Counters& counters, Op op);
  void add_signal_elsewhere(const nlohmann::json& value, const Counters& counters, Op op);
  void add_submit(const nlohmann::json& value, const Counters& counters, Op op);
  /// The step has made the submission.
  void end_submission(Ref step, Submission& submission);
  void add_gpu_point(const std::string& verb, const nlohmann::json& value, const Counters& counters,
                     Op op);
  void add_mark(const std::string& mark, Op op);
  void fail_users(Ref step, const std::function<bool(const Queue&)>& hit);
  void may_fail(Ref step, const std::set<Id>& processes);
  void fail_adapter(Ref step, const std::string& adapter);
  void lose_memory(Ref step, const std::string& adapter);
  void add_failure(const std::string& verb, const nlohmann::json& value, Op op);
  void add_device_call(const std::string& verb, Op op);
  void add_present(const nlohmann::json& value, Op op);
  void add_suspension(const std::string& verb, const nlohmann::json& value, Op op);
  void add_access(const nlohmann::json& value, Op op);
  /// False: the verb is not about events that the driver sets.
  bool add_event_step(const std::string& verb, const nlohmann::json& value, Op& op);
  void add_use(const nlohmann::json& value, Op op);
  void add_other_buffers(Ref use, Id event);
  bool names_cpu_event(const nlohmann::json& value) const;
  void add_refused(const nlohmann::json& value, Op op);
  /// False: the verb is not about memory.
  bool add_memory_step(const std::string& verb, const nlohmann::json& value,
                       const Counters& counters, Op& op);
  void add_lock(const nlohmann::json& value, Op op);
  void add_unlock(const nlohmann::json& value, Op op);
  void add_map(const nlohmann::json& value, Op op);
  void add_unmap(const std::string& allocation, Op op);
  void add_stress(const nlohmann::json& value, Op op);
  void add_invalidation(const nlohmann::json& value, Op op);
  void add_cpu_access(const std::string& verb, const nlohmann::json& value,
                      const Counters& counters, Op op);
  void add_make_resident(const nlohmann::json& value, Op op);
  void add_evict(const nlohmann::json& value, Op op);
  void add_create_allocation(const nlohmann::json& value, Op op);
  void add_destroy_allocation(const nlohmann::json& value, Op op);
  void note_residency(const std::string& allocation, ResidencyCall call);
  /// Stores of the thread have left the core when this step is over.
  void drain(Ref step);
  void drain(std::vector<Ref>& stores, Ref step);
  /// The same for those that an atomic operation of the OS sends.
  void drain_by_lock(Ref step);
  void add_create(const nlohmann::json& value, Op op);
  void add_destroy(const nlohmann::json& value, Op op);
  /// Points of a `wait`, `signal` or `poll`. False: a name has no fence.
  bool read_points(const nlohmann::json& value, const Counters& counters,
                   std::vector<Point>& points) const;
  Ref put(Op op) { return unrolling_.add(lane_, std::move(op)); }

  Unrolling& unrolling_;
  const std::string process_;
  const std::string thread_;
  const Id lane_;
  /// Hardware contexts that the thread has to resume; true: their suspension is complete.
  std::map<std::string, bool> suspended_;
  std::multiset<std::string> locked_;     ///< allocations: a lock each
  std::map<std::string, bool> mapped_;    ///< allocations; true: the thread may write
  std::vector<Ref> stores_;               ///< that may still be in the core
  std::vector<Ref> cached_stores_;        ///< the same for cached memory
  std::vector<std::optional<Id>> flips_;  ///< events set when an image is drawn; none: it is
};

}  // namespace fenceline::reference
