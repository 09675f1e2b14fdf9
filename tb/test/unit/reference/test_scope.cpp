#include "tb/scenario/shapes/ordering_names.h"
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_scope {

namespace {

/// Why nothing is said about two contexts that share a node; empty: something is.
std::string silence(const std::string& platform, const std::string& work = "1ms") {
  const Outcome outcome = predicted(
      "\"platform\": {" + platform + R"(},
      "processes": [{"name": "app", "fences": [{"name": "M", "monitored": true}],
                     "contexts": [{"name": "c", "engine": "compute0"},
                                  {"name": "d", "engine": "compute0"}]}],
      "programs": [)" +
      thread("t", submit_to_context("c", R"({"dispatch": {"duration": ")" + work + "\"}}")) + "]");
  const auto found = outcome.silent.find("");
  return found == outcome.silent.end() ? "" : found->second;
}

std::string silence_with(const std::string& switches) {
  return silence(R"("ordering": {)" + switches + "}");
}

}  // namespace

TEST_CASE("a value of a switch that is safe alone is judged and two are not", "[reference]") {
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    for (const scenario::SwitchInfo::Value& value : info.values) {
      INFO(info.name << " " << value.json);
      const std::string found = silence_with('"' + info.name + "\": " + value.json);
      const bool sees_old = info.name == "gpu.signal_barrier" && value.json == "\"before_raise\"";
      const bool judged = value.safe() && !sees_old;
      CHECK(found == (judged ? "" : "the switch " + info.name + " removes a mechanism"));
    }
  CHECK(silence_with(R"("cmp.recheck": false, "gpu.load_hoist": true)") ==
        "the switch gpu.load_hoist removes a mechanism");
}

TEST_CASE("a weak host is judged where no mechanism is missing", "[reference]") {
  const auto weak = [](const std::string& switches) {
    return silence(R"("host": {"memory_model": "weak"}, "ordering": {)" + switches + "}");
  };
  CHECK(weak(R"("isr.load_barrier": true)").empty());
  CHECK(weak("") == "the switch isr.load_barrier removes a mechanism");
  CHECK(weak(R"("isr.load_barrier": true, "cmp.recheck": false)") ==
        "the switch cmp.recheck removes a mechanism");
}

TEST_CASE("preemption changes no outcome unless work may count as hung", "[reference]") {
  const std::string preemption = R"("os": {"preemption": {"enabled": true}})";
  CHECK(silence(preemption).empty());
  CHECK(silence(preemption, "900ms").empty());
  CHECK(silence(preemption, "1s") == "work that may count as hung");
  CHECK(silence(R"("os": {"context_scheduling": {"enabled": true}})", "1s") ==
        "work that may count as hung");
  CHECK(silence("", "1s").empty());
  CHECK(silence(R"("os": {"preemption": {"enabled": true, "detects_timeouts": false}})", "1s")
            .empty());
  CHECK(silence(R"("os": {"preemption": {"enabled": true, "resubmits": false}})") ==
        "a rule of preemption is removed");
  CHECK(silence(R"("os": {"preemption": {"signals_lost": false}})") ==
        "a rule of preemption is removed");
  CHECK(silence(R"("os": {"doorbells": {"connects_again": false}})") ==
        "a rule of doorbells is removed");
}

TEST_CASE("more resets than TdrLimitCount may stop the machine", "[reference]") {
  const auto resets = [](const char* count) {
    return reason(predicted(R"("platform": {"os": {"context_scheduling": {"enabled": true}}},
        "processes": [{"name": "app"}], "programs": [)" +
                            thread("t", R"({"repeat": {"count": )" + std::string(count) +
                                            R"(, "steps": [{"reset_engine": "compute0"}]}})") +
                            "]"));
  };
  CHECK(resets("5").empty());
  CHECK(resets("6") == "more resets than TdrLimitCount");
}

