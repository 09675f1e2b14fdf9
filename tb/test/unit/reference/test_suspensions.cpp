// Hardware contexts that the OS suspends and resumes.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_suspensions {

namespace {

/// A thread submits a signal of F and does these steps; another one waits for F.
Outcome suspended(const std::string& steps, const std::string& others = "") {
  return predicted(R"("platform": {"os": {"context_scheduling": {"enabled": true}}},
      "processes": [{"name": "app", "fences": [{"name": "F"}],
                     "queues": [{"name": "q", "engine": "compute0"}]}],
      "programs": [)" +
                   thread("t", submit("q", point("signal", "F", "1")) + ", " + steps) + ", " +
                   thread("u", point("wait", "F", "1")) + others + "]");
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
}

TEST_CASE("a suspension is pending and succeeds at once for a suspended context", "[reference]") {
  using Statuses = std::set<std::string>;
  const auto statuses = [](const std::string& steps) {
    std::vector<Statuses> all;
    for (const StepOutcome& step : suspended(steps).threads.at("t")) all.push_back(step.statuses);
    return all;
  };
  const std::string suspend = kSuspend;
  const std::string at_once = R"({"suspend_context": {"context": "q", "wait": false}})";
  const std::string resume = std::string(", ") + kResume;
  const Statuses pending{"STATUS_PENDING"};
  const std::vector<Statuses> nested = statuses(suspend + ", " + suspend + resume);
  CHECK(nested[1] == pending);
  CHECK(nested[2] == Statuses{"STATUS_SUCCESS"});
  CHECK(statuses(suspend + resume + ", " + suspend + resume)[3] == pending);
  CHECK(statuses(at_once + ", " + suspend + resume)[2] ==
        Statuses{"STATUS_PENDING", "STATUS_SUCCESS"});
  const std::string both = suspend + resume;
  CHECK(suspended(both, ", " + thread("v", both)).threads.at("t")[1].statuses ==
        Statuses{"STATUS_PENDING", "STATUS_SUCCESS"});
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
