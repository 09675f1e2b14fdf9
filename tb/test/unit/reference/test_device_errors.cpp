// Devices in error: what is lost, and which waits end all the same.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_device_errors {

namespace {

constexpr std::uint64_t kNative = 0xFFFFFFFF;
constexpr std::uint64_t kByOs = 0xFFFFFFFFFFFFFFFF;

const std::string kFail = R"({"fail_device": {}})";
const std::string kReset = R"({"reset_engine": "compute0"})";

/// Processes `app` (a queue, a context and a shared fence F, a monitored one M, K that keeps its
/// value, and a shared one N that does so) and `other` (queue r, F, N and H, on the same engine).
Outcome both(const std::string& programs) {
  return predicted(R"("platform": {"os": {"context_scheduling": {"enabled": true}}},
      "processes": [
      {"name": "app",
       "fences": [{"name": "F", "shared": true}, {"name": "M", "monitored": true},
                  {"name": "K", "flags": ["NoSignalMaxValueOnTdr"]},
                  {"name": "N", "shared": true, "flags": ["NoSignalMaxValueOnTdr"]},
                  {"name": "H", "shared": true}],
       "queues": [{"name": "q", "engine": "compute0"}],
       "contexts": [{"name": "c", "engine": "gfx0"}],
       "allocations": [{"name": "A"}]},
      {"name": "other", "fences": [{"name": "F", "open": "app/F"}, {"name": "G"},
                                    {"name": "N", "open": "app/N"}, {"name": "H", "open": "app/H"}],
       "queues": [{"name": "r", "engine": "compute0"}, {"name": "s", "engine": "compute1"}]}],
      "programs": [)" +
                   programs + "]");
}

const std::string kSignals = submit("q", point("signal", "F", "1"));

}  // namespace

TEST_CASE("work of a device in error may be lost and waits for its fences end", "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t", kSignals + ", " + kFail) + ", " +
           thread_of("other", "u", point("wait", "F", "1") + ", " + point("wait", "F", "9")));
  CHECK(reason(outcome).empty());
  CHECK(outcome.commands.at("app/q").front().done == Happens::kMaybe);
  CHECK(outcome.threads.at("u").back().ends == Happens::kAlways);
  CHECK(outcome.hangs == Happens::kNever);
  CHECK(outcome.fences.at("app/F").values == Values{1, kNative});
}

TEST_CASE("work that is over before the error is not lost", "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t", kSignals + ", " + point("wait", "F", "1") + ", " + kFail));
  CHECK(outcome.commands.at("app/q").front().done == Happens::kAlways);
  CHECK(outcome.fences.at("app/F").values == Values{kNative});
  CHECK(outcome.fences.at("app/M").values == Values{kByOs});
}

TEST_CASE("any submission of several threads may be the last one before an error", "[reference]") {
  const std::string work = submit("q", R"({"flush": {}})");
  const Outcome outcome = predicted(
      R"("processes": [{"name": "app", "queues": [{"name": "q", "engine": "compute0",
                        "progress_fence": true}]}], "programs": [)" +
      thread_of("app", "t", work + ", " + kFail) + ", " +
      thread_of("app", "u", work + ", " + work) + "]");
  CHECK(reason(outcome).empty());
  CHECK(outcome.fences.at("app/q.progress").values == Values{1, 2, 3, kNative});
}

TEST_CASE("an error tells a waiter nothing of the work before the signal", "[reference]") {
  const std::string work =
      submit("q", R"({"write": {"allocation": "A", "value": 7}}, )" + point("signal", "F", "1"));
  const auto after = [&](const std::string& last) {
    return both(thread_of("app", "t", work + last) + ", " +
                thread_of("app", "u", point("wait", "F", "1")));
  };
  CHECK(after("").threads.at("u").front().after.count("app/q") == 1);
  const Outcome failed = after(", " + kFail);
  CHECK(failed.threads.at("u").front().after.count("app/q") == 0);
  CHECK(failed.contents.at("app/A").at(0).values == Values{0, 7});
}

TEST_CASE("a fence that keeps its value has waits that may never end", "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t", submit("q", point("signal", "K", "1")) + ", " + kFail) + ", " +
           thread_of("app", "u", point("wait", "K", "1")));
  CHECK(outcome.threads.at("u").front().ends == Happens::kMaybe);
  CHECK(outcome.hangs == Happens::kMaybe);
  CHECK(outcome.fences.at("app/K").values == Values{0, 1});
}

