#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tb/test/support/event_script.h"

namespace fenceline::check {

/// Keeps all events of a stream.
struct EventList : common::EventSink {
  void on_event(const common::Event& event) override { events.push_back(event); }
  std::vector<common::Event> events;
};

/// Mechanisms that a run of the toy machine lacks, and faults that it has.
struct ToyFaults {
  bool signal_barrier, cmp_barrier, acknowledge, reread, drop, null_array, stale;
};

/// How much the toy machine does. With a `content` that is not 0, what is done is the same for
/// every seed and only its order is random: different seeds then meet in the same states.
struct ToyProgram {
  std::uint64_t signals = 12, updates = 6, others = 8;
  std::uint32_t content = 0;
};

/// Two engines, a CMP, one adapter, a driver and an OS, as coarse as can be: makes one random event
/// list, and notes what the events alone do not tell. For tests.
class ToyMachine {
 public:
  ToyMachine(std::uint32_t seed, const ToyFaults& faults, const ToyProgram& program = {},
             const CheckOptions& options = {})
      : script(options), random_(seed), faults_(faults), program_(program) {
    script.stream.subscribe(recorder);
    for (std::uint32_t f = 1; f <= kFences; ++f) script.create(f, 1);
  }

  void run() {
    run_until(SIZE_MAX);
    script.quiescent();
  }
  /// As `run`, in an order of its own from here on.
  void run_on(std::uint32_t seed) {
    random_.seed(seed);
    run();
  }

  /// Stops when nothing is left to do, or soon after `events` events.
  void run_until(std::size_t events) {
    std::vector<std::function<bool()>> actors;
    actors.reserve(11);
    for (int e = 0; e < 2; ++e) actors.emplace_back([this, e] { return engine(e); });
    for (int d = 0; d < 3; ++d) actors.emplace_back([this] { return drain(); });
    actors.emplace_back([this] { return cmp(); });
    actors.emplace_back([this] { return cmp(); });
    actors.emplace_back([this] { return cpu_update(); });
    actors.emplace_back([this] { return cpu_other(); });
    actors.emplace_back([this] { return isr(); });
    actors.emplace_back([this] { return dpc(); });
    for (bool moved = true; moved && now() < events;) {
      moved = false;
      std::shuffle(actors.begin(), actors.end(), random_);
      for (auto& actor : actors) {
        if (!actor()) continue;
        moved = true;
        if (pick(3) == 0 || now() >= events) break;
      }
    }
  }

  /// The state of the machine, without the numbers of signals and updates.
  std::vector<std::uint64_t> state() const;

  EventScript script;
  EventList recorder;
  std::map<std::size_t, std::uint64_t> payload_of_raise;   ///< event -> signal, absent if re-read
  std::map<std::size_t, std::uint64_t> version_of_shadow;  ///< event -> updates that it holds
  std::map<std::size_t, std::size_t> raise_of_notify;      ///< event -> event

  static constexpr std::uint32_t kFences = 2;

 private:
  using S = EventScript;
  using Reader = event::Reader;
  using Decider = event::Decider;
  static constexpr std::uint64_t kMax = UINT64_MAX;

  struct Engine {
    int step = 0;
    std::uint32_t fence = 1;
    std::uint64_t value = 0, signal = 0, monitored = 0;
  };
  struct Notice {
    std::uint32_t fence = 0;
    std::uint64_t value = 0, signal = 0;
    std::uint32_t queue = 0;
  };
  struct Posted {
    std::uint32_t fence = 0;
    std::uint64_t value = 0, number = 0;
  };

  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  std::uint32_t any_fence() { return 1 + static_cast<std::uint32_t>(pick(kFences)); }
  /// As `pick`, for the `nth` time that `actor` decides what to do.
  std::uint64_t pick_content(std::uint64_t n, std::uint64_t actor, std::uint64_t nth) {
    if (program_.content == 0) return pick(n);
    return common::Hasher().add(program_.content).add(actor).add(nth).value() % n;
  }
  std::uint32_t fence_of(std::uint64_t actor, std::uint64_t nth) {
    return 1 + static_cast<std::uint32_t>(pick_content(kFences, actor, nth));
  }
  std::uint64_t old_value(std::uint32_t f) {
    return faults_.stale && pick(4) == 0 ? history_[f][pick(history_[f].size())]
                                         : history_[f].back();
  }
  std::size_t now() const { return recorder.events.size(); }

