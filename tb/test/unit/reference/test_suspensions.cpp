// Hardware contexts that the OS suspends and resumes.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_suspensions {

namespace {

/// A thread submits a signal of F and does these steps; another one waits for F.
Outcome suspended(const std::string& steps) {
  return predicted(R"("platform": {"os": {"context_scheduling": {"enabled": true}}},
      "processes": [{"name": "app", "fences": [{"name": "F"}],
                     "queues": [{"name": "q", "engine": "compute0"}]}],
      "programs": [)" +
                   thread("t", submit("q", point("signal", "F", "1")) + ", " + steps) + ", " +
                   thread("u", point("wait", "F", "1")) + "]");
}

constexpr const char* kSuspend = R"({"suspend_context": {"context": "q"}})";
constexpr const char* kResume = R"({"resume_context": "q"})";

}  // namespace

TEST_CASE("work of a context that is suspended and resumed is done", "[reference]") {
  const Outcome outcome = suspended(std::string(kSuspend) + R"(, {"delay": "5us"}, )" + kResume);
  CHECK(outcome.silent.empty());
  CHECK(outcome.hangs == Happens::kNever);
  CHECK(outcome.commands.at("app/q").front().done == Happens::kAlways);
  CHECK(outcome.threads.at("u").front().ends == Happens::kAlways);
  CHECK(outcome.fences.at("app/F").values == Values{1});
  CHECK(outcome.threads.at("t")[1].statuses ==
        std::set<std::string>{"STATUS_PENDING", "STATUS_SUCCESS"});
}

TEST_CASE("nothing is said of a context that stays suspended or that its thread waits for",
          "[reference]") {
  CHECK(suspended(kSuspend).silent.at("") == "a context that stays suspended");
  CHECK(suspended(std::string(kSuspend) + ", " + point("wait", "F", "1") + ", " + kResume)
            .silent.at("") == "a step between the suspension of a context and its resumption");
}

TEST_CASE("scheduling properties are accepted and change no outcome", "[reference]") {
  const Outcome outcome = suspended(R"({"set_scheduling": {"context": "q", "band": "idle"}})");
  CHECK(outcome.hangs == Happens::kNever);
  CHECK(outcome.threads.at("t")[1].statuses == std::set<std::string>{"STATUS_SUCCESS"});
}

}  // namespace fenceline::reference::test_suspensions
