#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/driver.h"
#include "models/top/platform.h"
#include "tb/os/kernel.h"

namespace fenceline::user {

/// Memory that a simulated process shares with a GPU.
struct Memory {
  void* cpu_address = nullptr;  ///< for load() and store()
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
};

/// A simulated process; the functions of d3dkmt.h run in its threads.
struct SimulatedProcess {
  std::string name;
  os::ProcessKind kind = os::ProcessKind::kHost;
  std::vector<os::Process*> devices;  ///< by number; null while one is created
  std::vector<std::unique_ptr<os::KernelEvent>> events;
};

/// A modelled machine: platform, operating system, and threads on its cores. A set-up thread starts
/// the adapters, then the others start, at time 0.
///
/// For programs without a scenario: in a thread the functions of tb/user/d3dkmt.h work as on
/// Windows. Only one machine may exist in a process at a time, and it runs once. Add everything
/// before `run`. A thread is a SystemC process: its body may block only by functions of this
/// library, and time passes only in these. A host call that throws ends the run.
class Machine {
 public:
  /// @param driver entry point; default: the stub. Throws std::logic_error if another machine
  /// exists. @param managed_memory run the memory manager. Without it its calls return
  /// STATUS_NOT_SUPPORTED.
  explicit Machine(const top::PlatformConfig& platform,
                   os::DriverEntryFunction driver = DriverEntry, bool managed_memory = false,
                   const os::Ordering& ordering = {});
  virtual ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// @return its number, for add_thread.
  std::size_t add_process(const std::string& name, os::ProcessKind kind = os::ProcessKind::kHost);
  /// Adds a thread of a process.
  void add_thread(const std::string& name, std::size_t process, std::function<void()> body);

  /// Simulates until all threads have ended and no work is left, or until `limit`. @return true if
  /// all threads have ended. Rethrows exceptions of threads, also os::BugCheck.
  bool run(std::optional<common::Time> limit = std::nullopt);

  common::Time now() const { return simulation_.steps.now(); }    ///< [ps] since the start
  common::Simulation& simulation() const { return simulation_; }  ///< for subscribers of its events
  os::Kernel& kernel() { return *kernel_; }
  top::Platform& platform() { return *platform_; }
  const top::Platform& platform() const { return *platform_; }
  /// The threads run.
  bool started() const { return started_; }
  bool all_finished() const { return finished_ == threads_.size(); }

  /// The machine of this process. @pre a machine for programs exists.
  static Machine& current();
  /// Process of the calling thread. @pre it is a thread of this machine.
  SimulatedProcess& process();
  struct Thread {
    virtual ~Thread() = default;
    std::string name;
    std::uint32_t object = 0;  ///< ObjectKind::kThread
    common::AgentId agent = 0;
    std::function<void()> body;
    SimulatedProcess* process = nullptr;
    bool finished = false;
  };

 protected:
  /// A machine with a simulation of its user's.
  Machine(common::Simulation& simulation, const top::PlatformConfig& platform,
          const os::KernelOptions& options, os::DriverEntryFunction driver);
  /// Adds a thread that has a name and a body. @param core default: spread over the cores, from the
  /// last one down.
  void add_thread(std::unique_ptr<Thread> added, std::optional<std::uint32_t> core = std::nullopt);

  // For the set-up thread.
  virtual void prepare() {}       ///< the adapters have started
  virtual void before_start() {}  ///< everything is ready and quiet
  virtual void after_start() {}   ///< the threads may run

 private:
  Machine(std::unique_ptr<common::Simulation> simulation, const top::PlatformConfig& platform,
          const os::KernelOptions& options, os::DriverEntryFunction driver);
  void set_up(os::DriverEntryFunction driver);
  void run_thread(Thread& thread);

  std::unique_ptr<common::Simulation> own_;
  common::Simulation& simulation_;
  std::unique_ptr<top::Platform> platform_;
  std::unique_ptr<os::Kernel> kernel_;
  std::vector<std::unique_ptr<SimulatedProcess>> processes_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<common::AgentId, Thread*> by_agent_;
  std::uint32_t next_core_;
  std::size_t finished_ = 0;
  bool started_ = false;
  common::Gate start_;
};

inline os::Kernel& kernel() { return Machine::current().kernel(); }
/// The device of the calling process that has given out a handle; null if none has.
os::Process* device_of(D3DKMT_HANDLE handle);

}  // namespace fenceline::user
