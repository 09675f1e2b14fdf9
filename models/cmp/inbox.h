#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "models/common/simulation.h"

namespace fenceline::cmp {

/// A request that the CMP serves.
struct Input {
  enum class Kind : std::uint8_t { kNotice, kUpdate, kFlush, kRetire, kEngine, kSuspension };
  Kind kind;
  std::uint32_t index;  ///< engine, fence slot or queue slot

  std::uint64_t word() const { return static_cast<std::uint64_t>(kind) << 32 | index; }
};

/// The requests that the CMP has not served yet, in order of arrival.
class Inbox {
 public:
  explicit Inbox(common::Steps& steps) : steps_(steps), place_(steps.new_place()), work_(steps) {}

  void push(Input input) {
    touch(true);
    inputs_.push_back(input);
    work_.open();
  }
  /// Waits for a request and returns the oldest. It stays until pop().
  Input wait() {
    steps_.wait_until(work_, [this] { return !inputs_.empty(); });
    return inputs_.front();
  }
  void pop() { inputs_.pop_front(); }
  /// Removes the request to serve the signal notice of an engine.
  void remove_notice(std::uint32_t engine) {
    inputs_.erase(std::remove_if(inputs_.begin(), inputs_.end(),
                                 [engine](const Input& input) {
                                   return input.kind == Input::Kind::kNotice &&
                                          input.index == engine;
                                 }),
                  inputs_.end());
  }
  bool empty() const { return inputs_.empty(); }
  void touch(bool write) { steps_.touch(common::Place::kRegister, place_, write); }
  std::uint64_t place() const { return place_; }  ///< for footprints; also of pending notices
  void add_to(common::Hasher& hasher) const {
    for (const Input& input : inputs_) hasher.add(input.word());
  }

 private:
  common::Steps& steps_;
  const std::uint64_t place_;
  std::deque<Input> inputs_;
  common::Gate work_;
};

}  // namespace fenceline::cmp
