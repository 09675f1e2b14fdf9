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

/// A modelled machine for programs without a scenario: platform, operating system, simulated
/// processes with threads. In a thread the functions of tb/user/d3dkmt.h work as on Windows.
///
/// Only one machine may exist in a process at a time, and it runs once. Add everything before
/// `run`. A thread is a SystemC process: its body may block only by functions of this library, and
/// time passes only in these. A host call that throws ends the run.
class Machine {
 public:
  /// @param driver entry point; default: the stub. Throws std::logic_error if another machine
  /// exists. @param managed_memory run the memory manager. Without it its calls return
  /// STATUS_NOT_SUPPORTED.
  explicit Machine(const top::PlatformConfig& platform,
                   os::DriverEntryFunction driver = DriverEntry, bool managed_memory = false,
                   const os::Ordering& ordering = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// @return its number, for add_thread.
  std::size_t add_process(const std::string& name, os::ProcessKind kind = os::ProcessKind::kHost);
  /// Adds a thread of a process. It starts at time 0, after the start of all adapters. Threads are
  /// spread over the cores, from the last core down.
  void add_thread(const std::string& name, std::size_t process, std::function<void()> body);

  /// Simulates until all threads have ended and no work is left, or until `limit`. @return true if
  /// all threads have ended. Rethrows exceptions of threads, also os::BugCheck.
  bool run(std::optional<common::Time> limit = std::nullopt);

  common::Time now() const { return simulation_.steps.now(); }  ///< [ps] since the start
  common::Simulation& simulation() { return simulation_; }      ///< for subscribers of its events
  os::Kernel& kernel() { return *kernel_; }
  top::Platform& platform() { return *platform_; }

  /// The machine of this process. @pre a machine exists.
  static Machine& current();
  /// Process of the calling thread. @pre it is a thread of this machine.
  SimulatedProcess& process();
  struct Thread {
    std::string name;
    std::uint32_t object = 0;  ///< ObjectKind::kThread
    std::size_t process = 0;
    std::function<void()> body;
    bool finished = false;
  };
  Thread& thread();

 private:
  void set_up(os::DriverEntryFunction driver);
  void run_thread(Thread& thread);

  common::Simulation simulation_;
  std::unique_ptr<top::Platform> platform_;
  std::unique_ptr<os::Kernel> kernel_;
  std::vector<std::unique_ptr<SimulatedProcess>> processes_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<common::AgentId, Thread*> by_agent_;
  std::uint32_t next_core_;
  bool started_ = false;
  common::Gate start_;
};

inline os::Kernel& kernel() { return Machine::current().kernel(); }
/// The device of the calling process that has given out a handle; null if none has.
os::Process* device_of(D3DKMT_HANDLE handle);

}  // namespace fenceline::user
