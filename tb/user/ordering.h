#pragma once

#include "tb/os/core/ordering.h"

namespace fenceline::user {

enum class ReadStatus : std::uint8_t { kNever, kBefore, kAfter };
constexpr abi::SwitchValues<ReadStatus, 3> kReadStatuses{{
    {"false", ReadStatus::kNever, "never: it may ring a doorbell that was taken away",
     "I94 I101 HANG"},
    {"before", ReadStatus::kBefore,
     "before it rings: only kmd.victim_scan finds work that it rings for after the loss",
     abi::kNothing},
    {"true", ReadStatus::kAfter, "after it rings"},
}};

/// Ordering switches of user-mode submission. Scenarios set them at /platform/ordering/<name>.
/// Declaration: see models/abi/switch.h.
struct UserOrdering {
  ReadStatus read_status = ReadStatus::kAfter;
  bool ring_again = true;
  bool submission_lock = true;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism("umd.read_status", t.read_status, kReadStatuses,
                "User mode reads the status of its doorbell after it has rung.");
    v.mechanism(
        "umd.ring_again", t.ring_again,
        abi::when_true("work that it rang for before the connection stays unseen", abi::kNothing),
        "User mode rings again when it has had its doorbell connected.");
    v.mechanism("umd.submission_lock", t.submission_lock,
                abi::when_true("two threads write the same place of the ring", "I110 HANG"),
                "One thread at a time records commands for a queue or context and submits them.");
  }
};

/// All switches of a machine.
struct Ordering : os::Ordering {
  UserOrdering umd;

  template <class V, class T>
  static void switches(V& v, T& t) {
    os::Ordering::switches(v, t);
    UserOrdering::switches(v, t.umd);
  }
};

}  // namespace fenceline::user
