#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_threads {

TEST_CASE("the prediction unrolls repeats and counts the repeat itself", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", R"({"repeat": {"count": 3, "counter": "i",
      "steps": [{"signal": {"fence": "F", "value": "${i}*2+1"}}, {"mark": "m"}]}})"));
  REQUIRE(outcome.threads.at("t").size() == 7);
  CHECK(outcome.threads.at("t")[0].pointer == "/programs/0/steps/0");
  CHECK(outcome.threads.at("t")[5].pointer == "/programs/0/steps/0/repeat/steps/0");
  CHECK(outcome.fences.at("app/F").values == Values{5});
  CHECK(outcome.hangs == Happens::kNever);
}

TEST_CASE("the prediction evaluates expressions modulo 2 to the 64", "[reference]") {
  const Outcome outcome = predicted_app(
      R"({"thread": "t", "count": 2, "counter": "n", "steps": [
          {"signal": {"fence": "F", "value": "max - ${n}*0x10 + 17"}}]})");
  CHECK(outcome.fences.at("app/F").values == Values{16, 0});
  CHECK(outcome.threads.count("t0") == 1);
  CHECK(outcome.threads.count("t1") == 1);
}

TEST_CASE("a wait that no signal reaches never ends", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", point("wait", "F", "2") + "," + point("signal", "G", "1")) + "," +
                    thread("u", point("signal", "F", "1")));
  CHECK(outcome.threads.at("t")[0].begins == Happens::kAlways);
  CHECK(outcome.threads.at("t")[0].ends == Happens::kNever);
  CHECK(outcome.threads.at("t")[1].begins == Happens::kNever);
  CHECK(outcome.hangs == Happens::kAlways);
  CHECK(outcome.fences.at("app/G").values == Values{0});
}

