#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_names {

namespace {

const std::string kTwo = R"("processes": [
    {"name": "a", "fences": [{"name": "S", "shared": true}, {"name": "P"}]},
    {"name": "b", "fences": [{"name": "T", "open": "a/S"}]}],)";

using Statuses = std::set<std::string>;

}  // namespace

TEST_CASE("an opened fence is the fence of the other process", "[reference]") {
  const Outcome outcome =
      predicted(kTwo + R"("programs": [)" + thread_of("a", "t", point("signal", "S", "3")) + "," +
                thread_of("b", "u", point("wait", "T", "3")) + "]");
  CHECK(outcome.fences.at("a/S").values == Values{3});
  CHECK(outcome.fences.count("b/T") == 0);
  CHECK(outcome.threads.at("u")[0].after == Progress{{"t", 1}});
}

TEST_CASE("a signal of a lower value with a closed handle takes no value away", "[reference]") {
  const Outcome outcome = predicted(
      R"("processes": [
          {"name": "a", "fences": [{"name": "S", "shared": true}, {"name": "P", "shared": true}]},
          {"name": "b", "fences": [{"name": "T", "open": "a/S"}, {"name": "Q", "open": "a/P"}]}],
         "programs": [)" +
      thread_of("a", "t",
                point("signal", "S", "3") + R"(, {"destroy_fence": "S"},)" +
                    point("signal", "S", "1") + "," + point("signal", "P", "1")) +
      "," + thread_of("b", "u", point("wait", "Q", "1") + "," + point("wait", "T", "2")) + "]");
  CHECK(outcome.hangs != Happens::kAlways);
  CHECK(outcome.threads.at("u")[1].ends != Happens::kNever);
}

TEST_CASE("a name stands for one fence after another", "[reference]") {
  const Outcome outcome =
      predicted(kTwo + R"("programs": [)" +
                thread_of("a", "t",
                          point("signal", "P", "7") + R"(, {"destroy_fence": "P"},)" +
                              point("signal", "P", "8") +
                              R"(, {"create_fence": {"name": "P", "initial_value": 2}},)" +
                              point("signal", "P", "3")) +
                "]");
  CHECK(outcome.fences.at("a/P").values == Values{3});
  CHECK(outcome.threads.at("t")[1].statuses == Statuses{"STATUS_SUCCESS"});
  CHECK(outcome.threads.at("t")[2].statuses == Statuses{"STATUS_INVALID_HANDLE"});
  CHECK(outcome.threads.at("t")[4].statuses == Statuses{"STATUS_SUCCESS"});
}

TEST_CASE("a fence without handles has no value at the end", "[reference]") {
  const auto fences = [](const std::string& others) {
    return predicted(kTwo + R"("programs": [)" +
                     thread_of("a", "t", R"({"destroy_fence": "S"}, {"destroy_fence": "P"})") +
                     others + "]")
        .fences;
  };
  CHECK(fences("").at("a/P").none());
  CHECK(fences("").at("a/S").values == Values{0});
  CHECK(fences("," + thread_of("b", "u", R"({"destroy_fence": "T"})")).at("a/S").none());
}

TEST_CASE("closing a handle ends the waits of its process", "[reference]") {
  const std::string closes = thread_of("a", "c", R"({"delay": "1ms"}, {"destroy_fence": "S"})");
  const Outcome outcome =
      predicted(kTwo + R"("programs": [)" + thread_of("a", "t", point("wait", "S", "1")) + "," +
                thread_of("b", "u", point("wait", "T", "1")) + "," + closes + "]");
  CHECK(outcome.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(outcome.threads.at("t")[0].statuses == Statuses{"STATUS_SUCCESS", "STATUS_INVALID_HANDLE"});
  CHECK(outcome.threads.at("u")[0].ends == Happens::kNever);
}

TEST_CASE("a flag keeps waits until the last close", "[reference]") {
  const std::string flagged = R"("processes": [
      {"name": "a", "fences": [{"name": "S", "shared": true,
                                "flags": ["UnwaitCpuWaitersOnlyOnDestroy"]}]},
      {"name": "b", "fences": [{"name": "T", "open": "a/S"}]}],)";
  const std::string waits = thread_of("a", "t", point("wait", "S", "1")) + "," +
                            thread_of("a", "c", R"({"destroy_fence": "S"})");
  const StepOutcome wait = predicted(flagged + R"("programs": [)" + waits + "]").threads.at("t")[0];
  CHECK(wait.ends == Happens::kMaybe);  // it fails if the close comes first
  CHECK(wait.statuses == Statuses{"STATUS_INVALID_HANDLE", "STATUS_SUCCESS"});
  const std::string last = "," + thread_of("b", "d", R"({"destroy_fence": "T"})");
  CHECK(predicted(flagged + R"("programs": [)" + waits + last + "]").threads.at("t")[0].ends ==
        Happens::kAlways);
}

