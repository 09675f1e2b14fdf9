#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fenceline::run {

/// What a process that simulates shows the one that watches it: memory that both share, also after
/// the first has died.
class Pulse {
 public:
  Pulse();
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// The simulation has come along, and stands at `now` [ps].
  void beat(std::uint64_t now) {
    shared_->now.store(now, std::memory_order_relaxed);
    beat();
  }
  /// The process has come along.
  void beat() { shared_->beats.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t beats() const { return shared_->beats.load(std::memory_order_relaxed); }
  std::uint64_t now() const { return shared_->now.load(std::memory_order_relaxed); }

  /// Beats are expected from now on, or no more: loading and writing files has none.
  void expect_beats(bool expected) {
    shared_->simulating.store(expected, std::memory_order_relaxed);
  }
  bool beats_expected() const { return shared_->simulating.load(std::memory_order_relaxed); }

  /// The watcher wants the process to end soon.
  void stop() { shared_->stop.store(true, std::memory_order_relaxed); }
  const std::atomic<bool>& stopped() const { return shared_->stop; }
  /// The process knows that it is to stop, and puts its result together: it is not killed then.
  void hear() { shared_->heard.store(true, std::memory_order_relaxed); }
  bool heard() const { return shared_->heard.load(std::memory_order_relaxed); }

  /// What the process was at when it died; see LastWords.
  struct Words {
    std::atomic<bool> said;
    std::atomic<bool> in_driver;
    std::array<char, 256> text;  ///< ends with a zero
  };
  Words& words() { return shared_->words; }
  const Words& words() const { return shared_->words; }

 private:
  struct Shared {
    std::atomic<std::uint64_t> beats;
    std::atomic<std::uint64_t> now;
    std::atomic<bool> simulating;
    std::atomic<bool> stop;
    std::atomic<bool> heard;
    Words words;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                    std::atomic<bool>::is_always_lock_free,
                "others have no meaning between processes");

  Shared* shared_;
};

/// Beats are expected while it lives.
class Simulating {
 public:
  explicit Simulating(Pulse* pulse) : pulse_(pulse) {
    if (pulse_ != nullptr) pulse_->expect_beats(true);
  }
  ~Simulating() {
    if (pulse_ != nullptr) pulse_->expect_beats(false);
  }
  Simulating(const Simulating&) = delete;
  Simulating& operator=(const Simulating&) = delete;

 private:
  Pulse* pulse_;
};

}  // namespace fenceline::run
