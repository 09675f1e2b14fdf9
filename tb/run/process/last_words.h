#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "models/common/simulation.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/run/process/pulse.h"

namespace fenceline::run {

/// Follows which agent of a simulation is in which DDI, so that a crash can say where it was.
class Whereabouts : public common::EventSink {
 public:
  explicit Whereabouts(const common::Simulation& simulation);
  ~Whereabouts() override;
  Whereabouts(const Whereabouts&) = delete;
  Whereabouts& operator=(const Whereabouts&) = delete;

  void attach(common::EventStream& events);
  void on_event(const common::Event& event) override;
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);

  /// Writes what the simulation is at, as a text that ends with a zero. Allocates nothing: for
  /// signal handlers.
  /// @return true inside the driver.
  bool tell(char* text, std::size_t size) const;

 private:
  struct Call {
    os::Ddi ddi;
    std::uint32_t adapter;
  };
  const common::Simulation& simulation_;
  std::vector<std::vector<Call>> calls_;  ///< of each agent, the innermost last
};

/// The process is at something that is no simulation and runs code of the driver, such as loading
/// it: a crash says so.
class InDriver {
 public:
  /// @param what a literal.
  explicit InDriver(const char* what);
  ~InDriver();
  InDriver(const InDriver&) = delete;
  InDriver& operator=(const InDriver&) = delete;
};

/// The library that `function` belongs to is the driver; null: there is none but the built-in one.
void set_driver_code(const void* function);

/// From now on this process writes into `pulse` what it is at when it dies: by a fault, by ending
/// itself with exit(), or because its watcher sends kSayWhere. `pulse` must outlive it.
void leave_last_words(Pulse& pulse);

/// Signal by which the watcher has a process that does not come along say where it is, and end.
extern const int kSayWhere;

}  // namespace fenceline::run