TEST_CASE("a device in error may lose a wait that nothing ends", "[reference]") {
  const std::string wait = point("wait", "K", "1");
  const Outcome lost = both(thread_of("app", "t", submit("q", wait) + ", " + kFail));
  CHECK(lost.hangs == Happens::kMaybe);
  const Outcome kept = both(thread_of("app", "t", submit("q", wait)));
  CHECK(kept.hangs == Happens::kAlways);
  const Outcome thread = both(thread_of("app", "t", kFail + ", " + wait));
  CHECK(thread.hangs == Happens::kAlways);
}

TEST_CASE("a poll of a lost signal may never end", "[reference]") {
  const Outcome outcome = both(thread_of("app", "t", kSignals + ", " + kFail) + ", " +
                               thread_of("other", "u", point("poll", "F", "1")));
  CHECK(outcome.threads.at("u").front().ends == Happens::kMaybe);
}

TEST_CASE("a wait of another process for a fence of its own is not given up", "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t", kFail) + ", " + thread_of("other", "u", point("wait", "G", "1")));
  CHECK(outcome.threads.at("u").front().ends == Happens::kNever);
}

TEST_CASE("an error may come while the call whose work brought it about still runs",
          "[reference]") {
  const Outcome outcome = both(thread_of("app", "t", kSignals) + ", " +
                               thread_of("app", "u", point("wait", "F", "1") + ", " + kFail));
  CHECK(outcome.threads.at("t").front().statuses ==
        std::set<std::string>{"STATUS_SUCCESS", "STATUS_DEVICE_REMOVED"});
  // The next step of the thread comes before the error.
  const Outcome later = both(thread_of("app", "t", kSignals + ", " + point("signal", "K", "1")) +
                             ", " + thread_of("app", "u", point("wait", "K", "1") + ", " + kFail));
  CHECK(later.threads.at("t").front().statuses == std::set<std::string>{"STATUS_SUCCESS"});
}

TEST_CASE("a device in error refuses work and objects", "[reference]") {
  const std::string to_context = submit_to_context("c", R"({"barrier": {}})");
  const Outcome outcome =
      both(thread_of("app", "t", to_context + ", " + kFail + ", " + to_context));
  const auto& steps = outcome.threads.at("t");
  CHECK(steps[0].statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(steps[2].statuses == std::set<std::string>{"STATUS_DEVICE_REMOVED"});
  const std::string create = R"({"create_fence": {"name": "later"}})";
  CHECK(reason(both(thread_of("app", "t", create + ", " + kFail))).empty());
  CHECK(reason(both(thread_of("app", "t", kFail) + ", " + thread_of("app", "u", create))) ==
        "a device in error may refuse an object");
}

TEST_CASE("a bad packet in a buffer puts its device in error and in a ring it is skipped",
          "[reference]") {
  const std::string bad = R"({"bad_packet": "opcode"})";
  const Outcome context =
      both(thread_of("app", "t",
                     submit_to_context("c", point("signal", "M", "1") + ", " + bad + ", " +
                                                point("signal", "M", "2")) +
                         ", " + point("wait", "F", "9")));
  CHECK(reason(context).empty());
  REQUIRE(context.commands.at("app/c").size() == 3);
  CHECK(context.commands.at("app/c")[1].done == Happens::kNever);
  CHECK(context.commands.at("app/c")[2].done == Happens::kNever);
  CHECK(context.threads.at("t").back().ends == Happens::kAlways);
  CHECK(context.fences.at("app/F").values == Values{kNative});
  const Outcome ring =
      both(thread_of("app", "t", submit("q", bad + ", " + point("signal", "F", "1"))));
  CHECK(ring.commands.at("app/q").size() == 2);
  CHECK(ring.fences.at("app/F").values == Values{1});
  for (const std::string kind : {"size", "bind"})
    CHECK(reason(both(thread_of("app", "t", submit("q", R"({"bad_packet": ")" + kind + "\"}")))) ==
          "a packet of a ring that is not reported");
}

