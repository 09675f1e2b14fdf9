#include "tb/run/process/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT: gcov's name; there if it measures

namespace fenceline::run {

namespace {

void send(int out, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(out, bytes.data() + done, bytes.size() - done);
    if (written <= 0) ::_exit(1);
    done += static_cast<std::size_t>(written);
  }
}

/// Keeps memory that is freed for what comes next: one run needs as much as the run before, and
/// pages that were given back would have to be cleared for it again.
void keep_freed_memory() {
  constexpr int kMost = 256 << 20;  // [bytes]
  ::mallopt(M_TRIM_THRESHOLD, kMost);
  ::mallopt(M_MMAP_THRESHOLD, kMost);
  ::mallopt(M_TOP_PAD, kMost / 4);
}

[[noreturn]] void live(const std::function<void(const ChildProcess::Send&)>& life, pid_t parent,
                       int out) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before that
  for (const int fault : kFaults) std::signal(fault, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  keep_freed_memory();
  life([out](const std::string& bytes) { send(out, bytes); });
  if (__gcov_dump != nullptr) __gcov_dump();
  ::_exit(0);
}

}  // namespace

ChildProcess::ChildProcess(const std::function<void(const Send&)>& life) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  in_ = ends[0];
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) {
    ::close(ends[0]);
    live(life, parent, ends[1]);
  }
  const int error = errno;
  ::close(ends[1]);
  if (id_ > 0) return;
  ::close(in_);
  throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  ::close(in_);
  if (ended_) return;
  kill();
  ::waitpid(id_, nullptr, 0);
}

bool ChildProcess::read() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(in_, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  if (got > 0) received_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void ChildProcess::kill() const { ::kill(id_, SIGKILL); }

ChildProcess::End ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  End end;
  if (WIFEXITED(status)) {
    end.exit_code = WEXITSTATUS(status);
    return end;
  }
  end.signal = WTERMSIG(status);
  end.fault = std::find(kFaults.begin(), kFaults.end(), end.signal) != kFaults.end();
  return end;
}

std::string ChildProcess::End::why() const {
  return signal == 0 ? fmt::format("exit code {}", exit_code)
                     : std::string("SIG") + sigabbrev_np(signal);
}

void leave_interrupts_to_parent() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

}  // namespace fenceline::run