TEST_CASE("a wait for any ends with one fence and a wait for all does not", "[reference]") {
  const std::string both = R"("fences": [{"fence": "F", "value": 1}, {"fence": "G", "value": 1}])";
  const Outcome any = predicted_app(thread("t", R"({"wait": {)" + both + R"(, "any": true}})") +
                                    "," + thread("u", point("signal", "F", "1")));
  CHECK(any.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(any.threads.at("t")[0].after == Progress{{"u", 1}});  // nobody signals the other one
  const Outcome either = predicted_app(thread("t", R"({"wait": {)" + both + R"(, "any": true}})") +
                                       "," + thread("u", point("signal", "F", "1")) + "," +
                                       thread("v", point("signal", "G", "1")));
  CHECK(either.threads.at("t")[0].after.empty());
  const Outcome all = predicted_app(thread("t", R"({"wait": {)" + both + "}}") + "," +
                                    thread("u", point("signal", "F", "1")));
  CHECK(all.threads.at("t")[0].ends == Happens::kNever);
}

TEST_CASE("a wait with a timeout succeeds or fails or does either", "[reference]") {
  const std::string wait = R"({"wait": {"fence": "F", "value": 1, "timeout": "1us"}})";
  const auto statuses = [&](const std::string& before, const std::string& other) {
    const Outcome outcome =
        predicted_app(thread("t", before + wait) + (other.empty() ? "" : "," + thread("u", other)));
    CHECK(outcome.hangs == Happens::kNever);
    return outcome.threads.at("t").back().statuses;
  };
  using Statuses = std::set<std::string>;
  CHECK(statuses("", "") == Statuses{"STATUS_TIMEOUT"});
  CHECK(statuses(point("signal", "F", "1") + ",", "") == Statuses{"STATUS_SUCCESS"});
  CHECK(statuses("", point("signal", "F", "1")) == Statuses{"STATUS_SUCCESS", "STATUS_TIMEOUT"});
  CHECK(statuses(point("signal", "F", "1") + ",", point("signal", "F", "0")) ==
        Statuses{"STATUS_SUCCESS", "STATUS_TIMEOUT"});
}

TEST_CASE("a call that finds a closed handle signals none of its fences", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", R"({"destroy_fence": "G"}, {"signal": {"fences": [{"fence": "F", "value": 1},
          {"fence": "G", "value": 1}]}}, {"wait": {"fence": "F", "value": 1, "timeout": "1us"}})"));
  CHECK(outcome.threads.at("t")[1].statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
  CHECK(outcome.threads.at("t")[2].statuses.count("STATUS_TIMEOUT") == 1);
}

TEST_CASE("a wait with an event returns and the event comes with the value", "[reference]") {
  const std::string wait = R"({"wait": {"fence": "F", "value": 1, "event": "E"}})";
  const std::string wait_event = R"({"wait_event": {"event": "E"}})";
  const Outcome reached = predicted_app(thread("t", wait + "," + wait_event) + "," +
                                        thread("u", point("signal", "F", "1")));
  CHECK(reached.hangs == Happens::kNever);
  CHECK(reached.threads.at("t")[0].after.empty());
  CHECK(reached.threads.at("t")[1].after == Progress{{"u", 1}});
  const Outcome never = predicted_app(thread("t", wait + "," + wait_event));
  CHECK(never.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(never.threads.at("t")[1].ends == Happens::kNever);
}

TEST_CASE("a second wait clears its event", "[reference]") {
  const auto wait_until = [](const char* value) {
    return R"({"wait": {"fence": "F", "value": )" + std::string(value) + R"(, "event": "E"}})";
  };
  const std::string wait_event = R"({"wait_event": {"event": "E"}})";
  const Outcome outcome =
      predicted_app(thread("t", point("signal", "F", "1") + "," + wait_until("1") + "," +
                                    wait_event + "," + wait_until("2") + "," + wait_event));
  CHECK(outcome.threads.at("t")[2].ends == Happens::kAlways);
  CHECK(outcome.threads.at("t")[4].ends == Happens::kNever);
}

TEST_CASE("a poll ends with the value or with its timeout", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", R"({"poll": {"fence": "F", "value": 1, "timeout": "1us"}},
                                   {"poll": {"fence": "F", "value": 1}})"));
  CHECK(outcome.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(outcome.threads.at("t")[1].ends == Happens::kNever);
  CHECK(outcome.threads.at("t")[0].statuses.empty());
}

TEST_CASE("a value that falls may leave its waiter", "[reference]") {
  const Outcome falls =
      predicted_app(thread("t", point("wait", "F", "2")) + "," +
                    thread("u", point("signal", "F", "2") + "," + point("signal", "F", "1")));
  CHECK(falls.threads.at("t")[0].ends == Happens::kMaybe);
  CHECK(falls.hangs == Happens::kMaybe);
  const Outcome waited_for =
      predicted_app(thread("t", point("wait", "F", "2") + "," + point("signal", "G", "1")) + "," +
                    thread("u", point("signal", "F", "2") + "," + point("wait", "G", "1") + "," +
                                    point("signal", "F", "1")));
  CHECK(waited_for.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(waited_for.fences.at("app/F").values == Values{1});
}

TEST_CASE("a value that fell before a wait does not satisfy it", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", point("signal", "F", "2") + "," + point("signal", "F", "0") + "," +
                                    point("wait", "F", "2")) +
                    "," + thread("u", R"({"delay": "1ms"},)" + point("signal", "F", "2")));
  CHECK(outcome.threads.at("t")[2].after == Progress{{"u", 2}});
}

TEST_CASE("an initial value that a signal may lower may satisfy a wait", "[reference]") {
  const std::string process =
      R"("processes": [{"name": "app", "fences": [{"name": "F", "initial_value": 5}]}],)";
  const Outcome kept =
      predicted(process + R"("programs": [)" + thread("t", point("wait", "F", "5")) + "]");
  CHECK(kept.threads.at("t")[0].ends == Happens::kAlways);
  const Outcome lowered =
      predicted(process + R"("programs": [)" + thread("t", point("wait", "F", "5")) + "," +
                thread("u", point("signal", "F", "4")) + "]");
  CHECK(lowered.threads.at("t")[0].ends == Happens::kMaybe);
  CHECK(lowered.fences.at("app/F").values == Values{4});
}

TEST_CASE("a value is reached for good if a signal follows each lower one", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", point("signal", "F", "1") + "," + point("signal", "F", "5")) + "," +
                    thread("u", point("signal", "F", "2") + "," + point("signal", "F", "6")) + "," +
                    thread("v", point("wait", "F", "4")));
  CHECK(outcome.threads.at("v")[0].ends == Happens::kAlways);
  CHECK(outcome.hangs == Happens::kNever);
}

TEST_CASE("user mode may read CurrentValue and nothing else", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", R"({"access": {"fence": "F"}},
      {"access": {"fence": "F", "write": 1, "violates": true}},
      {"access": {"fence": "F", "target": "monitored_value", "violates": true}})"));
  REQUIRE(outcome.silent.empty());
  const std::vector<StepOutcome>& steps = outcome.threads.at("t");
  CHECK(steps[0].statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(steps[1].statuses == std::set<std::string>{"STATUS_ACCESS_VIOLATION"});
  CHECK(steps[2].statuses == std::set<std::string>{"STATUS_ACCESS_VIOLATION"});
  CHECK(predicted_app(thread("t", R"({"access": {"fence": "M"}})")).silent.count("") == 1);
}

}  // namespace fenceline::reference::test_threads
