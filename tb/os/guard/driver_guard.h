#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "kmd_stub/host/call_site.h"
#include "kmd_stub/wddm/driver.h"
#include "tb/os/core/cpu.h"
#include "tb/os/driver/bug_check.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/os/guard/driver_misuse.h"

namespace fenceline::os {

/// Knows which agents are in which DDIs of an adapter's driver, and reports what the driver does
/// there that it must not do.
class DriverGuard {
 public:
  /// @param adapter ObjectKind::kAdapter, for events.
  DriverGuard(Cpu& cpu, std::uint32_t adapter) : cpu_(cpu), adapter_(adapter) {}
  DriverGuard(const DriverGuard&) = delete;
  DriverGuard& operator=(const DriverGuard&) = delete;

  /// The current agent is in that DDI while this exists.
  class Stay {
   public:
    Stay(DriverGuard& guard, Ddi ddi) : guard_(guard), agent_(guard.push(ddi)) {}
    ~Stay() { guard_.pop(agent_); }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    DriverGuard& guard_;
    common::AgentId agent_;
  };

  /// Calls a DDI of the driver. An exception of the driver that ends the call becomes a status.
  /// @pre a Stay of the current agent in the DDI. @param function returns NTSTATUS.
  template <typename Function>
  NTSTATUS run(Function&& function) {
    return checked(caught([&] { return function(); }, STATUS_UNSUCCESSFUL));
  }
  /// The value of `function()`, a call of the driver's code; `otherwise` if an exception of the
  /// driver's own leaves it. Exceptions of the simulator pass, kept or not.
  template <typename Function, typename Value>
  Value caught(Function&& function, Value otherwise) {
    Value value = otherwise;
    try {
      value = function();
    } catch (...) {
      if (passes()) throw;
      left_by_exception();
    }
    if (const std::exception_ptr kept = take_kept()) std::rethrow_exception(kept);
    return value;
  }
  /// Runs what the driver has called. What leaves it is the simulator's, not the driver's.
  template <typename Function>
  auto pass(Function&& function) {
    try {
      return function();
    } catch (const BugCheck&) {
      note_passing(std::current_exception());
      throw;
    } catch (...) {
      note_passing(nullptr);
      throw;
    }
  }

  /// The driver has done this at that place of its source.
  void report(Misuse misuse, const kmd_host::CallSite& site, std::uint64_t number = 0);
  /// The same in a function of the OS, or in the DDI itself: no place in its source is known.
  void report(Misuse misuse, Ddi where, std::uint64_t number = 0);

  /// The driver's table has no entry for a DDI that the OS calls.
  NTSTATUS report_missing(Ddi ddi) {
    report(Misuse::kEntryMissing, ddi);
    return STATUS_NOT_IMPLEMENTED;
  }

  /// A call of the driver was checked.
  void count(event::GuardedCall kind);
  /// Counts of the innermost DDI of the current agent, as kDdiReturn has them.
  std::uint64_t counts() const;
  /// DDIs that the current agent is in.
  std::uint32_t depth() const;

 private:
  struct Frame {
    common::AgentId agent;
    Ddi ddi;
    bool passes = false;  ///< an exception of the simulator leaves it
    std::uint64_t calls = 0;
  };
  common::AgentId push(Ddi ddi);
  void pop(common::AgentId agent);
  const Frame* innermost() const;
  Frame* innermost() { return const_cast<Frame*>(std::as_const(*this).innermost()); }
  NTSTATUS checked(NTSTATUS status);
  bool passes() const;
  void left_by_exception();
  void note_passing(std::exception_ptr stop);
  std::exception_ptr take_kept();
  void emit(Misuse misuse, const std::string& place, std::uint64_t number);

  Cpu& cpu_;
  const std::uint32_t adapter_;
  std::vector<Frame> frames_;
  std::exception_ptr stop_;                     ///< of a bug check
  std::map<std::string, std::uint32_t> sites_;  ///< ObjectKind::kCallSite, by their text
};

}  // namespace fenceline::os
