// Displays, power states and negotiated features.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_platforms {

namespace {

/// A process with context c, queue-less fence F and two images, on an adapter with a display.
Outcome shown(const std::string& steps, const std::string& others = "") {
  return predicted(R"("platform": {"adapters": [{"name": "gpu0",
      "display": {"period": "1ms", "primary": "64KiB"}}]},
      "processes": [{"name": "app", "fences": [{"name": "F"}],
       "contexts": [{"name": "c", "engine": "compute0"}],
       "allocations": [{"name": "I", "size": "64KiB"}, {"name": "J", "size": "64KiB"}]}],
      "programs": [)" +
                   thread("t", steps) + others + "]");
}

std::string present(const std::string& image, const std::string& queued) {
  return R"({"present": {"context": "c", "primary": ")" + image + R"(", "queued": )" + queued +
         "}}";
}

const std::string kDraws = submit_to_context("c", R"({"write": {"allocation": "I", "value": 1}})");

/// Statuses of creating a CPU event, and a native fence's prediction, with these platform settings.
Outcome negotiated(const std::string& platform) {
  return predicted(R"("platform": {)" + platform + R"(},
      "processes": [{"name": "app", "fences": [{"name": "F", "monitored": true}],
      "contexts": [{"name": "c", "engine": "compute0"}]}],
      "programs": [)" +
                   thread("t", R"({"create_cpu_event": {"name": "V", "event": "e"}})") + "]");
}

}  // namespace

TEST_CASE("a present ends when its image is drawn", "[reference]") {
  const Outcome outcome = shown(kDraws + ", " + present("I", "0"));
  CHECK(reason(outcome).empty());
  const StepOutcome& step = outcome.threads.at("t")[1];
  CHECK(step.ends == Happens::kAlways);
  CHECK(step.after == Progress{{"app/c", 1}});
  CHECK(step.statuses == std::set<std::string>{"STATUS_SUCCESS"});
}

TEST_CASE("a present with a queued flip waits for the flip before", "[reference]") {
  const std::string first = kDraws + ", " + present("I", "1");
  CHECK(shown(first).threads.at("t")[1].after.empty());
  const Outcome two = shown(first + ", " + kDraws + ", " + present("J", "1"));
  CHECK(two.threads.at("t")[3].after == Progress{{"app/c", 1}});
}

TEST_CASE("a present whose drawing hangs does not end", "[reference]") {
  const std::string waits = submit_to_context("c", point("wait", "F", "1"));
  CHECK(shown(waits + ", " + present("I", "0")).threads.at("t")[1].ends == Happens::kNever);
}

TEST_CASE("nothing is said of a present behind a wait of the OS that no buffer follows",
          "[reference]") {
  const auto reason_of = [](const std::string& more) {
    const std::string create = R"({"create_fence": {"name": "M", "monitored": true}}, )";
    return reason(shown(create + submit_to_context("c", point("wait", "M", "1") + more) + ", " +
                        present("I", "0")));
  };
  CHECK(reason_of("") == "a present behind a wait that no buffer follows");
  CHECK(reason_of(R"(, {"barrier": {}})").empty());
}