TEST_CASE("power is judged where the OS knows all work of queues", "[reference]") {
  const auto judged = [](const std::string& queue) {
    return reason(predicted(R"("platform": {"adapters": [{"name": "gpu0", "doorbells": 1}]},
        "processes": [{"name": "app", "queues": [{"name": "q", "engine": "compute0")" +
                            queue + R"(}]}], "programs": [)" +
                            thread("t", R"({"set_power": "D3"})") + "]"))
        .empty();
  };
  CHECK(judged(R"(, "progress_fence": true)"));
  CHECK(!judged(""));
}

TEST_CASE("a user-mode driver that neglects maps is not judged", "[reference]") {
  const auto judged = [](const std::string& duties) {
    return reason(predicted(R"("processes": [{"name": "app", "map_duties": {)" + duties +
                            R"(}}], "programs": [)" + thread("t", R"({"delay": "1us"})") + "]"));
  };
  CHECK(judged(R"("waits": true)").empty());
  CHECK(judged(R"("waits": false)") == "a user-mode driver that neglects maps");
}

TEST_CASE("nothing is said of lost work where a driver reports it badly", "[reference]") {
  const auto silent = [](const std::string& driver, const std::string& step) {
    return reason(predicted(
        R"("platform": {"os": {"context_scheduling": {"enabled": true}},
                        "drivers": [{"adapter": "gpu0", )" +
        driver + R"(}]},
           "processes": [{"name": "app", "contexts": [{"name": "c", "engine": "compute0"}]}],
           "programs": [)" +
        thread("t", R"({"repeat": {"count": 1, "steps": [)" + step + "]}}") + "]"));
  };
  const std::string bad = submit_to_context("c", R"({"bad_packet": "read"})");
  const std::string reset = R"({"reset_engine": "compute0"})";
  CHECK(silent(R"("fault_report": "bad_flags")", bad) ==
        "lost work and a driver with fault_report");
  CHECK(silent(R"("adapter_reset": "fails")", reset) ==
        "lost work and a driver with adapter_reset");
  CHECK(silent(R"("hw_engine_reset": "noisy")", reset) ==
        "lost work and a driver with hw_engine_reset");
  CHECK(silent(R"("engine_reset": "wrong_fence")", reset) ==
        "lost work and a driver with engine_reset");
  CHECK(silent(R"("engine_timeout": "dropped")", reset) ==
        "lost work and a driver with engine_timeout");
  CHECK(silent(R"("hw_engine_reset": "fails")", reset).empty());
  CHECK(silent(R"("fault_report": "exact")", bad).empty());
  CHECK(silent(R"("fault_report": "bad_flags")", R"({"delay": "1us"})").empty());
}

TEST_CASE("a context that waits is preempted unless it has a higher priority", "[reference]") {
  const auto hangs = [](const std::string& platform, const char* first) {
    return predicted(R"("platform": {)" + platform + R"(}, "processes": [{"name": "app",
        "fences": [{"name": "F"}, {"name": "G"}], "contexts": [
        {"name": "c", "engine": "compute0", "priority": )" +
                     first + R"(},
        {"name": "d", "engine": "compute0"}]}], "programs": [)" +
                     thread("t", submit_to_context("c", point("signal", "G", "1") + "," +
                                                            point("wait", "F", "1")) +
                                     "," + point("wait", "G", "1") + "," +
                                     submit_to_context("d", point("signal", "F", "1"))) +
                     "]")
        .hangs;
  };
  const std::string on = R"("os": {"preemption": {"enabled": true}})";
  CHECK(hangs(on, "0") == Happens::kNever);
  CHECK(hangs(on, "1") == Happens::kMaybe);
  CHECK(hangs("", "0") == Happens::kMaybe);
  CHECK(hangs(on + R"(, "adapters": [{"name": "gpu0", "preemption":
                      {"compute": "dma_buffer_boundary"}}])",
              "0") == Happens::kMaybe);
}

TEST_CASE("in a random order each preemption may time out unless nothing times out",
          "[reference]") {
  const auto random = [](const std::string& os) {
    return predicted(R"("policy": "random", "platform": {"os": )" + os + R"(},
        "processes": [{"name": "app", "fences": [{"name": "F"}]}], "programs": [)" +
                     thread("t", point("signal", "F", "1")) + "]")
        .silent.count("");
  };
  CHECK(random(R"({"preemption": {"enabled": true}})") == 1);
  CHECK(random(R"({"preemption": {"enabled": true, "detects_timeouts": false}})") == 0);
  CHECK(random(R"({"context_scheduling": {"enabled": true}})") == 0);
}

TEST_CASE("work with a shape counts as hung only if it is far longer than its mean",
          "[reference]") {
  const auto shaped = [](const std::string& command) {
    return predicted(R"("platform": {"os": {"preemption": {"enabled": true}}},
        "processes": [{"name": "app", "fences": [{"name": "F"}],
                       "contexts": [{"name": "g", "engine": "gfx0"}]}], "programs": [)" +
                     thread("t", submit_to_context("g", command)) + "]")
        .silent.count("");
  };
  CHECK(shaped(R"({"dispatch": {"threads": 32, "group_duration": "1us", "groups": 8}})") == 0);
  CHECK(shaped(R"({"dispatch": {"threads": 32, "group_duration": "10ms", "groups": 1}})") == 1);
  CHECK(shaped(R"({"draw": {"triangles": 100, "primitives": 2, "pixels": 4096}})") == 0);
  CHECK(shaped(R"({"draw": {"triangles": 1000000, "primitives": 2}})") == 1);
}

