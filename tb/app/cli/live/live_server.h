#pragma once

#include <string>
#include <sys/types.h>

namespace fenceline::cli {

/// The process that serves the live page, from the program fenceline_live. It dies with this one.
class LiveServer {
 public:
  /// @pre one thread. Throws UsageError if it cannot serve.
  LiveServer();
  /// Lets readers fetch the last state, and ends the process: waits two seconds at most.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  const std::string& address() const { return address_; }
  /// Hands over a state. Never waits: the state is dropped if the process is slow, or gone.
  void show(const std::string& state) { send(state, 0); }
  /// The same, and waits for a moment if the process is slow.
  void show_last(const std::string& state);

 private:
  void start(const std::string& program, int to, int from);
  void read_address();
  bool send(const std::string& state, int patience) const;

  pid_t process_ = 0;
  int states_ = -1;   ///< packets to the process
  int answers_ = -1;  ///< its standard output
  std::string address_;
};

}  // namespace fenceline::cli
