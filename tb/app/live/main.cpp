// fenceline_live: the server of the page of `fenceline ... --live`. It prints the address of the
// page, serves the latest packet that comes on standard input, and ends when no more can come.
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <sys/socket.h>

#include "tb/app/live/server.h"
#include "tb/report/writers/page_shell.h"

namespace {

constexpr std::size_t kMaxState = std::size_t{1} << 20U;  ///< [bytes]

bool comes_from_fenceline() {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int serve() {
  const std::string_view page = fenceline::report::live_page().shell;
  if (page.empty()) {
    std::puts("this build has no live page: it had no esbuild");
    return 1;
  }
  fenceline::live::Server server(page);
  const std::string address = server.start();
  std::puts(address.empty() ? "the loopback cannot be used" : address.c_str());
  std::fflush(stdout);
  if (address.empty()) return 1;
  std::string packet(kMaxState, '\0');
  for (;;) {
    const ssize_t size = ::recv(0, packet.data(), packet.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    server.show(packet.substr(0, static_cast<std::size_t>(size)));
  }
  server.wait_for_readers();
  return 0;
}

}  // namespace

int main() {
  if (!comes_from_fenceline()) {
    std::fputs(
        "fenceline_live: it is started by fenceline run, explore, sweep and campaign with "
        "--live\n",
        stderr);
    return 2;
  }
  try {
    return serve();
  } catch (const std::exception& error) {
    std::puts(error.what());
    return 1;
  }
}
