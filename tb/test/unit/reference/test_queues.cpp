#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_queues {

namespace {

std::vector<std::string> pointers(const std::vector<CommandOutcome>& commands) {
  std::vector<std::string> result;
  result.reserve(commands.size());
  for (const CommandOutcome& command : commands) result.push_back(command.pointer);
  return result;
}

const std::string kAt = "/programs/0/steps/0/submit/commands/";

}  // namespace

TEST_CASE("each command of a queue is done once with the progress fence at the end",
          "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q0", R"({"repeat": {"count": 2, "counter": "i", "commands": [
          {"signal": {"fence": "F", "value": "${i}+1"}}]}}, {"flush": {}})") +
                      R"(, {"gpu_wait": {"queue": "q0", "fence": "F", "value": 2}})"));
  const std::vector<std::string> expected{
      kAt + "0/repeat/commands/0", kAt + "0/repeat/commands/0", kAt + "1",
      "/programs/0/steps/0",       "/programs/0/steps/1",       "/programs/0/steps/1"};
  CHECK(pointers(outcome.commands.at("app/q0")) == expected);
  CHECK(outcome.fences.at("app/q0.progress").values == Values{2});
  CHECK(outcome.hangs == Happens::kNever);
}

TEST_CASE("a queue that waits forever does no command behind the wait", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", submit("q1", R"({"barrier": {}},)" + point("wait", "F", "1") +
                                                 ", " + point("signal", "G", "1"))));
  CHECK(outcome.threads.at("t")[0].ends == Happens::kAlways);
  CHECK(outcome.commands.at("app/q1")[0].done == Happens::kAlways);
  CHECK(outcome.commands.at("app/q1")[1].done == Happens::kNever);
  CHECK(outcome.commands.at("app/q1")[2].done == Happens::kNever);
  CHECK(outcome.hangs == Happens::kAlways);
}

TEST_CASE("a submission that needs more room than the ring has waits for the queue",
          "[reference]") {
  const auto program = [](const std::string& count) {
    return predicted(
        R"("processes": [{"name": "app", "fences": [{"name": "F"}],
        "queues": [{"name": "q", "engine": "compute0", "ring": "4KiB"}]}], "programs": [)" +
        thread("t", submit("q", point("wait", "F", "1") + R"(, {"repeat": {"count": )" + count +
                                    R"(, "commands": [{"barrier": {}}]}})") +
                        "," + point("signal", "F", "1")) +
        "]");
  };
  CHECK(program("30").hangs == Happens::kNever);
  CHECK(program("1000").hangs == Happens::kMaybe);
}

TEST_CASE("submissions of several threads to a queue have no fixed order", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", submit("q0", point("signal", "F", "1"))) + "," +
                                        thread("u", submit("q0", point("signal", "F", "2"))));
  REQUIRE(outcome.commands.at("app/q0").size() == 4);
  CHECK(outcome.commands.at("app/q0")[0].submitter == "t");
  CHECK(outcome.commands.at("app/q0")[2].submitter == "u");
  CHECK(outcome.fences.at("app/F").values == Values{1, 2});
  CHECK(outcome.fences.at("app/q0.progress").values == Values{2});
}

TEST_CASE("a queue of several threads drains unless a wait keeps it full", "[reference]") {
  const auto program = [](const std::string& command) {
    const std::string many =
        submit("q1", R"({"repeat": {"count": 400, "commands": [{"barrier": {}}]}},)" + command);
    return predicted_app(thread("t", many + "," + point("signal", "F", "1")) + "," +
                         thread("u", many));
  };
  CHECK(program(R"({"flush": {}})").hangs == Happens::kNever);
  CHECK(program(point("wait", "F", "1")).hangs == Happens::kMaybe);
}

TEST_CASE("ordered submissions of several threads run in order", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q1", point("signal", "F", "1")) + "," + point("signal", "G", "1")) + "," +
      thread("u", point("wait", "G", "1") + "," + submit("q1", point("signal", "F", "2"))));
  CHECK(outcome.fences.at("app/F").values == Values{2});
}

