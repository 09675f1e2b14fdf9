#include "tb/app/cli/live/live_server.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/app/cli/sweep_options.h"
#include "tb/run/process/child_process.h"

namespace fenceline::cli {

namespace {

constexpr int kToStart = 5'000;  ///< [ms]
constexpr int kToTake = 200;     ///< [ms] for the last state
constexpr int kToEnd = 2'000;    ///< [ms]
constexpr int kMaxPacket = 1 << 20;

[[noreturn]] void fail(const std::string& why) {
  throw UsageError(fmt::format("--live: {}; leave --live out to run without the page", why));
}

[[noreturn]] void become(const char* program, pid_t parent, int in, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before that
  run::leave_interrupts_to_parent();
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  std::array<char*, 2> words{const_cast<char*>(program), nullptr};
  ::execv(program, words.data());
  ::_exit(127);
}

/// Something can be read, or nothing more comes. False after `most` [ms].
bool readable(int file, int most) {
  pollfd one{file, POLLIN, 0};
  int found = 0;
  while ((found = ::poll(&one, 1, most)) < 0 && errno == EINTR) {
  }
  return found > 0;
}

}  // namespace

LiveServer::LiveServer() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string program = (folder / "fenceline_live").string();
  if (::access(program.c_str(), X_OK) != 0)
    fail(fmt::format("the program {} cannot be run: {}", program, std::strerror(errno)));
  std::array<int, 2> packets{};
  std::array<int, 2> pipe{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, packets.data()) != 0)
    fail(std::strerror(errno));
  states_ = packets[0];
  ::setsockopt(states_, SOL_SOCKET, SO_SNDBUF, &kMaxPacket, sizeof kMaxPacket);
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail(std::strerror(errno));
  answers_ = pipe[0];
  start(program, packets[1], pipe[1]);
  ::close(packets[1]);
  ::close(pipe[1]);
  read_address();
}

void LiveServer::start(const std::string& program, int to, int from) {
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) become(program.c_str(), parent, to, from);
  if (process_ < 0) fail(fmt::format("cannot start a process: {}", std::strerror(errno)));
}

void LiveServer::read_address() {
  std::array<char, 512> buffer{};
  while (address_.empty() || address_.back() != '\n') {
    const bool there = readable(answers_, kToStart);
    const ssize_t got = there ? ::read(answers_, buffer.data(), buffer.size()) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("its server does not start");
    address_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  address_.pop_back();
  if (address_.rfind("http://", 0) != 0) fail(address_);
}

bool LiveServer::send(const std::string& state, int patience) const {
  pollfd one{states_, POLLOUT, 0};
  if (patience > 0) ::poll(&one, 1, patience);
  return ::send(states_, state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void LiveServer::show_last(const std::string& state) { send(state, kToTake); }

LiveServer::~LiveServer() {
  ::close(states_);
  // Its standard output ends when it ends.
  if (!readable(answers_, kToEnd)) ::kill(process_, SIGKILL);
  ::close(answers_);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace fenceline::cli