TEST_CASE("only the creation of a fence says what a device in error does to it", "[reference]") {
  const Outcome outcome = predicted(R"("processes": [
      {"name": "app", "fences": [{"name": "F", "shared": true, "monitored": true}],
       "contexts": [{"name": "c", "engine": "compute0"}]},
      {"name": "other", "fences": [{"name": "F", "open": "app/F",
                                    "flags": ["NoSignalMaxValueOnTdr"]}]}], "programs": [)" +
                                    thread_of("app", "t", kFail) + ", " +
                                    thread_of("other", "u", point("wait", "F", "5")) + "]");
  CHECK(outcome.threads.at("u")[0].ends == Happens::kAlways);
}

TEST_CASE("a process keeps its only device as long as it has queues", "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t", R"({"create_device": {}}, {"destroy_device": {}})"));
  for (const StepOutcome& step : outcome.threads.at("t"))
    CHECK(step.statuses == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
  CHECK(reason(both(thread_of("app", "t", kFail + R"(, {"create_device": {}})"))) ==
        "a device in error may refuse an object");
  CHECK(reason(predicted(R"("processes": [{"name": "app"}], "programs": [)" +
                         thread("t", R"({"destroy_device": {}})") + "]")) ==
        "a process without a device");
}

TEST_CASE("a submission with a command for a closed fence is refused", "[reference]") {
  const std::string signals = submit("q", point("signal", "K", "1"));
  const std::string closes = thread_of("app", "u", R"({"destroy_fence": "K"})");
  CHECK(reason(both(thread_of("app", "t", signals) + ", " + closes)) ==
        "a submission may name a closed fence");
  const Outcome lost = both(thread_of("app", "t", kFail + ", " + signals) + ", " + closes);
  CHECK(reason(lost).empty());
  CHECK(lost.threads.at("t").back().statuses ==
        std::set<std::string>{"STATUS_SUCCESS", "STATUS_DEVICE_REMOVED", "STATUS_INVALID_HANDLE"});
  const std::string waits = R"({"wait": {"fence": "K", "value": 1}})";
  CHECK(reason(both(thread_of("app", "t", signals + ", " + waits + R"(, {"destroy_fence": "K"})")))
            .empty());
}

TEST_CASE("the reset of an engine may cost all processes with hardware queues there",
          "[reference]") {
  const Outcome outcome =
      both(thread_of("app", "t",
                     kSignals + ", " + submit_to_context("c", point("signal", "M", "1")) + ", " +
                         kReset) +
           ", " +
           thread_of("other", "u",
                     submit("r", point("signal", "G", "1")) + ", " +
                         submit("s", point("signal", "G", "2")) + ", " + point("wait", "G", "1")));
  CHECK(reason(outcome).empty());
  CHECK(outcome.commands.at("app/q").front().done == Happens::kMaybe);
  CHECK(outcome.commands.at("other/r").front().done == Happens::kMaybe);
  CHECK(outcome.hangs == Happens::kNever);
  // Perhaps nothing runs at the time.
  CHECK(outcome.fences.at("app/F").values == Values{0, 1, kNative});
  // Here the signal is over before the reset.
  CHECK(both(thread_of("app", "t", kSignals + ", " + point("wait", "F", "1") + ", " + kReset))
            .fences.at("app/F")
            .values == Values{1, kNative});
  const std::string elsewhere = R"({"reset_engine": "gfx0"})";
  CHECK(both(thread_of("app", "t", kSignals + ", " + elsewhere)).fences.at("app/F").values ==
        Values{1});
}

TEST_CASE("what begins after an error finds its fences signalled", "[reference]") {
  const std::string timed = R"({"wait": {"fence": "F", "value": 9, "timeout": "1us"}})";
  const std::set<std::string> success{"STATUS_SUCCESS"};
  CHECK(both(thread_of("app", "t", kFail + ", " + timed)).threads.at("t").back().statuses ==
        success);
  const auto in_time = [&](const std::string& programs) {
    return both(programs).threads.at("u").back().statuses == success;
  };
  CHECK(!in_time(thread_of("app", "t", kFail) + ", " + thread_of("other", "u", timed)));
  const std::string told = kFail + ", " + point("signal", "K", "1");
  const std::string later = point("wait", "K", "1") + ", " + timed;
  CHECK(in_time(thread_of("app", "t", told) + ", " + thread_of("app", "u", later)));
  // The other error may have begun first, and still be on its way.
  CHECK(!in_time(thread_of("app", "t", told) + ", " + thread_of("app", "u", later) + ", " +
                 thread_of("app", "v", kFail)));
}