TEST_CASE("a packet that waits is over when its fence is gone", "[reference]") {
  const auto ends = [](const std::string& wait, const std::string& fence) {
    return predicted_app(thread("t", wait + R"(, {"destroy_fence": ")" + fence + "\"}")).hangs;
  };
  CHECK(ends(submit("q1", point("wait", "F", "1")), "F") == Happens::kNever);
  CHECK(ends(submit("q1", point("wait", "F", "1")), "G") == Happens::kAlways);
  CHECK(ends(submit_to_context("c0", point("wait", "F", "1")), "F") == Happens::kNever);
  CHECK(ends(submit_to_context("c0", point("wait", "M", "1")), "M") == Happens::kMaybe);
}

namespace {

/// Thread t closes G and then signals H; thread u does the steps behind it.
Outcome after_the_close(const std::string& steps, const std::string& rest = "") {
  return predicted_app(
      thread("t", R"({"destroy_fence": "G"},)" + point("signal", "H", "1") + rest) + "," +
      thread("u", point("wait", "H", "1") + "," + steps));
}

const std::string kBoth = R"("fences": [{"fence": "F", "value": 1}, {"fence": "G", "value": 1}])";

}  // namespace

TEST_CASE("a signal of several fences with a closed handle changes none of them", "[reference]") {
  const Outcome outcome = after_the_close(R"({"signal": {)" + kBoth + "}}");
  CHECK(outcome.threads.at("u")[1].statuses == Statuses{"STATUS_INVALID_HANDLE"});
  CHECK(outcome.fences.at("app/F").allows(0));
}

TEST_CASE("a wait for all fences with a closed handle fails at once", "[reference]") {
  const Outcome never = after_the_close(R"({"wait": {)" + kBoth + "}}");
  CHECK(never.threads.at("u")[1].ends == Happens::kAlways);
  CHECK(never.threads.at("u")[1].statuses == Statuses{"STATUS_INVALID_HANDLE"});
  const Outcome later =
      after_the_close(R"({"wait": {)" + kBoth + "}}", "," + point("signal", "F", "1"));
  CHECK(later.threads.at("u")[1].after.empty());
}

TEST_CASE("a wait for all fences may fail by a close that races", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", R"({"destroy_fence": "G"})") + "," + thread("u", R"({"wait": {)" + kBoth + "}}") +
      "," + thread("v", R"({"delay": "1us"},)" + point("signal", "F", "1")));
  CHECK(outcome.threads.at("u")[0].ends == Happens::kAlways);
  CHECK(outcome.threads.at("u")[0].after == Progress{{"t", 1}});
  const Outcome never = predicted_app(thread("t", R"({"destroy_fence": "G"})") + "," +
                                      thread("u", R"({"wait": {)" + kBoth + "}}"));
  CHECK(never.threads.at("u")[0].ends == Happens::kMaybe);
}

TEST_CASE("a wait with an event by a closed handle fails and sets no event", "[reference]") {
  const std::string wait = R"({"wait": {"fence": "G", "value": 1, "event": "E"}})";
  const std::string steps = wait + R"(, {"wait_event": {"event": "E"}})";
  const Outcome closed = after_the_close(steps);
  CHECK(closed.threads.at("u")[1].statuses == Statuses{"STATUS_INVALID_HANDLE"});
  CHECK(closed.threads.at("u")[2].ends == Happens::kNever);
  const Outcome racing =
      predicted_app(thread("t", R"({"destroy_fence": "G"})") + "," + thread("u", steps));
  CHECK(racing.threads.at("u")[0].statuses == Statuses{"STATUS_INVALID_HANDLE", "STATUS_SUCCESS"});
  CHECK(racing.threads.at("u")[1].ends == Happens::kMaybe);
  const Outcome open =
      predicted_app(thread("u", steps) + "," + thread("t", point("signal", "G", "1")));
  CHECK(open.threads.at("u")[1].ends == Happens::kAlways);
}

