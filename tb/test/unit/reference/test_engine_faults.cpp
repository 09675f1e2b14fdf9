// Engines that hang or fault behind a mark, and resets of whole adapters.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_engine_faults {

namespace {

const std::string kMark = R"({"mark": "m"})";
const std::string kDispatch = R"({"dispatch": {"duration": "1us"}})";

/// Parts in which the scenarios differ, as JSON text.
struct Parts {
  std::string fault = R"({"fault": "engine_hang", "engine": "compute0", "after": "m"})";
  std::string adapter;           ///< further members
  std::string detects = "true";  ///< timeouts
  std::string preempts = "false";
  std::string driver;            ///< further members
  std::string watched = "true";  ///< queue r
  std::string context = "gfx0";  ///< engine of the context c
  std::string allocation;        ///< further members
};

/// Processes `app` (queue q, context c, fence F), `other` (queue r on the engine of q, fence G) and
/// `apart` (queue s, fence H).
Outcome three(const Parts& parts, const std::string& steps) {
  return predicted(R"("platform": {"adapters": [{"name": "gpu0")" + parts.adapter +
                   R"(}], "os": {"context_scheduling": {"enabled": true},
                    "preemption": {"detects_timeouts": )" +
                   parts.detects + R"(, "enabled": )" + parts.preempts +
                   R"(}}, "drivers": [{"adapter": "gpu0")" + parts.driver + R"(}]},
      "processes": [
      {"name": "app", "fences": [{"name": "F"}], "queues": [{"name": "q", "engine": "compute0"}],
       "contexts": [{"name": "c", "engine": ")" +
                   parts.context + R"("}],
       "allocations": [{"name": "A")" +
                   parts.allocation + R"(}]},
      {"name": "other", "fences": [{"name": "G"}],
       "queues": [{"name": "r", "engine": "compute0", "gpu_timeout": )" +
                   parts.watched + R"(}]},
      {"name": "apart", "fences": [{"name": "H"}],
       "queues": [{"name": "s", "engine": "compute1"}]}],
      "faults": [)" +
                   parts.fault + R"(], "programs": [)" + thread_of("app", "t", steps) + ", " +
                   thread_of("other", "u", submit("r", point("signal", "G", "1"))) + ", " +
                   thread_of("apart", "v", submit("s", point("signal", "H", "1"))) + "]");
}

Happens done(const Outcome& outcome, const std::string& queue) {
  return outcome.commands.at(queue).front().done;
}

}  // namespace

TEST_CASE("a hardware queue that hangs costs its process and perhaps others of the engine",
          "[reference]") {
  const std::string signals = submit("q", point("signal", "F", "1"));
  const Outcome outcome = three({}, kMark + ", " + signals + ", " + point("wait", "F", "1"));
  CHECK(reason(outcome).empty());
  CHECK(done(outcome, "app/q") == Happens::kMaybe);
  CHECK(done(outcome, "other/r") == Happens::kMaybe);
  CHECK(done(outcome, "apart/s") == Happens::kAlways);
  CHECK(outcome.hangs == Happens::kNever);
  // Work that is done before the mark is not lost.
  CHECK(done(three({}, signals + ", " + point("wait", "F", "1") + ", " + kMark), "app/q") ==
        Happens::kAlways);
}

TEST_CASE("a buffer of a context that hangs is found where the OS preempts", "[reference]") {
  Parts parts;
  parts.fault = R"({"fault": "engine_hang", "engine": "gfx0", "after": "m"})";
  const std::string steps =
      kMark + ", " + submit_to_context("c", kDispatch) + ", " + submit("q", kDispatch);
  CHECK(reason(three(parts, steps)) == "a hang that nobody finds");
  parts.preempts = "true";
  const Outcome alone = three(parts, steps);
  CHECK(reason(alone).empty());
  CHECK(done(alone, "app/c") == Happens::kMaybe);
  CHECK(done(alone, "other/r") == Happens::kAlways);
  for (const char* const driver :
       {R"(, "per_engine_tdr": false)", R"(, "engine_reset": "fails")"}) {
    parts.driver = driver;
    CHECK(done(three(parts, steps), "other/r") == Happens::kMaybe);
  }
}

TEST_CASE("a fault of an engine costs a process with a context there", "[reference]") {
  Parts parts;
  parts.fault = R"({"fault": "engine_fault", "engine": "gfx0", "after": "m"})";
  const Outcome outcome = three(
      parts, kMark + ", " + submit_to_context("c", kDispatch) + ", " + submit("q", kDispatch));
  CHECK(reason(outcome).empty());
  CHECK(done(outcome, "app/c") == Happens::kMaybe);
  CHECK(done(outcome, "app/q") == Happens::kMaybe);
  CHECK(done(outcome, "other/r") == Happens::kAlways);
}

TEST_CASE("nothing is said of faults that may cost more or that nobody finds", "[reference]") {
  const auto why = [](const Parts& parts) { return reason(three(parts, kMark)); };
  CHECK(why({}).empty());
  Parts parts;
  parts.fault = R"({"fault": "engine_hang", "engine": "compute0", "nth": 3})";
  CHECK(why(parts) == "the fault engine_hang");
  parts = {};
  parts.detects = "false";
  CHECK(why(parts) == "a hang that nobody finds");
  parts = {};
  parts.watched = "false";
  CHECK(why(parts) == "a hang that nobody finds");
  parts = {};
  parts.context = "compute0";
  CHECK(why(parts) == "a hang that nobody finds");
  parts.fault = R"({"fault": "engine_fault", "engine": "compute0", "after": "m"})";
  CHECK(why(parts) == "the fault of an engine with hardware queues");
  parts = {};
  parts.allocation = R"(, "segments": ["sysmem"])";
  parts.context = "copy0";
  CHECK(why(parts).empty());
  parts.fault = R"({"fault": "engine_fault", "engine": "copy0", "after": "m"})";
  CHECK(why(parts) == "the fault engine_fault beside paging buffers");
}

TEST_CASE("the reset of an adapter may cost all its processes", "[reference]") {
  Parts parts;
  parts.fault = "";
  const std::string reset = R"({"reset_engine": "compute0"})";
  CHECK(done(three(parts, reset), "apart/s") == Happens::kAlways);
  parts.adapter = R"(, "preemption": {"resets_together": true})";
  CHECK(done(three(parts, reset), "apart/s") == Happens::kMaybe);
  Parts hangs;
  hangs.adapter = parts.adapter;
  CHECK(done(three(hangs, kMark), "apart/s") == Happens::kMaybe);
}

TEST_CASE("the reset of an adapter may cost a process whose memory moves", "[reference]") {
  const auto values = [](const std::string& together, const std::string& allocation) {
    return predicted(
               R"("platform": {"adapters": [{"name": "gpu0", "preemption": {"resets_together": )" +
               together + R"(}}], "os": {"context_scheduling": {"enabled": true}}},
        "processes": [{"name": "owner", "fences": [{"name": "F"}], "allocations": [{"name": "A")" +
               allocation + R"(}]}, {"name": "other"}], "programs": [)" +
               thread_of("other", "t", R"({"reset_engine": "compute0"})") + "]")
        .fences.at("owner/F")
        .values.size();
  };
  const std::string managed = R"(, "segments": ["sysmem"])";
  CHECK(values("true", managed) == 2);
  CHECK(values("true", "") == 1);
  CHECK(values("false", managed) == 1);
}

TEST_CASE("work of others may be done without what a fault has lost", "[reference]") {
  const Outcome outcome = predicted(
      R"("faults": [{"fault": "engine_fault", "engine": "compute0", "after": "m"}],
         "processes": [{"name": "app", "fences": [{"name": "F"}],
                        "contexts": [{"name": "c", "engine": "compute0"}]}], "programs": [)" +
      thread("t", point("wait", "F", "1") + R"(, {"mark": "m"},)" +
                      submit_to_context("c", R"({"barrier": {}})")) +
      "," +
      thread("u",
             submit_to_context("c", point("signal", "F", "1") + "," + point("signal", "F", "2"))) +
      "]");
  REQUIRE(outcome.commands.count("app/c") == 1);
  for (const CommandOutcome& command : outcome.commands.at("app/c"))
    for (const auto& [name, count] : command.after)
      if (name == "app/c by u") CHECK(count <= 1);
}

}  // namespace fenceline::reference::test_engine_faults