TEST_CASE("nothing is said of a fence of another adapter that is not shared among adapters",
          "[reference]") {
  const auto opened = [](const char* kind) {
    return reason(predicted(
        R"("platform": {"adapters": [{"name": "g0"}, {"name": "g1"}]}, "processes": [
           {"name": "a", "adapter": "g0", "fences": [{"name": "F", "monitored": true, )" +
        std::string(kind) + R"(: true}]},
           {"name": "b", "adapter": "g1", "fences": [{"name": "F", "open": "a/F"}]}],
           "programs": [)" +
        thread_of("a", "t", point("signal", "F", "1")) + "]"));
  };
  CHECK(opened("\"shared\"") == "a fence of another adapter that is no cross-adapter fence");
  CHECK(opened("\"cross_adapter\"").empty());
}

TEST_CASE("nothing is said about several threads that present", "[reference]") {
  CHECK(reason(shown(present("I", "0"), ", " + thread("u", present("J", "0")))) ==
        "several threads present on one display");
}

TEST_CASE("a step to D3 changes no outcome", "[reference]") {
  const Outcome outcome =
      shown(R"({"set_power": "D3"}, )" + submit_to_context("c", point("signal", "F", "1")));
  CHECK(reason(outcome).empty());
  CHECK(outcome.fences.at("app/F").values == Values{1});
}

TEST_CASE("CPU events need a driver that is new enough", "[reference]") {
  CHECK(reason(negotiated(R"("os": {"wddm": "3.0"})")).empty());
  CHECK(reason(negotiated(R"("os": {"wddm": "2.9"})")) == "CPU events before WDDM 3.0");
  const std::string driver = R"("adapters": [{"name": "gpu0"}], "drivers": [{"adapter": "gpu0", )";
  CHECK(reason(negotiated(driver + R"("wddm": "2.7"}])")) == "CPU events before WDDM 3.0");
  CHECK(reason(negotiated(driver + R"("native_fence": "unsupported"}])")).empty());
}

TEST_CASE("a fence without GPU access has none in other processes either", "[reference]") {
  const auto commands = [](const std::string& flags) {
    return predicted(R"("processes": [
        {"name": "a", "fences": [{"name": "M", "monitored": true, "shared": true)" +
                     flags +
                     R"(}]},
        {"name": "b", "fences": [{"name": "M", "open": "a/M"}],
         "contexts": [{"name": "c", "engine": "compute0"}]}], "programs": [)" +
                     thread_of("b", "t", submit_to_context("c", point("signal", "M", "1"))) + "]")
        .commands;
  };
  CHECK(commands("").at("b/c").size() == 1);
  CHECK(commands(R"(, "flags": ["NoGPUAccess"])").count("b/c") == 0);
}

TEST_CASE("a call that flags forbid may find a closed handle first", "[reference]") {
  const std::string fences = R"("processes": [{"name": "app",
      "fences": [{"name": "M", "monitored": true, "flags": ["NoSignal"]}]}], "programs": [)";
  const std::string signals = thread("t", point("signal", "M", "1"));
  const std::string closes = thread("u", R"({"destroy_fence": "M"})");
  const auto statuses = [&](const std::string& programs) {
    return predicted(fences + programs + "]").threads.at("t")[0].statuses;
  };
  CHECK(statuses(signals) == std::set<std::string>{"STATUS_ACCESS_DENIED"});
  CHECK(statuses(signals + ", " + closes) ==
        std::set<std::string>{"STATUS_ACCESS_DENIED", "STATUS_INVALID_HANDLE"});
}

TEST_CASE("nothing is said of a name that may stand for fences of several kinds", "[reference]") {
  const auto with = [](const std::string& flags) {
    return reason(predicted(
        R"("processes": [{"name": "app", "fences": [{"name": "M", "monitored": true}]}],
        "programs": [)" +
        thread("t", R"({"destroy_fence": "M"}, {"create_fence": {"name": "M", "monitored": true)" +
                        flags + "}}") +
        ", " + thread("u", point("signal", "M", "1")) + "]"));
  };
  CHECK(with("").empty());
  CHECK(with(R"(, "flags": ["NoSignal"])") == "a name of fences of several kinds");
}

TEST_CASE("a fence that is opened has the kind of its creation", "[reference]") {
  const auto with = [](const std::string& shared, const std::string& signal) {
    return reason(predicted(
        R"("processes": [{"name": "app", "fences": [{"name": "F", "open": "maker/F"}, {"name": "G"}]},
                         {"name": "maker", "fences": [{"name": "F", "shared": true)" +
        shared + R"(}]}], "programs": [)" +
        thread_of("app", "t", R"({"destroy_fence": "F"}, {"create_fence": {"name": "F"}})") + ", " +
        thread_of("app", "u", signal) + "]"));
  };
  const std::string one = point("signal", "F", "1");
  CHECK(with("", one).empty());
  CHECK(with(R"(, "monitored": true)", one) == "a name of fences of several kinds");
  CHECK(with(R"(, "flags": ["NoGPUAccess"])", one) == "a name of fences of several kinds");
  // Only a call for several fences depends on this.
  CHECK(with(R"(, "cross_adapter": true)", one).empty());
  CHECK(
      with(R"(, "cross_adapter": true)",
           R"({"signal": {"fences": [{"fence": "F", "value": 1}, {"fence": "G", "value": 1}]}})") ==
      "a name of fences of several kinds");
}

}  // namespace fenceline::reference::test_platforms