TEST_CASE("nothing is said about a poll of a fence that may be closed", "[reference]") {
  const std::string poll = R"({"poll": {"fence": "G", "value": 1}})";
  CHECK(reason(after_the_close(poll)) == "a poll of a fence that may be closed");
  CHECK(reason(predicted_app(thread(
                   "t", point("signal", "G", "1") + "," + poll + R"(, {"destroy_fence": "G"})")))
            .empty());
}

TEST_CASE("a wait that outlives a handle is not ended by it", "[reference]") {
  const Outcome outcome = predicted(
      kTwo + R"("programs": [)" +
      thread_of("a", "t", point("signal", "S", "1") + R"(, {"destroy_fence": "S"})") + "," +
      thread_of("b", "u", point("wait", "T", "1") + R"(, {"destroy_fence": "T"})") + "]");
  CHECK(outcome.threads.at("u")[0].after == Progress{{"t", 1}});
}

TEST_CASE("a handle is closed once", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", R"({"destroy_fence": "F"}, {"destroy_fence": "F"})") + "," +
                    thread("u", point("signal", "F", "1")));
  const std::vector<StepOutcome>& steps = outcome.threads.at("t");
  CHECK(steps[0].statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(steps[1].statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
}

TEST_CASE("a name of several objects for several threads is unclear", "[reference]") {
  const Outcome outcome =
      predicted(kTwo + R"("programs": [)" +
                thread_of("a", "t", R"({"destroy_fence": "P"}, {"create_fence": {"name": "P"}})") +
                "," + thread_of("a", "u", point("wait", "P", "1")) + "]");
  CHECK(outcome.threads.at("u")[0].ends == Happens::kMaybe);
  CHECK(outcome.fences.at("a/P").open);
}

TEST_CASE("a progress fence cannot be closed", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", R"({"destroy_fence": "q0.progress"})"));
  CHECK(outcome.threads.at("t")[0].statuses == Statuses{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("fences with NoSignal or NoWait refuse calls", "[reference]") {
  const Outcome outcome =
      predicted(R"("processes": [{"name": "app", "fences": [
      {"name": "S", "monitored": true, "flags": ["NoSignal"]},
      {"name": "W", "monitored": true, "flags": ["NoWait"]}]}], "programs": [)" +
                thread("t", point("signal", "S", "1") + "," + point("signal", "W", "1") + "," +
                                point("wait", "W", "1") + "," + point("wait", "S", "0")) +
                "]");
  const std::vector<StepOutcome>& steps = outcome.threads.at("t");
  CHECK(steps[0].statuses == Statuses{"STATUS_ACCESS_DENIED"});
  CHECK(steps[1].statuses == Statuses{"STATUS_SUCCESS"});
  CHECK(steps[2].statuses == Statuses{"STATUS_ACCESS_DENIED"});
  CHECK(steps[3].statuses == Statuses{"STATUS_SUCCESS"});
  CHECK(outcome.fences.at("app/S").values == Values{0});
  CHECK(outcome.fences.at("app/W").values == Values{1});
}

TEST_CASE("of several mistakes of one call any may be reported", "[reference]") {
  const auto statuses = [](const std::string& step) {
    return predicted(R"("processes": [{"name": "app", "fences": [
        {"name": "S", "monitored": true, "flags": ["NoSignal"]},
        {"name": "W", "monitored": true, "flags": ["NoWait"]}, {"name": "G", "monitored": true},
        {"name": "H"}], "contexts": [{"name": "c", "engine": "compute0"}]}], "programs": [)" +
                     thread("t", R"({"destroy_fence": "G"}, )" + point("signal", "H", "1")) + "," +
                     thread("u", point("wait", "H", "1") + "," + step) + "]")
        .threads.at("u")[1]
        .statuses;
  };
  CHECK(statuses(R"({"signal": {"fences": [{"fence": "S", "value": 1},
                                           {"fence": "G", "value": 1}]}})") ==
        Statuses{"STATUS_ACCESS_DENIED", "STATUS_INVALID_HANDLE"});
  CHECK(
      statuses(submit_to_context("c", point("wait", "W", "1") + "," + point("signal", "S", "1"))) ==
      Statuses{"STATUS_ACCESS_DENIED"});
  CHECK(predicted_app(thread("t", R"({"destroy_fence": "G"}, )" +
                                      submit_to_context("c0", point("signal", "G", "1"))))
            .threads.at("t")[1]
            .statuses == Statuses{"STATUS_INVALID_HANDLE"});
  const Outcome both =
      predicted(R"("processes": [{"name": "app", "fences": [
      {"name": "W", "monitored": true, "flags": ["NoWait"]}, {"name": "G", "monitored": true}],
      "contexts": [{"name": "c", "engine": "compute0"}]}], "programs": [)" +
                thread("t", R"({"destroy_fence": "G"}, )" +
                                submit_to_context("c", point("wait", "W", "1") + "," +
                                                           point("signal", "G", "2"))) +
                "]");
  CHECK(both.threads.at("t")[1].statuses ==
        Statuses{"STATUS_ACCESS_DENIED", "STATUS_INVALID_HANDLE"});
}

