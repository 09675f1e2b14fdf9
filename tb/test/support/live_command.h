#pragma once

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tb/test/support/temp_folder.h"

namespace fenceline::support {

/// Waits until `holds` is true, for ten seconds at most.
template <typename Holds>
bool soon(Holds holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Sends a request to a port of this machine. Returns the answer; empty if nobody listens.
inline std::string ask(int port, const std::string& request, const char* host = "127.0.0.1") {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, host, &address.sin_addr);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(socket);
  return answer;
}

/// A command of the program with --live that runs while the test goes on. It leads a process group.
class LiveCommand {
 public:
  /// @param environment in front of the command, for example "NAME=value"
  explicit LiveCommand(const std::string& arguments, const std::string& environment = {}) {
    const std::string out = (folder_.path() / "out").string();
    const std::string err = (folder_.path() / "err").string();
    const std::string line =
        environment + " exec " FENCELINE_PROGRAM " " + arguments + " >" + out + " 2>" + err;
    process_ = ::fork();
    if (process_ == 0) {
      ::setpgid(0, 0);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    const std::string before = "live page at http://127.0.0.1:";
    soon([&] { return errors().find("/\n") != std::string::npos || ended(); });
    const std::string text = errors();
    const std::size_t at = text.find(before);
    if (at == std::string::npos) return;
    const std::size_t slash = text.find('/', at + before.size());
    port_ = std::stoi(text.substr(at + before.size()));
    path_ = text.substr(slash, text.find('\n', slash) - slash);
  }
  ~LiveCommand() {
    if (process_ == 0) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  LiveCommand(const LiveCommand&) = delete;
  LiveCommand& operator=(const LiveCommand&) = delete;

  int port() const { return port_; }                 ///< 0: it has printed no address
  const std::string& path() const { return path_; }  ///< of the page
  std::string output() const { return text_of("out"); }
  std::string errors() const { return text_of("err"); }
  void send(int signal, bool all = false) const { ::kill(all ? -process_ : process_, signal); }

  /// Answer to a GET of a path.
  std::string get(const std::string& path, const std::string& host = "127.0.0.1") const {
    return ask(port_, "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }
  std::string state() const { return get(path_ + "state"); }
  bool serves() const { return !get(path_).empty(); }
  /// Process of the server; 0: there is none.
  pid_t server() const {
    std::ifstream children("/proc/" + std::to_string(process_) + "/task/" +
                           std::to_string(process_) + "/children");
    for (pid_t child = 0; children >> child;) {
      std::ifstream name("/proc/" + std::to_string(child) + "/comm");
      std::string word;
      if (name >> word && word == "fenceline_live") return child;
    }
    return 0;
  }
  /// Waits for its end. Returns the exit code; 1000 and the signal that has killed it.
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

 private:
  std::string text_of(const char* name) const {
    std::ifstream file(folder_.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process_;
  }

  TempFolder folder_;
  pid_t process_ = 0;
  int port_ = 0;
  std::string path_;
};

}  // namespace fenceline::support
