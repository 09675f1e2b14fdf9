#include "tb/app/sweep/command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fenceline::sweep {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotRun = 127;
constexpr std::size_t kMaxOutput = std::size_t{16} << 20U;

/// A pipe that closes its ends in the destructor.
struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }

  std::array<int, 2> ends{};
};

[[noreturn]] void become(const std::vector<std::string>& words, int in, int out, int err) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], std::strerror(errno));
  ::_exit(kCannotRun);
}

/// Reads both pipes until they end or the time is over; false if the time is over.
bool drain(Pipe& out, Pipe& err, Clock::time_point end, CommandResult& result) {
  std::array<std::pair<Pipe*, std::string*>, 2> all{
      {{&out, &result.output}, {&err, &result.errors}}};
  for (;;) {
    std::array<pollfd, 2> files{};
    for (std::size_t i = 0; i < all.size(); ++i) files[i] = {all[i].first->ends[0], POLLIN, 0};
    if (files[0].fd < 0 && files[1].fd < 0) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    ::poll(files.data(), files.size(), static_cast<int>(left.count()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(files[i].fd, buffer.data(), buffer.size());
      if (got <= 0)
        all[i].first->close_end(0);
      else if (all[i].second->size() < kMaxOutput)
        all[i].second->append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
}

}  // namespace

std::string CommandResult::why() const {
  std::string text = errors.empty() ? output : errors;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  const std::string how = late ? "it did not end" : fmt::format("exit code {}", code);
  return text.empty() ? how : how + ": " + text;
}

CommandResult run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  CommandResult result;
  Pipe out;
  Pipe err;
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t id = ::fork();
  if (id == 0) become(words, nothing, out.ends[1], err.ends[1]);
  ::close(nothing);
  if (id < 0)
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  out.close_end(1);
  err.close_end(1);
  result.late = !drain(out, err, Clock::now() + limit, result);
  if (result.late) ::kill(id, SIGKILL);
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

pid_t start_shell(const std::string& command, const std::string& log) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const pid_t id = out < 0 ? -1 : ::fork();
  if (id == 0) {
    ::setpgid(0, 0);  // a process group of its own, so that all of it can be killed
    become({"/bin/sh", "-c", command}, nothing, out, out);
  }
  const int error = errno;
  ::close(nothing);
  if (out >= 0) ::close(out);
  if (id < 0)
    throw std::runtime_error(fmt::format("cannot start {}: {}", command, std::strerror(error)));
  return id;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%") == std::string::npos;
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace fenceline::sweep
