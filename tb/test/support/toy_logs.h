#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "tb/test/support/event_script.h"

namespace fenceline::check {

/// An engine that logs its signals, a log of three entries, interrupts, a DPC that reads the log,
/// and two waiting threads, in random order. The bits of `faults` make mechanisms fail now and
/// then. For tests.
class ToyLogs {
 public:
  ToyLogs(std::uint32_t seed, std::uint32_t faults)
      : script(options()), random_(seed), faults_(faults) {
    script.create();
  }

  /// Stops when nothing is left to do, or after so many steps.
  void run_until(std::size_t steps) {
    std::vector<std::function<bool()>> actors;
    actors.emplace_back([this] { return engine(); });
    actors.emplace_back([this] { return arrive(values_); });
    actors.emplace_back([this] { return arrive(entries_); });
    actors.emplace_back([this] { return arrive(headers_); });
    actors.emplace_back([this] { return cmp(); });
    actors.emplace_back([this] { return deliver(); });
    actors.emplace_back([this] { return dpc(); });
    for (Thread& thread : threads_) actors.emplace_back([this, &thread] { return wait(thread); });
    for (bool moved = true; moved && steps > 0; steps -= moved ? 1 : 0) {
      std::shuffle(actors.begin(), actors.end(), random_);
      moved = std::any_of(actors.begin(), actors.end(), [](const auto& actor) { return actor(); });
    }
  }
  void run_on(std::uint32_t seed) {
    random_.seed(seed);
    run_until(SIZE_MAX);
    script.quiescent();
  }

  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> all = {command_, step_,           current_,  header_,
                                      cursor_,  read_,           dpc_step_, first_,
                                      dpcs_,    notices_.size(), sent_,     payload_.size()};
    for (const Fifo* fifo : {&values_, &entries_, &headers_}) {
      all.push_back(fifo->size());
      all.insert(all.end(), fifo->begin(), fifo->end());
    }
    all.insert(all.end(), notices_.begin(), notices_.end());
    all.insert(all.end(), payload_.begin(), payload_.end());
    all.insert(all.end(), memory_, memory_ + kEntries);
    for (const Thread& thread : threads_) all.push_back(thread.step);
    return all;
  }

  EventScript script;

 private:
  using S = EventScript;
  using Fifo = std::deque<std::uint64_t>;
  static constexpr std::uint64_t kEntries = 3;
  static constexpr std::uint64_t kCommands = 5;
  struct Thread {
    std::uint32_t object;
    std::uint64_t value;
    std::uint64_t step = 0, number = 0;
  };

  static CheckOptions options() {
    CheckOptions made;
    made.log_entries = kEntries;
    made.stale_reads = false;
    return made;
  }
  bool faulty(std::uint32_t bit) { return (faults_ >> bit & 1) != 0 && random_() % 6 == 0; }
  static std::uint64_t packed(std::uint64_t n) { return (n / kEntries) << 32 | n % kEntries; }

  bool engine() {
    if (command_ == kCommands) return false;
    const std::uint64_t v = command_ + 1;
    switch (step_++) {
      case 0:
        script.begin(1, v, v).issue(1, v, v);
        values_.push_back(v);
        return true;
      case 1:
        script.on(S::kEngine, event::LogEntryIssued{1, command_ % kEntries, v, 1});
        entries_.push_back(command_);
        return true;
      case 2:
        if (faulty(0) || entries_.empty()) {
          script.on(S::kEngine, event::LogHeaderIssued{1, packed(v)});
          headers_.push_back(v);
          return true;
        }
        return --step_, false;  // a barrier: the entry is visible before its index
      case 3:
        if (!faulty(1) && !(values_.empty() && headers_.empty())) return --step_, false;
        script.decide(1, v, v, true).end(1, v, v);
        notices_.push_back(v);
        return true;
      default:
        if (faulty(2)) {  // writes it again
          script.on(S::kEngine, event::LogEntryIssued{1, command_ % kEntries, v, 1});
          entries_.push_back(command_);
        }
        step_ = 0;
        ++command_;
        return true;
    }
  }