TEST_CASE("variants of drivers and systems that break a rule are out of scope", "[reference]") {
  const auto driver = [](const std::string& variant) {
    return silence(R"("drivers": [{"adapter": "gpu0", )" + variant + "}]");
  };
  CHECK(driver(R"("optimized_interrupt": true)").empty());
  CHECK(driver(R"("scheduling_caps": ["MultiEngineAware"])").find("scheduling_caps") !=
        std::string::npos);
  CHECK(driver(R"("wddm": "3.1")").empty());
  CHECK(driver(R"("native_fence": "unsupported")").empty());
  CHECK(driver(R"("native_fence": "unsupported", "optimized_interrupt": true)") ==
        "a driver that does not start");
  const std::string newer = R"("os": {"wddm": "3.1"}, "drivers": [{"adapter": "gpu0", "wddm": )";
  CHECK(silence(newer + R"("3.2"}])") == "a driver that does not start");
  CHECK(silence(newer + R"("3.1"}])").empty());
  CHECK(driver(R"("native_fence": "assume")").find("native_fence") != std::string::npos);
  CHECK(silence(R"("os": {"lock_rules": false})").find("lock_rules") != std::string::npos);
  CHECK(silence(R"("ordering": {"os.on_change": false})").empty());
  CHECK(silence(R"("ordering": {"os.refcount": false})").find("os.refcount") != std::string::npos);
}

TEST_CASE("faults that take nothing away change no outcome", "[reference]") {
  const auto fault = [](const std::string& kind) {
    const Outcome outcome = predicted(R"("faults": [{"fault": ")" + kind + R"(", "nth": 1}],
        "processes": [{"name": "app", "fences": [{"name": "F"}]}], "programs": [)" +
                                      thread("t", point("signal", "F", "1")) + "]");
    return outcome.silent.count("") != 0;
  };
  CHECK_FALSE(fault("message_twice"));
  CHECK(fault("message_lost"));
}

TEST_CASE("holds that end with a sleeper on a core of its own change no outcome", "[reference]") {
  const auto hangs = [](const std::string& held, const std::string& until, const std::string& op,
                        const std::string& core = R"("core": 1,)") {
    const std::string sleeper = R"({"thread": "h", )" + core + R"("steps": [{"delay": "1us"}]})";
    return predicted(R"("holds": [{"hold": {"agent": ")" + held +
                     R"(", "op": "any"}, "until": {"agent": ")" + until + R"(", "op": ")" + op +
                     R"("}}], "processes": [{"name": "app", "fences": [{"name": "F"}]}],
        "programs": [{"thread": "t", "core": 0, "steps": [)" +
                     point("signal", "F", "1") + "]}, " + sleeper + "]")
        .hangs;
  };
  for (const char* held : {"gpu0.compute0", "gpu0.cmp", "gpu0.compute0.vram0", "core0.dpc", "t"}) {
    CAPTURE(held);
    CHECK(hangs(held, "h", "resume") == Happens::kNever);
    CHECK(hangs(held, "h", "lock") == Happens::kMaybe);
    CHECK(hangs(held, "t", "resume") == Happens::kMaybe);
    CHECK(hangs(held, "h", "resume", "") == Happens::kMaybe);
    CHECK(hangs(held, "h", "resume", R"("core": 0,)") == Happens::kMaybe);
  }
  CHECK(hangs("core1.dpc", "h", "resume") == Happens::kMaybe);
  CHECK(hangs("h", "h", "resume") == Happens::kMaybe);
}

TEST_CASE("a step without rules makes the prediction silent", "[reference]") {
  const scenario::Scenario scenario = scenario::load_text(
      R"({"schema_version": 1, "name": "it", "expect": {}, "processes": [{"name": "app"}],
          "programs": [{"thread": "t", "steps": [{"delay": "1us"}]}]})",
      "it.json");
  auto document = nlohmann::json::parse(scenario::effective_document(scenario));
  document["programs"][0]["steps"][0] = {{"dream", "1us"}};
  CHECK(predict(document).silent.at("") == "the step dream is not judged");
}

TEST_CASE("a fence that may be closed when a step opens it makes the prediction silent",
          "[reference]") {
  const auto silent = [](const std::string& step) {
    return predicted(R"("processes": [{"name": "a", "fences": [{"name": "S", "shared": true}]},
                                      {"name": "b"}],
        "programs": [{"process": "b", "thread": "t",
                      "steps": [{"create_fence": {"name": "T", "open": "a/S"}}]},
                     {"process": "a", "thread": "u", "steps": [)" +
                     step + "]}]")
        .silent.count("");
  };
  CHECK(silent(R"({"delay": "1us"})") == 0);
  CHECK(silent(R"({"destroy_fence": "S"})") == 1);
}

}  // namespace fenceline::reference::test_scope
