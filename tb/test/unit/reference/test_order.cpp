#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_order {

TEST_CASE("a wait ends after the first signal that reaches its value", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", point("wait", "F", "2")) + "," +
                    thread("u", point("signal", "F", "1") + "," + point("signal", "F", "2") + "," +
                                    point("signal", "F", "3")));
  CHECK(outcome.threads.at("t")[0].after == Progress{{"u", 2}});
}

TEST_CASE("a wait with several possible signals ends after what they have in common",
          "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", point("wait", "F", "1")) + "," + thread("u", point("signal", "G", "1")) + "," +
      thread("v", point("wait", "G", "1") + "," + point("signal", "F", "1")) + "," +
      thread("w", point("wait", "G", "1") + "," + point("signal", "F", "1")));
  CHECK(outcome.threads.at("t")[0].after == Progress{{"u", 1}});
}

TEST_CASE("a signal that follows a wait does not satisfy it", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", point("wait", "F", "1") + "," + point("signal", "G", "1")) + "," +
                    thread("u", point("signal", "F", "1")) + "," +
                    thread("v", point("wait", "G", "1") + "," + point("signal", "F", "1")));
  CHECK(outcome.threads.at("t")[0].after == Progress{{"u", 1}});
}

TEST_CASE("a signal of several fences does not order them", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", R"({"signal": {"fences": [{"fence": "F", "value": 1},
                                            {"fence": "G", "value": 1}]}})") +
                    "," + thread("u", point("wait", "F", "1") + "," + point("signal", "G", "2")));
  CHECK(outcome.fences.at("app/G").values == Values{1, 2});
}

TEST_CASE("the value of one of several signals tells that this signal is over", "[reference]") {
  const Outcome outcome = predicted_app(
      thread(
          "t",
          R"({"signal": {"fences": [{"fence": "F", "value": 1}, {"fence": "G", "value": 1}]}})") +
      "," + thread("u", point("wait", "F", "1") + "," + point("signal", "F", "2")) + "," +
      thread("v", point("wait", "F", "1") + "," + point("signal", "G", "2")));
  CHECK(outcome.fences.at("app/F").values == Values{2});
  CHECK(outcome.fences.at("app/G").values == Values{1, 2});
  CHECK(outcome.hangs == Happens::kNever);
}

TEST_CASE("waits that could end by later signals of each other need the first signal",
          "[reference]") {
  const auto link = [](const std::string& name, const std::string& value, const std::string& next) {
    return "," + thread(name, point("wait", "F", value) + "," + point("signal", "F", next));
  };
  const Outcome outcome =
      predicted_app(thread("t", point("signal", "F", "1")) + link("u", "1", "2") +
                    link("v", "2", "3") + link("w", "3", "4") + link("x", "2", "5"));
  CHECK(outcome.threads.at("u")[0].after == Progress{{"t", 1}});
  CHECK(outcome.threads.at("v")[0].after == Progress{{"t", 1}, {"u", 2}});
}

TEST_CASE("two signals without an order leave either value", "[reference]") {
  const Outcome race = predicted_app(thread("t", point("signal", "F", "1")) + "," +
                                     thread("u", point("signal", "F", "2")));
  CHECK(race.fences.at("app/F").values == Values{1, 2});
  const Outcome ordered =
      predicted_app(thread("t", point("signal", "F", "1") + "," + point("signal", "G", "1")) + "," +
                    thread("u", point("wait", "G", "1") + "," + point("signal", "F", "2")));
  CHECK(ordered.fences.at("app/F").values == Values{2});
}

TEST_CASE("commands come after their submission and after each other", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", R"({"mark": "m"},)" + submit("q1", R"({"barrier": {}},)" +
                                                                       point("signal", "F", "1"))) +
                    "," + thread("u", point("wait", "F", "1")));
  CHECK(outcome.commands.at("app/q1")[0].after == Progress{{"t", 2}});
  CHECK(outcome.commands.at("app/q1")[1].after.empty());
  CHECK(outcome.threads.at("u")[0].after == Progress{{"t", 2}, {"app/q1", 2}});
}

TEST_CASE("a run that may be cut short promises nothing", "[reference]") {
  const Outcome outcome = predicted(R"("end_time": "1ms", "processes": [{"name": "app",
      "fences": [{"name": "F"}]}], "programs": [)" +
                                    thread("t", point("signal", "F", "1")) + "]");
  CHECK(outcome.hangs == Happens::kMaybe);
  CHECK(outcome.threads.at("t")[0].ends == Happens::kMaybe);
  CHECK(outcome.fences.at("app/F").open);
}

TEST_CASE("a switch that removes a mechanism makes the prediction silent", "[reference]") {
  const Outcome outcome = predicted(R"("platform": {"ordering": {"gpu.rescan": "ignore"}},
      "processes": [{"name": "app", "fences": [{"name": "F"}]}], "programs": [)" +
                                    thread("t", point("signal", "F", "1")) + "]");
  CHECK(outcome.silent.count("") == 1);
  CHECK(outcome.hangs == Happens::kMaybe);
}

TEST_CASE("a wait that the OS holds may look before the work in front of it is over",
          "[reference]") {
  const auto dispatch = [](const std::string& wait) {
    const std::string lowered = point("signal", "M", "1") + "," + point("signal", "M", "0") + ",";
    return predicted_app(
               thread("t", submit_to_context(
                               "c0", lowered + wait + R"(, {"dispatch": {"duration": "1us"}})")))
        .commands.at("app/c0")
        .back()
        .done;
  };
  CHECK(dispatch(point("wait", "M", "1")) == Happens::kMaybe);
  CHECK(dispatch(point("wait", "M", "2")) == Happens::kNever);
}

TEST_CASE("a wait that the OS holds looks after the signals of the OS in front of it",
          "[reference]") {
  const Outcome outcome = predicted_app(thread(
      "t", submit_to_context("c0", point("signal", "M", "1")) +
               R"(, {"gpu_signal": {"context": "c0", "fence": "M", "value": 0}}, )" +
               submit_to_context(
                   "c0", point("wait", "M", "1") + R"(, {"dispatch": {"duration": "1us"}})")));
  CHECK(outcome.commands.at("app/c0").back().done == Happens::kNever);
}

TEST_CASE("an event that buffers set does not say that the OS looks after them", "[reference]") {
  const Outcome outcome = predicted_app(thread(
      "t", R"({"create_cpu_event": {"event": "e", "name": "V"}}, )" +
               submit_to_context("c0", point("signal", "M", "1") + "," + point("signal", "M", "0") +
                                           "," + point("wait", "M", "1") +
                                           R"(, {"dispatch": {"duration": "1us"}})") +
               R"(, {"use_cpu_event": {"engine": "gfx0", "name": "V",
                                              "use": "buffer_completed"}})"));
  CHECK(outcome.commands.at("app/c0").back().done == Happens::kMaybe);
}

}  // namespace fenceline::reference::test_order
