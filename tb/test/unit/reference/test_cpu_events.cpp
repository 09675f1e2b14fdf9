// Events that the driver sets.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_cpu_events {

namespace {

const std::string kCreate = R"({"create_cpu_event": {"name": "V", "event": "e"}})";
const std::string kWait = R"({"wait_event": {"event": "e"}})";
const std::string kDestroy = R"({"destroy_fence": "V"})";
const std::string kBuffers =
    R"({"use_cpu_event": {"name": "V", "use": "buffer_completed", "engine": "gfx0"}})";
const std::string kWork = submit_to_context("c0", R"({"barrier": {}})");

std::string use(const std::string& when) {
  return R"({"use_cpu_event": {"name": "V", "use": ")" + when + "\"}}";
}

Outcome of(const std::string& steps) { return predicted_app(thread("t", steps)); }

Happens end_of_last(const Outcome& outcome) { return outcome.threads.at("t").back().ends; }

}  // namespace

TEST_CASE("the driver signals a CPU event in the call or never", "[reference]") {
  const Outcome now = of(kCreate + "," + use("now") + "," + kWait);
  CHECK(reason(now).empty());
  CHECK(end_of_last(now) == Happens::kAlways);
  CHECK(now.threads.at("t")[1].statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(end_of_last(of(kCreate + "," + use("never") + "," + kWait)) == Happens::kNever);
  CHECK(end_of_last(of(R"({"pass_handle": {"event": "e"}}, )" + kWait)) == Happens::kAlways);
}

TEST_CASE("an event passed from a guest names nothing on the host", "[reference]") {
  const auto guest = [](const std::string& kind) {
    const std::string process =
        kind.empty() ? R"({"name": "p"})" : R"({"name": "p", "kind": ")" + kind + "\"}";
    return predicted(R"("processes": [)" + process + R"(], "programs": [)" +
                     thread("t", R"({"pass_handle": {"event": "e"}}, )" + kWait) + "]");
  };
  const auto statuses = [&](const std::string& kind) {
    return guest(kind).threads.at("t").front().statuses;
  };
  CHECK(statuses("") == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(statuses("guest") == std::set<std::string>{"STATUS_INVALID_HANDLE"});
  CHECK(end_of_last(guest("guest")) == Happens::kNever);
  CHECK(statuses("secured_guest") == std::set<std::string>{"STATUS_ACCESS_DENIED"});
  CHECK(end_of_last(guest("secured_guest")) == Happens::kNever);
}

TEST_CASE("a buffer that completes later signals a CPU event", "[reference]") {
  const Outcome later = of(kCreate + "," + kBuffers + "," + kWork + "," + kWait);
  CHECK(reason(later).empty());
  CHECK(end_of_last(later) == Happens::kAlways);
  // Another buffer may have set the event: it does not tell that this one is done.
  CHECK(later.threads.at("t").back().after.empty());
  CHECK(end_of_last(of(kCreate + "," + kWork + "," + kBuffers + "," + kWait)) == Happens::kMaybe);
  const std::string elsewhere = submit_to_context("d0", R"({"barrier": {}})");
  CHECK(end_of_last(of(kCreate + "," + kBuffers + "," + elsewhere + "," + kWait)) ==
        Happens::kMaybe);
}

TEST_CASE("a buffer sets no event if its CPU event may never be used", "[reference]") {
  const auto end = [](const std::string& awaited) {
    const Outcome outcome =
        predicted_app(thread("t", R"({"create_cpu_event": {"event": "e", "name": "V"}}, )" +
                                      point("wait", "F", awaited) +
                                      R"(, {"use_cpu_event": {"engine": "gfx0", "name": "V",
                                                "use": "buffer_completed"}}, )" +
                                      point("signal", "G", "1")) +
                      "," +
                      thread("u", point("wait", "G", awaited) + "," +
                                      submit_to_context("c0", R"({"barrier": {}})") +
                                      R"(, {"wait_event": {"event": "e"}})"));
    CHECK(reason(outcome).empty());
    return outcome.threads.at("u").back().ends;
  };
  CHECK(end("0") == Happens::kMaybe);  // the buffer may come first
  CHECK(end("1") == Happens::kNever);
}

TEST_CASE("a buffer ends where the OS waits for the context", "[reference]") {
  const std::string split = submit_to_context(
      "c0", R"({"barrier": {}}, {"wait": {"fence": "M", "value": 1}}, {"barrier": {}})");
  CHECK(end_of_last(of(kCreate + "," + kBuffers + "," + split + "," + kWait)) == Happens::kAlways);
  const std::string waits = R"({"gpu_wait": {"context": "c0", "fence": "M", "value": 0}})";
  CHECK(end_of_last(of(kCreate + "," + kBuffers + "," + waits + "," + kWait)) == Happens::kMaybe);
}

TEST_CASE("a CPU event is no fence", "[reference]") {
  const Outcome outcome = of(kCreate + "," + R"({"wait": {"fence": "V", "value": 1,
      "status": "STATUS_INVALID_PARAMETER"}}, )" +
                             kDestroy);
  CHECK(outcome.threads.at("t")[1].statuses == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
  CHECK(outcome.threads.at("t")[2].statuses == std::set<std::string>{"STATUS_SUCCESS"});
}

TEST_CASE("nothing is said of CPU events that may not be there or are used again", "[reference]") {
  CHECK(reason(of(kCreate + "," + kDestroy + "," + use("now"))) ==
        "calls for a CPU event that may not be there");
  CHECK(reason(of(kCreate + "," + kBuffers + "," + kWork + "," + kDestroy)) ==
        "a CPU event that may be destroyed before it is signalled");
  CHECK(reason(of(kCreate + "," + kBuffers + "," + kWork + "," + kWait + "," + kDestroy)).empty());
  CHECK(reason(of(kCreate + "," + use("now") + "," + use("never"))) ==
        "a CPU event with several uses");
  CHECK(reason(of(kCreate + "," + R"({"pass_handle": {"event": "e"}})")) ==
        "an event that several steps set");
  CHECK(reason(of(kCreate + "," + kDestroy +
                  R"(, {"create_cpu_event": {"name": "V", "event": "f"}})")) ==
        "several CPU events of one name");
}

}  // namespace fenceline::reference::test_cpu_events