TEST_CASE("the part of each submitter to a queue has a name of its own", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q1", R"({"flush": {}},)" + point("signal", "F", "1"))) + "," +
      thread("u", submit("q1", R"({"flush": {}})")) + "," + thread("v", point("wait", "F", "1")));
  CHECK(outcome.threads.at("v")[0].after == Progress{{"app/q1 by t", 2}, {"t", 1}});
}

TEST_CASE("a wait of one submitter may stand in front of the signal of another", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", submit("q1", point("wait", "F", "1"))) + "," +
                                        thread("u", submit("q1", point("signal", "F", "1"))));
  CHECK(outcome.hangs == Happens::kMaybe);
  const Outcome ordered = predicted_app(
      thread("t", point("wait", "G", "1") + "," + submit("q1", point("wait", "F", "1"))) + "," +
      thread("u", submit("q1", point("signal", "F", "1")) + "," + point("signal", "G", "1")));
  CHECK(ordered.hangs == Happens::kNever);
}

TEST_CASE("waits of several submitters end in any order if nothing of their queue ends them",
          "[reference]") {
  const auto program = [](const std::string& first) {
    return predicted_app(thread("t", submit("q1", first)) + "," +
                         thread("u", submit("q1", point("wait", "G", "1"))) + "," +
                         thread("v", point("signal", "F", "1") + "," + point("signal", "H", "1")) +
                         "," +
                         thread("w", point("wait", "H", "1") + "," + point("signal", "G", "1")));
  };
  CHECK(program(point("wait", "F", "1")).hangs == Happens::kNever);
  const Outcome crossed = predicted_app(
      thread("t", submit("q1", point("wait", "F", "1") + "," + point("signal", "G", "1"))) + "," +
      thread("u", submit("q1", point("wait", "G", "1"))) + "," +
      thread("v", point("signal", "F", "1")));
  CHECK(crossed.hangs == Happens::kMaybe);
}

TEST_CASE("the program of a queue starts without a thread", "[reference]") {
  const Outcome outcome =
      predicted_app(R"({"queue": "q1", "commands": [)" + point("signal", "F", "1") + "]}," +
                    thread("t", point("wait", "F", "1")));
  CHECK(outcome.threads.at("t")[0].after == Progress{{"app/q1", 1}});
}

TEST_CASE("commands of a context are the packets on its node", "[reference]") {
  const Outcome outcome = predicted_app(thread(
      "t", submit_to_context("c0", point("signal", "M", "1") + "," + point("wait", "M", "1") + "," +
                                       point("signal", "F", "1") + "," + point("wait", "F", "1")) +
               R"(, {"gpu_signal": {"context": "c0", "fence": "M", "value": 2}})"));
  CHECK(pointers(outcome.commands.at("app/c0")) ==
        std::vector<std::string>{kAt + "0", kAt + "2", kAt + "3"});
  CHECK(outcome.fences.at("app/M").values == Values{2});
}

TEST_CASE("the OS signals monitored fences for contexts behind an IOMMU", "[reference]") {
  const auto commands = [](const std::string& iommu) {
    return predicted(R"("platform": {"adapters": [{"name": "gpu0", "iommu": )" + iommu + R"(}]},
        "processes": [{"name": "app", "fences": [{"name": "M", "monitored": true}],
                       "contexts": [{"name": "c", "engine": "compute0"}]}], "programs": [)" +
                     thread("t", submit_to_context("c", point("signal", "M", "1"))) + "]")
        .commands["app/c"];
  };
  CHECK(commands("false").size() == 1);
  CHECK(commands("true").empty());
}

TEST_CASE("a place where a buffer can be split is no command", "[reference]") {
  const Outcome outcome = predicted(R"("processes": [{"name": "app",
      "fences": [{"name": "M", "monitored": true}],
      "contexts": [{"name": "c", "engine": "compute0", "patched": true}]}], "programs": [)" +
                                    thread("t", submit_to_context("c", R"({"barrier": {}},
      {"split": {}}, {"barrier": {}},)" + point("signal", "M", "1"))) +
                                    "]");
  CHECK(pointers(outcome.commands.at("app/c")) == std::vector<std::string>{kAt + "0", kAt + "2"});
}

