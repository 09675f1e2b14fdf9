#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmd_stub/wddm/d3dkmt/d3dkmt_memory.h"
#include "tb/os/core/cpu.h"

namespace fenceline::os {

/// Requests of a caller besides the documented arguments. Scenarios set them; other programs leave
/// the defaults.
struct CallOptions {
  std::string name{};  ///< of the new object, in reports; empty: made of the process's name
  std::optional<common::Home> current_value_home{};    ///< of a native fence; default: mem.cv_home
  std::optional<common::Home> monitored_value_home{};  ///< default: mem.mv_home
  UINT log_entries = 0;                                ///< of a hardware queue; 0: no fence logs
  std::optional<common::Time> limit{};                 ///< of a wait by the CPU
  /// Of a signal by the CPU: index of the fence whose handle the driver gets wrong.
  std::optional<std::size_t> bad_handle{};
  std::vector<D3DDDI_ALLOCATIONLIST> used{};  ///< by submitted commands; see `allocation_lists`
};

/// A thread of user mode.
struct Thread {
  explicit Thread(common::Steps& steps) : event(steps) {}

  std::uint32_t object = 0;  ///< ObjectKind::kThread; 0: it has none
  KernelEvent event;         ///< of its own waits
  CallOptions options;       ///< of the call that it makes
  const common::Time* limit() const { return options.limit ? &*options.limit : nullptr; }
};

/// The threads of user mode, by agent.
class Threads {
 public:
  explicit Threads(common::Steps& steps) : steps_(steps) {}

  /// @param object ObjectKind::kThread
  Thread& add(common::AgentId agent, std::uint32_t object);
  /// A thread that was never added gets an entry without object.
  Thread& of(common::AgentId agent);
  Thread& current() { return of(steps_.current()); }

 private:
  common::Steps& steps_;
  std::vector<std::unique_ptr<Thread>> by_agent_;
};

/// Options of the calls that the current thread makes while this exists.
class WithOptions {
 public:
  WithOptions(Threads& threads, CallOptions options)
      : options_(threads.current().options), before_(std::exchange(options_, std::move(options))) {}
  ~WithOptions() { options_ = std::move(before_); }
  WithOptions(const WithOptions&) = delete;
  WithOptions& operator=(const WithOptions&) = delete;

 private:
  CallOptions& options_;
  CallOptions before_;
};

}  // namespace fenceline::os
