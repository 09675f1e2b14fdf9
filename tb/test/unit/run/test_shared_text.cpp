// A text that one process writes and others read.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/run/process/shared_text.h"

namespace fenceline::run_tests::test_shared_text {

using fenceline::run::SharedText;

TEST_CASE("shared text: the latest text is read", "[run][shared_text]") {
  SharedText text(20);
  CHECK(text.read().empty());
  text.write("one");
  CHECK(text.read() == "one");
  for (const char* next : {"a text of 20 letters", "", "seven.."}) {
    text.write(next);
    CHECK(text.read() == next);
  }
}

TEST_CASE("shared text: a text that is too long is dropped", "[run][shared_text]") {
  SharedText text(16);
  text.write("short");
  text.write(std::string(17, 'x'));
  CHECK(text.read() == "short");
}

TEST_CASE("shared text: a reader gets whole texts while another process writes",
          "[run][shared_text]") {
  SharedText text(1000);
  const pid_t writer = ::fork();
  if (writer == 0) {
    for (char c = 'a';; c = c == 'z' ? 'a' : static_cast<char>(c + 1))
      text.write(std::string(100 + static_cast<std::size_t>(c - 'a') * 30, c));
  }
  while (text.read().empty()) {
  }
  bool whole = true;
  for (int i = 0; i < 20'000; ++i) {
    const std::string now = text.read();
    whole = whole && now == std::string(100 + static_cast<std::size_t>(now[0] - 'a') * 30, now[0]);
  }
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  CHECK(whole);
  CHECK_FALSE(text.read().empty());  // it may have died amid a text
}

}  // namespace fenceline::run_tests::test_shared_text