TEST_CASE("an engine writes no native fence after the error and other signals count",
          "[reference]") {
  const auto values = [](const std::string& first, const std::string& signal) {
    return both(thread_of("app", "t", first + kFail + ", " + point("signal", "N", "1")) + ", " +
                thread_of("other", "u", point("wait", "N", "1") + ", " + signal))
        .fences.at("app/F")
        .values;
  };
  const std::string by_engine = submit("s", point("signal", "F", "7"));
  CHECK(values("", by_engine) == Values{kNative});
  CHECK(values("", point("signal", "F", "7")) == Values{7, kNative});
}

TEST_CASE("a wait that an error ends may end while other fences are not signalled yet",
          "[reference]") {
  const std::string work = submit("s", point("wait", "H", "9") + ", " + point("signal", "F", "7"));
  const Outcome outcome = both(thread_of("app", "t", kFail) + ", " + thread_of("other", "u", work));
  CHECK(outcome.fences.at("app/F").values == Values{7, kNative});
}

TEST_CASE("a device goes into error once", "[reference]") {
  const std::string signal = point("signal", "F", "7");
  const auto values = [](const std::string& steps) {
    return both(thread_of("app", "t", steps)).fences.at("app/F").values;
  };
  CHECK(values(signal + ", " + kFail) == Values{kNative});
  CHECK(values(kFail + ", " + signal + ", " + kFail) == Values{7, kNative});
  CHECK(values(kReset + ", " + signal + ", " + kFail) == Values{7, kNative});
}

TEST_CASE("a context of a device in error takes no buffer", "[reference]") {
  const auto last = [](const std::string& commands) {
    return both(thread_of("app", "t", kFail + ", " + submit_to_context("c", commands)));
  };
  const std::string barrier = R"({"barrier": {}})";
  const std::set<std::string> removed{"STATUS_DEVICE_REMOVED"};
  const Outcome refused = last(barrier);
  CHECK(refused.threads.at("t").back().statuses == removed);
  CHECK(refused.commands.at("app/c").front().done == Happens::kNever);
  CHECK(refused.hangs == Happens::kNever);
  // The call for a wait that the OS holds may succeed.
  const Outcome waits = last(barrier + ", " + point("wait", "M", "1"));
  CHECK(waits.threads.at("t").back().statuses.count("STATUS_SUCCESS") == 1);
  CHECK(waits.commands.at("app/c").front().done == Happens::kNever);
  const Outcome queue = both(thread_of("app", "t", kFail + ", " + kSignals));
  CHECK(queue.commands.at("app/q").front().done == Happens::kMaybe);
}

TEST_CASE("a node goes on behind a buffer that it has given up", "[reference]") {
  const std::string bad = R"({"bad_packet": "opcode"})";
  const std::string wait = point("wait", "K", "1"), barrier = R"({"barrier": {}})";
  const Outcome given_up = both(thread_of(
      "app", "t",
      submit_to_context("c", bad + ", " + wait) + ", " + submit_to_context("c", barrier)));
  CHECK(given_up.hangs == Happens::kNever);
  CHECK(given_up.commands.at("app/c")[1].done == Happens::kNever);
  CHECK(given_up.commands.at("app/c")[2].done == Happens::kMaybe);
  const Outcome waits = both(thread_of(
      "app", "t",
      submit_to_context("c", wait + ", " + bad) + ", " + submit_to_context("c", barrier)));
  CHECK(waits.commands.at("app/c")[2].done == Happens::kNever);
}

TEST_CASE("a poll for more than the value of a device in error may never end", "[reference]") {
  const auto ends = [](const char* value) {
    return both(thread_of("app", "t", point("signal", "F", "8589934592") + ", " + kFail) + ", " +
                thread_of("other", "u", point("poll", "F", value)))
        .threads.at("u")
        .front()
        .ends;
  };
  CHECK(ends("8589934592") == Happens::kMaybe);
  CHECK(ends("4294967295") == Happens::kAlways);
}

}  // namespace fenceline::reference::test_device_errors