  bool engine(int which) {
    Engine& e = engines_[which];
    const S::Agent by = which == 0 ? S::kEngine : S::kEngine2;
    switch (e.step++) {
      case 0:
        if (begun_[which] == program_.signals / 2 && program_.content != 0) return --e.step, false;
        if (signals_ == program_.signals) return --e.step, false;
        e.fence = fence_of(by, begun_[which]);
        e.value = pick_content(5, 10U + by, begun_[which]++);
        e.signal = ++signals_;
        e.monitored = 0;
        script.begin(e.fence, e.value, e.signal, by);
        return true;
      case 1:
        pending_[e.fence][by].push_back(e.value);
        script.issue(e.fence, e.value, e.signal, by);
        return true;
      case 2:
        if (faults_.signal_barrier && !pending_[e.fence][by].empty()) return --e.step, false;
        e.monitored = shadow_[e.fence];
        script.shadow_read(e.fence, e.monitored, by);
        return true;
      case 3:
        script.decide(e.fence, e.value, e.signal, e.value > e.monitored, by);
        if (e.value > e.monitored) notices_.push_back({e.fence, e.value, e.signal, by});
        return true;
      default:
        e.step = 0;
        script.end(e.fence, e.value, e.signal, by);
        return true;
    }
  }

  bool drain() {
    const std::uint32_t f = any_fence();
    for (auto& [agent, values] : pending_[f]) {
      if (values.empty() || pick(3) == 0) continue;
      history_[f].push_back(values.front());
      script.visible(f, values.front(), agent);
      values.pop_front();
      return true;
    }
    for (const auto& fence : pending_) {
      for (const auto& [agent, values] : fence.second) {
        if (!values.empty()) return true;  // another time
      }
    }
    return false;
  }

  bool cmp() {
    if (update_step_ == 0 && !posted_.empty() && (notices_.empty() || pick(2) == 0)) {
      update_step_ = 1;
    }
    if (update_step_ != 0) return cmp_update();
    if (notices_.empty()) return false;
    const Notice n = notices_.front();
    notices_.pop_front();
    const std::uint64_t value = faults_.reread ? history_[n.fence].back() : n.value;
    if (faults_.reread) script.read(n.fence, value, Reader::kCmp, S::kCmp);
    const bool raised = value > known_[n.fence];
    script.cmp_decide(n.fence, value, known_[n.fence], Decider::kSignalNotice, raised);
    if (raised) raise(n.fence, value, n.queue, faults_.reread ? 0 : n.signal);
    return true;
  }

  bool cmp_update() {
    const Posted u = posted_.front();
    switch (update_step_++) {
      case 1:
        known_[u.fence] = memory_[u.fence];
        copied_ = calls_[u.fence];
        version_of_shadow[now()] = copied_;
        script.on(S::kCmp, event::ShadowIssued{u.fence, known_[u.fence], 1});
        return true;
      case 2:
        shadow_[u.fence] = known_[u.fence];
        version_of_shadow[now()] = copied_;
        script.on(S::kCmp, event::ShadowVisible{u.fence, shadow_[u.fence], 1});
        return true;
      case 3:
        if (faults_.cmp_barrier && in_flight(u.fence)) return --update_step_, false;
        read_ = old_value(u.fence);
        script.read(u.fence, read_, Reader::kCmp, S::kCmp);
        return true;
      default:
        script.cmp_decide(u.fence, read_, known_[u.fence], Decider::kMonitoredUpdate,
                          read_ > known_[u.fence]);
        if (read_ > known_[u.fence]) raise(u.fence, read_, 0, 0);
        acknowledged_ = u.number;
        posted_.pop_front();
        update_step_ = 0;
        return true;
    }
  }

  bool in_flight(std::uint32_t f) {
    for (const Engine& e : engines_) {
      if (e.fence == f && e.step == 3) return true;
    }
    return !pending_[f][S::kEngine].empty() || !pending_[f][S::kEngine2].empty();
  }

  void raise(std::uint32_t f, std::uint64_t value, std::uint32_t queue, std::uint64_t signal) {
    if (signal != 0) payload_of_raise[now()] = signal;
    payload_.emplace_back(now(), f);
    script.raise(f, value, queue);
  }

