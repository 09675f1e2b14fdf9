#pragma once

#include <atomic>
#include <chrono>
#include <httplib.h>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace fenceline::live {

/// Serves a page and its latest state on the loopback, to readers who know the token. Everything
/// but a GET of these two is refused, and so is a request for another host: a page from elsewhere
/// that was given the name of this machine would otherwise be let in.
class Server {
 public:
  /// @param page must outlive it.
  explicit Server(std::string_view page);
  /// Ends the connections.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Begins to serve, at a port that the kernel chooses. Returns the address of the page; empty
  /// if the loopback cannot be used.
  std::string start();
  /// Readers get this state from now on.
  void show(std::string state);
  /// Waits until those who read now have had time to ask for the last state.
  void wait_for_readers() const;

 private:
  using Clock = std::chrono::steady_clock;

  httplib::Server::HandlerResponse answer(const httplib::Request& request,
                                          httplib::Response& response);
  std::string state();

  const std::string_view page_;
  const std::string token_;
  httplib::Server server_;
  std::thread thread_;
  std::mutex mutex_;  ///< of state_
  std::string state_ = "{}";
  std::atomic<Clock::rep> asked_{0};  ///< when a reader last asked for the state; 0: never
};

}  // namespace fenceline::live
