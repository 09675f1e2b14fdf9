#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/hash.h"
#include "models/common/simulation.h"

namespace fenceline::os {

struct KernelEvent;
struct Waiter;
class WaitList;
class Waits;

/// A fence opened by one process: the object of a D3DKMT handle. Closing it ends the waits through
/// that handle. A call in progress keeps it alive and checks `open` under the lock of the waiters.
struct LocalObject {
  std::uint32_t process = 0;  ///< ObjectKind::kProcess
  bool open = true;
};
using LocalPointer = std::shared_ptr<LocalObject>;

/// One wait for one fence, owned by its waiter. It leaves the fence's list automatically when the
/// waiter or the list is destroyed.
class Registration {
 public:
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() { leave(); }

  Waiter& waiter() const { return waiter_; }
  /// Number among the waits of its scheduler, from 1.
  std::uint64_t order() const { return order_; }
  std::uint64_t value() const { return value_; }                 ///< value waited for
  const LocalObject* through() const { return through_.get(); }  ///< null: the OS itself waits
  /// Leaves its list, if it is in one.
  void leave();
  bool in(const WaitList& list) const { return list_ == &list; }

 private:
  friend struct Waiter;
  friend class WaitList;
  Registration(Waiter& waiter, std::uint64_t value, LocalPointer through)
      : waiter_(waiter), value_(value), through_(std::move(through)) {}

  Waiter& waiter_;
  const std::uint64_t value_;
  const LocalPointer through_;
  std::uint64_t order_ = 0;
  WaitList* list_ = nullptr;
  std::multimap<std::uint64_t, Registration*>::iterator at_{};
};

/// True if every point of a wait or signal can still be used.
template <typename Points>
bool all_good(const Points& points) {
  return std::all_of(points.begin(), points.end(), [](const auto& point) { return point.good(); });
}

/// The waits for one fence, ordered by value, then by age. It does not own them.
class WaitList {
 public:
  using ByValue = std::multimap<std::uint64_t, Registration*>;

  WaitList() = default;
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;
  ~WaitList() {
    for (const auto& [key, registration] : by_value_) registration->list_ = nullptr;
  }

  bool empty() const { return by_value_.empty(); }
  std::size_t size() const { return by_value_.size(); }
  /// @pre not empty
  std::uint64_t lowest() const { return by_value_.begin()->first; }
  /// The first wait whose value `current` has reached, null if there is none.
  /// @param older waits that entered later are skipped
  Registration* reached(std::uint64_t current, std::uint64_t older = UINT64_MAX) const;
  /// The first wait through `local` (null: any); null if there is none.
  Registration* first_through(const LocalObject* local) const;
  /// For iteration; the key is the value in the fence's order of comparison.
  const ByValue& by_value() const { return by_value_; }
  /// Adds the waits to the hash of a state.
  void add_to(common::Hasher& hasher) const;

 private:
  friend class Registration;
  friend struct Waiter;
  ByValue by_value_;
};

/// A wait for all of its fences or for any of them. It is in their lists until it is satisfied or
/// destroyed.
struct Waiter {
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  std::uint32_t number = 0;      ///< from 1 over the run
  std::uint32_t thread = 0;      ///< ObjectKind::kThread, 0 for a context
  KernelEvent* event = nullptr;  ///< set when the wait is satisfied
  bool any = false;
  std::size_t remaining = 0;  ///< registrations that are still needed
  bool satisfied = false;
  bool let_go = false;            ///< a fence that it waited for was closed; counts as satisfied
  Waits* asynchronous = nullptr;  ///< no thread blocks: the wait ends when it is satisfied

  /// Enters a list. @param key `value` in the fence's order of comparison
  void enter(WaitList& list, std::uint64_t key, std::uint64_t value, LocalPointer through,
             std::uint64_t order = 0);
  void leave();
  /// Leaves one list whose fence has the value. True if nothing holds up the wait any more; the
  /// caller then calls satisfy().
  bool leave_satisfied(Registration& registration);
  /// Ends the wait: it leaves all lists, and its thread wakes up. The waiter may be destroyed on
  /// return.
  void satisfy();
  bool is_in(const WaitList& list) const;
  /// Event for entering the list of `fence`.
  event::WaitAdd added(event::FenceId fence, std::uint64_t value,
                       const LocalPointer& through) const {
    return {fence, value, number, thread, any ? 1U : 2U, through != nullptr ? through->process : 0};
  }

 private:
  std::vector<std::unique_ptr<Registration>> registrations_;
};

/// Emits that a waiter's thread continues or has given up its wait for `fence`.
void report_wait_end(common::Simulation& simulation, const Waiter& waiter, event::FenceId fence,
                     std::uint64_t value, bool in_time);

/// Owner of the waits of threads. A wait ends with its scope or, with an asynchronous event, when
/// it is satisfied.
class Waits {
 public:
  /// Ends a wait at the end of the scope.
  class Scope {
   public:
    Scope(Waits& of, std::uint32_t number) : of_(of), number_(number) {}
    ~Scope() { of_.end(number_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Waits& of_;
    const std::uint32_t number_;
  };

  /// Number for a wait without a thread.
  std::uint32_t next_number() { return ++last_; }
  Waiter& open(std::uint32_t thread, KernelEvent& event, bool any);
  void end(std::uint32_t number) { open_.erase(number); }
  /// The call that made the wait returns `status` without blocking: the wait ends when it is
  /// satisfied, at once if it is already. Returns `status`.
  std::int32_t leave_open(Waiter& waiter, std::int32_t status);
  std::size_t size() const { return open_.size(); }

 private:
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, Waiter> open_;  ///< by number
};

}  // namespace fenceline::os