  bool cpu_update() {
    if (calling_) {
      if (faults_.acknowledge && acknowledged_ != call_.number) return false;
      script.ret(call_.fence, call_.value, call_.number);
      calling_ = false;
      return true;
    }
    if (updates_ == program_.updates || pick(2) == 0) return false;
    const std::uint64_t value = pick_content(6, 20, updates_);
    const std::uint32_t f = fence_of(21, updates_);
    call_ = {f, value == 5 ? kMax : value, ++updates_};
    script.call(call_.fence, call_.value, call_.number).monitored(call_.fence, call_.value);
    memory_[call_.fence] = call_.value;
    ++calls_[call_.fence];
    posted_.push_back(call_);
    return calling_ = true;
  }

  bool cpu_other() {
    if (others_ == program_.others) return false;
    ++others_;
    const std::uint32_t f = fence_of(30, others_);
    if (pick_content(3, 31, others_) == 0) {
      const std::uint64_t value = pick_content(5, 32, others_);
      script.on(S::kCpu, event::CpuSignal{f, value, 0});
      pending_[f][S::kCpu].push_back(value);
    } else {
      const bool os = pick_content(2, 33, others_) == 0;
      script.read(f, old_value(f), os ? Reader::kOsResample : Reader::kUserPoll, S::kUser);
    }
    return true;
  }

  bool isr() {
    if (payload_.empty()) return false;
    const auto [raise, fence] = payload_.front();
    payload_.pop_front();
    if (faults_.drop && pick(3) == 0) return true;
    script.isr_begin();
    if (faults_.null_array && pick(2) == 0) {
      script.notified_all();
    } else {
      raise_of_notify[now()] = raise;
      script.notified(fence);
    }
    script.isr_end();
    scans_.push_back(fence);
    return true;
  }

  bool dpc() {
    if (scans_.empty()) return false;
    if (!in_dpc_) {
      script.dpc_begin();
      return in_dpc_ = true;
    }
    script.scan(scans_.front(), old_value(scans_.front())).dpc_end();
    scans_.pop_front();
    in_dpc_ = false;
    return true;
  }

  std::mt19937 random_;
  const ToyFaults faults_;
  const ToyProgram program_;
  Engine engines_[2];
  std::uint64_t begun_[2] = {0, 0};
  std::map<std::uint32_t, std::map<S::Agent, std::deque<std::uint64_t>>> pending_;
  std::vector<std::uint64_t> history_[kFences + 1] = {{1}, {1}, {1}};
  std::uint64_t shadow_[kFences + 1] = {kMax, kMax, kMax};
  std::uint64_t known_[kFences + 1] = {kMax, kMax, kMax};
  std::uint64_t memory_[kFences + 1] = {kMax, kMax, kMax};
  std::uint64_t calls_[kFences + 1] = {0, 0, 0};
  std::uint64_t copied_ = 0;
  std::deque<Notice> notices_;
  std::deque<Posted> posted_;
  std::deque<std::pair<std::size_t, std::uint32_t>> payload_;
  std::deque<std::uint32_t> scans_;
  Posted call_;
  bool calling_ = false, in_dpc_ = false;
  int update_step_ = 0;
  std::uint64_t signals_ = 0, updates_ = 0, others_ = 0, acknowledged_ = 0, read_ = 0;
};

inline std::vector<std::uint64_t> ToyMachine::state() const {
  std::vector<std::uint64_t> all = {begun_[0], begun_[1], updates_, others_, read_};
  const auto add = [&all](std::initializer_list<std::uint64_t> values) {
    all.insert(all.end(), values);
  };
  for (const Engine& e : engines_) {
    add({static_cast<std::uint64_t>(e.step), e.fence, e.value, e.monitored});
  }
  for (std::uint32_t f = 1; f <= kFences; ++f) {
    add({shadow_[f], known_[f], memory_[f], history_[f].back()});
    if (faults_.stale) add({history_[f].size()});
    if (faults_.stale) all.insert(all.end(), history_[f].begin(), history_[f].end());
    const auto fence = pending_.find(f);
    if (fence == pending_.end()) continue;
    for (const auto& [agent, values] : fence->second) {
      if (values.empty()) continue;
      add({f, agent, values.size()});
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  add({notices_.size(), posted_.size(), payload_.size(), scans_.size()});
  for (const Notice& n : notices_) add({n.fence, n.value, n.queue});
  for (const Posted& u : posted_) add({u.fence, u.value, u.number});
  for (const auto& entry : payload_) all.push_back(entry.second);
  all.insert(all.end(), scans_.begin(), scans_.end());
  add({calling_ ? call_.number : 0, acknowledged_, in_dpc_ ? 1U : 0U});
  all.push_back(static_cast<std::uint64_t>(update_step_));
  return all;
}

}  // namespace fenceline::check