  bool arrive(Fifo& fifo) {
    if (fifo.empty()) return false;
    const std::uint64_t what = fifo.front();
    fifo.pop_front();
    if (&fifo == &values_) {
      script.visible(1, what);
      current_ = what;
    } else if (&fifo == &entries_) {
      memory_[what % kEntries] = what + 1;
      script.on(S::kEngine, event::LogEntryVisible{1, what % kEntries, what + 1});
    } else {
      header_ = what;
      script.on(S::kEngine, event::LogHeaderVisible{1, packed(what)});
    }
    return true;
  }

  bool cmp() {
    if (notices_.empty()) return false;
    script.notice(1, notices_.front(), 0);
    payload_.push_back(notices_.front());
    notices_.pop_front();
    if (sent_ != 0)
      script.on(S::kCmp, event::MessageCoalesced{1, 0});
    else
      script.on(S::kCmp, event::MessageSent{1, 0});
    sent_ = 1;
    return true;
  }

  bool deliver() {
    if (sent_ == 0) return false;
    sent_ = 0;
    script.on(S::kCmp, event::MessageDelivered{1, 0, 0}).isr_begin();
    if (faulty(3)) payload_.clear();
    for (; !payload_.empty(); payload_.pop_front()) script.notified(1);
    script.isr_end();
    ++dpcs_;
    return true;
  }

  bool dpc() {
    if (dpcs_ == 0) return false;
    switch (dpc_step_) {
      case 0:
        script.dpc_begin();
        break;
      case 1:
        if (faulty(4)) break;  // looks at the log alone
        script.scan(1, current_);
        for (Thread& thread : threads_) {
          if (thread.step == 1 && thread.value <= current_) release(thread);
        }
        break;
      case 2:
        read_ = header_;
        script.on(S::kDpc, event::LogHeaderRead{1, packed(read_)});
        if (read_ > cursor_ + kEntries) {
          if (!faulty(5)) overrun();
          cursor_ = read_ - kEntries;
        }
        first_ = cursor_;
        break;
      default:
        return read_entries();
    }
    ++dpc_step_;
    return true;
  }

  bool read_entries() {
    if (cursor_ < read_) {
      script.on(S::kDpc,
                event::LogEntryRead{1, cursor_ % kEntries, memory_[cursor_ % kEntries], 0});
      ++cursor_;
      return true;
    }
    if (header_ >= first_ + kEntries && !faulty(6)) overrun();
    script.dpc_end();
    dpc_step_ = 0;
    --dpcs_;
    return true;
  }

  void overrun() { script.on(S::kDpc, event::LogOverrun{1, 1}); }

  bool wait(Thread& thread) {
    switch (thread.step) {
      case 0:
        thread.number = ++waits_;
        script.on(S::kUser, event::WaitAdd{1, thread.value, thread.number, thread.object, 1, 0});
        if (current_ >= thread.value && !faulty(4)) return release(thread);
        ++thread.step;
        return true;
      case 2:
        script.on(S::kUser, event::WaitDone{1, thread.value, thread.number, thread.object});
        ++thread.step;
        return true;
      default:
        return false;
    }
  }

  bool release(Thread& thread) {
    script.on(S::kDpc, event::WaitRelease{1, thread.value, thread.number, thread.object});
    thread.step = 2;
    return true;
  }

  std::mt19937 random_;
  const std::uint32_t faults_;
  Fifo values_, entries_, headers_, notices_, payload_;
  Thread threads_[2] = {{1, 1}, {2, 3}};
  std::uint64_t memory_[kEntries] = {0, 0, 0};
  std::uint64_t command_ = 0, step_ = 0, current_ = 0, header_ = 0, cursor_ = 0, read_ = 0;
  std::uint64_t dpc_step_ = 0, first_ = 0, dpcs_ = 0, sent_ = 0, waits_ = 0;
};

}  // namespace fenceline::check
