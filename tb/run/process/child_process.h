#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <sys/types.h>

namespace fenceline::run {

/// Signals by which a fault in the code ends its process.
constexpr std::array<int, 7> kFaults{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

/// A process forked from this one, which sends bytes to it. It dies with this one, a fault in it is
/// nobody else's, and it leaves no core. @pre one thread.
class ChildProcess {
 public:
  /// Sends bytes to the parent; ends the process if that is not there any more.
  using Send = std::function<void(const std::string&)>;

  /// Starts a process that lives until `life` returns. Throws std::runtime_error.
  explicit ChildProcess(const std::function<void(const Send&)>& life);
  /// Kills it if it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }
  int in() const { return in_; }  ///< can be polled: there is something to read
  /// Waits for some of what it sends; false once nothing more comes.
  bool read();
  std::string& received() { return received_; }  ///< and not taken yet
  void kill() const;

  /// Exit code or signal of a process that has ended.
  struct End {
    int exit_code = 0;
    int signal = 0;      ///< that ended it; 0: none
    bool fault = false;  ///< the signal says that the code is wrong, not that somebody sent it

    bool well() const { return exit_code == 0 && signal == 0; }
    std::string why() const;  ///< such as "SIGSEGV" or "exit code 3"
  };
  /// Waits for its end.
  End wait();

 private:
  pid_t id_ = 0;
  int in_ = -1;
  std::string received_;
  bool ended_ = false;
};

/// For a life whose parent hears of SIGINT and SIGTERM, and says when to stop.
void leave_interrupts_to_parent();

}  // namespace fenceline::run
