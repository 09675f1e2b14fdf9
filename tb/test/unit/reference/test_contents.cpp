#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_contents {

namespace {

std::string write(const std::string& allocation, const std::string& offset,
                  const std::string& value) {
  return R"({"write": {"allocation": ")" + allocation + R"(", "offset": ")" + offset +
         R"(", "value": )" + value + "}}";
}

std::string copy(const std::string& source, const std::string& destination,
                 const std::string& size) {
  return R"({"copy": {"source": ")" + source + R"(", "destination": ")" + destination +
         R"(", "size": ")" + size + "\"}}";
}

}  // namespace

TEST_CASE("the last write of a word is its content", "[reference]") {
  const Outcome outcome =
      predicted_app(thread("t", submit("q1", write("A", "8B", "1") + "," + write("A", "8B", "2"))));
  CHECK(outcome.contents.at("app/A").at(8).values == Values{2});
}

TEST_CASE("nothing is said of memory that may be moving when its adapter is reset", "[reference]") {
  const auto said = [](const std::string& together, const std::string& managed) {
    const Outcome outcome = predicted(
        R"("platform": {"adapters": [{"name": "gpu0", "preemption": {"resets_together": )" +
        together + R"(}}], "os": {"context_scheduling": {"enabled": true}}},
           "processes": [{"name": "app", "allocations": [{"name": "A")" +
        managed + R"(}], "queues": [{"name": "q", "engine": "compute0"}]}], "programs": [)" +
        thread_of("app", "t",
                  submit("q", write("A", "8B", "1")) + R"(, {"reset_engine": "compute0"})") +
        "]");
    return outcome.contents.count("app/A") == 1;
  };
  const std::string managed = R"(, "segments": ["sysmem"], "size": "16KiB")";
  CHECK(said("true", ""));
  CHECK(said("false", managed));
  CHECK_FALSE(said("true", managed));
}

TEST_CASE("a copy takes the words that are there", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q1", write("A", "0B", "1") + "," + write("A", "64B", "3") + "," +
                                   copy("A", "B", "64B") + "," + write("A", "0B", "2"))));
  CHECK(outcome.contents.at("app/B").at(0).values == Values{1});
  CHECK(outcome.contents.at("app/B").at(64).values == Values{0});
  CHECK(outcome.contents.at("app/A").at(0).values == Values{2});
}

TEST_CASE("words next to a write keep their values up to the end of the allocation",
          "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q1", write("A", "16B", "1") + "," + write("B", "4088B", "2"))));
  const Content& first = outcome.contents.at("app/A");
  CHECK(first.at(8).values == Values{0});
  CHECK(first.at(16).values == Values{1});
  CHECK(first.at(24).values == Values{0});
  CHECK(outcome.contents.at("app/B").at(4080).values == Values{0});
  CHECK(outcome.contents.at("app/B").count(4096) == 0);
  CHECK(
      predicted_app(thread("t", submit("q1", write("A", "0B", "1")))).contents.at("app/A").size() ==
      2);
}

TEST_CASE("writes without an order leave either value", "[reference]") {
  const std::string first = write("A", "0B", "1") + "," + point("signal", "F", "1");
  const Outcome race = predicted_app(thread("t", submit("q0", first)) + "," +
                                     thread("u", submit("q1", write("A", "0B", "2"))));
  CHECK(race.contents.at("app/A").at(0).values == Values{1, 2});
  const Outcome ordered = predicted_app(
      thread("t", submit("q0", first)) + "," +
      thread("u", submit("q1", point("wait", "F", "1") + "," + write("A", "0B", "2"))));
  CHECK(ordered.contents.at("app/A").at(0).values == Values{2});
}

TEST_CASE("a copy that races with a write has either value", "[reference]") {
  const Outcome outcome = predicted_app(thread("t", submit("q0", write("A", "0B", "1"))) + "," +
                                        thread("u", submit("q1", copy("A", "B", "8B"))));
  CHECK(outcome.contents.at("app/B").at(0).values == Values{0, 1});
}

TEST_CASE("a dispatch leaves unknown bytes", "[reference]") {
  const Outcome outcome = predicted_app(
      thread("t", submit("q1", write("A", "0B", "1") + "," + write("A", "128B", "1") + R"(,
          {"dispatch": {"duration": "1us", "write": "64B", "allocation": "A"}})")));
  CHECK(outcome.contents.at("app/A").at(0).open);
  CHECK(outcome.contents.at("app/A").at(128).values == Values{1});
}

}  // namespace fenceline::reference::test_contents
