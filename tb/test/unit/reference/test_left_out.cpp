// Commands that are left out of their submission: for fences that are closed, or not there.
#include <set>
#include <string>

#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_left_out {

TEST_CASE("a refused command names its fence too", "[reference]") {
  const auto reason_of = [](const std::string& used) {
    return reason(predicted_app(
        thread("t", R"({"create_fence": {"name": "N", "monitored": true, "flags": ["NoWait"]}})") +
        "," + thread("u", used)));
  };
  const std::string silent = "a use of a fence that may not be there yet";
  CHECK(reason_of(submit_to_context("c0", point("wait", "N", "1"))) == silent);
  CHECK(reason_of(R"({"gpu_wait": {"queue": "q0", "fence": "N", "value": 0}})") == silent);
}

TEST_CASE("a command cannot name a fence before its creation and after its end is left out",
          "[reference]") {
  const std::string create = R"({"create_fence": {"name": "N"}})";
  const std::string use = submit_to_context("c0", point("wait", "N", "0"));
  CHECK(reason(predicted_app(thread("t", use + "," + create))) ==
        "a command for a fence that is not there yet");
  const Outcome closed = predicted_app(thread("t", create + R"(,{"destroy_fence": "N"},)" + use));
  CHECK(reason(closed).empty());
  CHECK(closed.threads.at("t")[2].statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
}

TEST_CASE("a command behind a bad packet names its fence too", "[reference]") {
  const std::string commands = R"({"bad_packet": "opcode"}, )" + point("wait", "F", "0");
  const Outcome outcome = predicted_app(thread("t", submit_to_context("c0", commands)) + "," +
                                        thread("u", R"({"destroy_fence": "F"})"));
  CHECK(outcome.threads.at("t")[0].statuses.count("STATUS_INVALID_HANDLE") == 1);
}

TEST_CASE("nothing is said of a submission of which only the end may be lost", "[reference]") {
  const auto reason_of = [](const std::string& closes) {
    const std::string signals = point("signal", "F", "1") + "," + point("signal", "F", "2");
    return reason(predicted(
        R"("platform": {"os": {"context_scheduling": {"enabled": true}}},
           "processes": [{"name": "a", "fences": [{"name": "F", "shared": true}],
                          "contexts": [{"name": "c", "engine": "gfx0"}]},
                         {"name": "b", "fences": [{"name": "G", "open": "a/F"}]}],
           "programs": [)" +
        thread_of("a", "t", submit_to_context("c", signals)) + "," +
        thread_of("b", "u", point("wait", "G", "1") + R"(,{"reset_engine": "gfx0"})") + closes +
        "]"));
  };
  CHECK(reason_of("").empty());
  CHECK(reason_of("," + thread_of("a", "v", R"({"destroy_fence": "F"})")) ==
        "a submission may name a closed fence");
}

}  // namespace fenceline::reference::test_left_out
