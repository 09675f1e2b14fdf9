#pragma once

#include "tb/os/ordering.h"

namespace fenceline::user {

enum class ReadStatus : std::uint8_t { kNever, kBefore, kAfter };
constexpr abi::SwitchValues<ReadStatus, 3> kReadStatuses{{
    {"false", ReadStatus::kNever, "it rings a doorbell that may have been taken away"},
    {"before", ReadStatus::kBefore,
     "before it rings: only kmd.victim_scan finds what it rings after the loss"},
    {"true", ReadStatus::kAfter, "after it has rung"},
}};

/// The ordering switches of user-mode submission; scenarios set them at /platform/ordering/<name>.
/// How they are declared: models/abi/switch.h.
struct UserOrdering {
  ReadStatus read_status = ReadStatus::kAfter;
  bool ring_again = true;
  bool submission_lock = true;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism("umd.read_status", t.read_status, kReadStatuses,
                "User mode reads the status of its doorbell after it has rung.");
    v.mechanism("umd.ring_again", t.ring_again, abi::when_true("what it rang before stays unseen"),
                "User mode rings again when it has had its doorbell connected.");
    v.mechanism("umd.submission_lock", t.submission_lock,
                abi::when_true("two threads write the same place of the ring"),
                "One thread at a time records commands for a queue or context and submits them.");
  }
};

/// All switches of one machine.
struct Ordering : os::Ordering {
  UserOrdering umd;

  template <class V, class T>
  static void switches(V& v, T& t) {
    os::Ordering::switches(v, t);
    UserOrdering::switches(v, t.umd);
  }
};

}  // namespace fenceline::user