TEST_CASE("a packet that waits in a context holds the other contexts of the node", "[reference]") {
  const auto other = [](const std::string& context, const std::string& fence) {
    return predicted_app(thread("t", submit_to_context("c0", point("wait", fence, "1"))) + "," +
                         thread("u", submit_to_context(context, point("signal", fence, "1"))));
  };
  CHECK(other("c1", "F").hangs == Happens::kMaybe);
  CHECK(other("c1", "M").hangs == Happens::kNever);
  CHECK(other("d0", "F").hangs == Happens::kNever);
}

TEST_CASE("a thread that has filled a context waits for it", "[reference]") {
  const auto program = [](const std::string& count) {
    return predicted_app(thread("t", R"({"gpu_wait": {"context": "c0", "fence": "M", "value": 1}},
            {"repeat": {"count": )" + count +
                                         R"(, "steps": [
                {"submit": {"context": "c0", "commands": [{"barrier": {}}]}}]}},)" +
                                         point("signal", "M", "1")));
  };
  CHECK(program("5").hangs == Happens::kNever);
  CHECK(program("9").hangs == Happens::kMaybe);
}

TEST_CASE("a submission of which a command has taken effect is there as a whole", "[reference]") {
  const Outcome outcome =
      predicted_app(R"({"queue": "q1", "commands": [)" + point("signal", "F", "1") +
                    R"(, {"write": {"allocation": "A", "value": 7}}]}, )" +
                    thread("t", point("wait", "F", "1") + ", " +
                                    submit("q1", R"({"write": {"allocation": "A", "value": 8}})")));
  CHECK(outcome.contents.at("app/A").at(0).values == Values{8});
}

TEST_CASE("a progress fence counts submissions of several threads", "[reference]") {
  const std::string barrier = submit("q0", R"({"barrier": {}})");
  const std::string progress = point("wait", "q0.progress", "2");
  const Outcome outcome =
      predicted_app(thread("t", barrier) + ", " + thread("u", barrier) + ", " +
                    thread("v", progress + ", " + point("wait", "q0.progress", "3")));
  CHECK(outcome.threads.at("v")[0].ends == Happens::kAlways);
  CHECK(outcome.threads.at("v")[1].ends != Happens::kAlways);
}

TEST_CASE("a progress fence tells of the submissions that others cannot have made", "[reference]") {
  const std::string writes = submit("q0", R"({"write": {"allocation": "A", "value": 7}})");
  const std::string overwrites = submit("q0", R"({"write": {"allocation": "A", "value": 8}})");
  const Outcome outcome =
      predicted_app(thread("t", writes) + ", " +
                    thread("u", point("wait", "q0.progress", "1") + ", " + overwrites));
  CHECK(outcome.contents.at("app/A").at(0).values == Values{8});
}

TEST_CASE("values of a progress fence belong to submissions whose order is known", "[reference]") {
  const std::string barrier = submit("q0", R"({"barrier": {}})");
  const Outcome outcome =
      predicted_app(thread("t", submit("q0", R"({"write": {"allocation": "A", "value": 7}})") +
                                    ", " + point("wait", "q0.progress", "2") + ", " + barrier) +
                    ", " + thread("u", point("wait", "q0.progress", "1") + ", " + barrier) + ", " +
                    thread("v", point("wait", "q0.progress", "1") + ", " +
                                    submit("q1", R"({"write": {"allocation": "A", "value": 8}})")));
  CHECK(outcome.contents.at("app/A").at(0).values == Values{8});
}

TEST_CASE("a context has room again when buffers of another thread are done", "[reference]") {
  const std::string barrier = submit_to_context("c0", R"({"barrier": {}})");
  const auto buffers = [&](std::uint64_t count, const std::string& last) {
    std::string steps;
    for (std::uint64_t i = 0; i < count; ++i) steps += barrier + ", ";
    return steps + last;
  };
  const std::string tells = submit_to_context("c0", point("signal", "M", "1"));
  const std::string waits =
      submit_to_context("c0", point("wait", "M", "2")) + ", " + point("signal", "M", "2");
  const Outcome outcome =
      predicted_app(thread("t", buffers(8, tells)) + ", " +
                    thread("u", point("wait", "M", "1") + ", " + buffers(4, waits)));
  CHECK(outcome.hangs == Happens::kNever);
}

}  // namespace fenceline::reference::test_queues