TEST_CASE("one call takes fences of one kind", "[reference]") {
  const std::string both = R"("fences": [{"fence": "F", "value": 0}, {"fence": "M", "value": 0}])";
  const Outcome outcome =
      predicted_app(thread("t", R"({"signal": {)" + both + R"(}}, {"wait": {)" + both + "}}"));
  CHECK(outcome.threads.at("t")[0].statuses == Statuses{"STATUS_INVALID_PARAMETER"});
  CHECK(outcome.threads.at("t")[1].statuses == Statuses{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("a fence is not opened with NoSignal and NoWait", "[reference]") {
  const Outcome outcome = predicted(
      R"("processes": [{"name": "a", "fences": [{"name": "F", "shared": true, "monitored": true}]},
                       {"name": "b"}], "programs": [)" +
      thread_of("b", "t", R"({"create_fence": {"name": "G", "open": "a/F",
                                               "flags": ["NoSignal", "NoWait"]}})") +
      "]");
  CHECK(outcome.threads.at("t")[0].statuses == Statuses{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("a hardware queue takes no monitored fence", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", R"({"gpu_wait": {"queue": "q0", "fence": "M", "value": 1,
                                   "status": "STATUS_INVALID_PARAMETER"}})"));
  CHECK(outcome.threads.at("t")[0].statuses == Statuses{"STATUS_INVALID_PARAMETER"});
  CHECK(outcome.fences.at("app/q0.progress").values == Values{0});
  // Whether it is closed, or of the wrong kind, is not said.
  const Outcome closed = predicted_app(thread(
      "t", R"({"create_fence": {"name": "N", "monitored": true}}, {"destroy_fence": "N"}, )" +
               std::string(R"({"gpu_wait": {"queue": "q0", "fence": "N", "value": 1}})")));
  CHECK(closed.threads.at("t").back().statuses ==
        std::set<std::string>{"STATUS_INVALID_PARAMETER", "STATUS_INVALID_HANDLE"});
  CHECK(closed.fences.at("app/q0.progress").values == Values{0});
}

TEST_CASE("a wait for a name that has been created again succeeds", "[reference]") {
  const auto statuses_of = [](const std::string& before) {
    return predicted_app(thread("t", R"({"destroy_fence": "F"}, )" + point("signal", "G", "1")) +
                         ", " +
                         thread("u", before + R"(, {"create_fence": {"name": "F"}}, )" +
                                         point("wait", "F", "0")))
        .threads.at("u")[2]
        .statuses;
  };
  CHECK(statuses_of(point("wait", "G", "1")) == Statuses{"STATUS_SUCCESS"});
  CHECK(statuses_of(point("wait", "G", "0")) ==
        Statuses{"STATUS_INVALID_HANDLE", "STATUS_SUCCESS"});
}

TEST_CASE("nothing is said of uses of a fence that may come before its creation", "[reference]") {
  const auto reason_of = [](const std::string& created, const std::string& used) {
    return reason(predicted_app(thread("t", created) + "," + thread("u", used)));
  };
  const std::string create = R"({"create_fence": {"name": "N"}})";
  const std::string tells = "," + point("signal", "F", "1");
  const std::string waits = point("wait", "F", "1") + ",";
  const std::string silent = "a use of a fence that may not be there yet";
  for (const std::string& use :
       {point("signal", "N", "1"), point("wait", "N", "0"), submit("q0", point("signal", "N", "1")),
        std::string(R"({"destroy_fence": "N"})")}) {
    INFO(use);
    CHECK(reason_of(create, use) == silent);
    CHECK(reason_of(create + tells, waits + use).empty());
  }
}

TEST_CASE("nothing is said of a program of a queue whose fence may be closed before",
          "[reference]") {
  const auto reason_of = [](const std::string& steps) {
    return reason(predicted_app(R"({"queue": "q0", "commands": [)" + point("signal", "F", "1") +
                                "]}," + thread("t", steps)));
  };
  const std::string close = R"({"destroy_fence": "F"})";
  CHECK(reason_of(close) == "a submission may name a closed fence");
  CHECK(reason_of(point("wait", "F", "1") + "," + close).empty());
}

TEST_CASE("a name is open again after its next creation", "[reference]") {
  const auto statuses_of = [](const std::string& used) {
    const Outcome outcome =
        predicted_app(thread("t", R"({"destroy_fence": "G"}, {"create_fence": {"name": "G"}},)" +
                                      point("signal", "F", "1")) +
                      "," + thread("u", point("wait", "F", "1") + "," + used));
    CHECK(reason(outcome).empty());
    return outcome.threads.at("u")[1].statuses;
  };
  CHECK(statuses_of(point("signal", "G", "1")) == Statuses{"STATUS_SUCCESS"});
  CHECK(statuses_of(submit("q0", point("signal", "G", "1"))) == Statuses{"STATUS_SUCCESS"});
  const Outcome races =
      predicted_app(thread("t", R"({"destroy_fence": "G"}, {"create_fence": {"name": "G"}})") +
                    "," + thread("u", submit("q0", point("signal", "G", "1"))));
  CHECK(reason(races) == "a submission may name a closed fence");
}

TEST_CASE("a wait of a queue ends with the last close on its adapter", "[reference]") {
  const auto end_of = [](const std::string& adapter) {
    const Outcome outcome = predicted(
        R"("platform": {"adapters": [{"name": "gpu0"}, {"name": "gpu1"}]}, "processes": [
            {"name": "a", "fences": [{"name": "S", "cross_adapter": true}]},
            {"name": "b", "adapter": ")" +
        adapter + R"(", "fences": [{"name": "T", "open": "a/S"}],
             "queues": [{"name": "q", "engine": "compute0"}]}],
           "programs": [)" +
        thread_of("b", "t", submit("q", point("wait", "T", "1")) + R"(, {"destroy_fence": "T"})") +
        "]");
    CHECK(reason(outcome).empty());
    return outcome.commands.at("b/q")[0].done;
  };
  CHECK(end_of("gpu0") == Happens::kNever);
  CHECK(end_of("gpu1") == Happens::kAlways);
}

TEST_CASE("a wait by a closed handle fails at once although others have the fence open",
          "[reference]") {
  const Outcome outcome = predicted(
      R"("processes": [{"name": "a", "fences": [{"name": "S", "shared": true,
                        "flags": ["UnwaitCpuWaitersOnlyOnDestroy"]}]},
                       {"name": "b", "fences": [{"name": "S", "open": "a/S"}]}],
         "programs": [{"process": "a", "thread": "t", "steps": [{"destroy_fence": "S"},
             {"wait": {"fence": "S", "value": 6, "status": "STATUS_INVALID_HANDLE"}}]},
             {"process": "b", "thread": "u", "steps": [)" +
      point("signal", "S", "1") + "]}]");
  const StepOutcome& wait = outcome.threads.at("t")[1];
  CHECK(wait.ends == Happens::kAlways);
  CHECK(wait.statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
  CHECK(outcome.hangs == Happens::kNever);
}

TEST_CASE("nothing is said about a name whose later fence is never created", "[reference]") {
  const Outcome outcome = predicted(
      R"("processes": [{"name": "p", "fences": [{"name": "F"}, {"name": "G", "open": "q/G"}]},
                       {"name": "q", "fences": [{"name": "G", "shared": true}]}],
         "programs": [{"process": "p", "thread": "t", "steps": [
            {"wait": {"fence": "F", "value": 1}}, {"destroy_fence": "G"},
            {"create_fence": {"name": "G"}}]}])");
  CHECK(outcome.fences.count("p/G") == 0);
  CHECK(outcome.fences.at("q/G").values == Values{0});
}

}  // namespace fenceline::reference::test_names
