#include "tb/run/process/watched_process.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>

#include "tb/run/process/last_words.h"

namespace fenceline::run {

namespace {
constexpr std::chrono::milliseconds kToStop{400};   ///< from the wish to stop to the kill
constexpr std::chrono::milliseconds kToSpeak{200};  ///< for the last words
}  // namespace

WatchedProcess::WatchedProcess(const Life& life, std::chrono::nanoseconds stuck, Pulse* pulse)
    : pulse_(pulse != nullptr ? *pulse : own_.emplace()),
      most_(stuck),
      watch_(stuck),
      process_([&](const ChildProcess::Send& send) {
        leave_interrupts_to_parent();
        leave_last_words(pulse_);
        life(pulse_, send);
        std::fflush(nullptr);  // what a driver has printed
      }) {}

void WatchedProcess::look_after() {
  const bool listens = !stuck_ && pulse_.heard();
  if (kill_at_ && !listens && Clock::now() >= *kill_at_) return process_.kill();
  if (stuck_) return;
  stuck_ = watch_.stuck(process_.id(), pulse_.beats(), !pulse_.beats_expected());
  if (!stuck_) return;
  ::kill(process_.id(), kSayWhere);
  kill_at_ = Clock::now() + kToSpeak;
}

void WatchedProcess::stop() {
  if (interrupted_) return;
  interrupted_ = true;
  pulse_.stop();
  kill_at_ = Clock::now() + kToStop;
}

Ended WatchedProcess::end() {
  const ChildProcess::End how = process_.wait();
  Ended ended;
  ended.now = pulse_.now();
  const Pulse::Words& words = pulse_.words();
  if (words.said) ended.where = words.text.data();
  ended.in_driver = words.in_driver;
  ended.why = how.why();
  if (stuck_) {
    ended.how = Ended::How::kStuck;
    ended.why =
        fmt::format("no step for {} s of CPU time", std::chrono::duration<double>(most_).count());
  } else if (interrupted_ && how.signal == SIGKILL) {
    ended.how = Ended::How::kInterrupted;
  } else if (!how.well()) {
    ended.how = how.signal == 0 || how.fault ? Ended::How::kCrashed : Ended::How::kKilled;
  }
  return ended;
}

}  // namespace fenceline::run
