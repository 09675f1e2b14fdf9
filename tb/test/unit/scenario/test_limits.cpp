#include <catch2/catch.hpp>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/scenario/loader.h"

namespace fenceline::scenario::test_limits {

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

struct Cost {
  bool refused = false;
  double seconds = 0;    ///< of CPU time
  double megabytes = 0;  ///< growth of the resident set
};

double seconds(const rusage& usage) {
  const auto one = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return one(usage.ru_utime) + one(usage.ru_stime);
}

/// Loads `text` in a child process, so that its peak of memory is its own.
Cost cost_of(const std::string& text) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_SELF, &before);
    Cost cost;
    try {
      load_text(text, "hostile");
    } catch (const ScenarioError&) {
      cost.refused = true;
    }
    ::getrusage(RUSAGE_SELF, &after);
    cost.seconds = seconds(after) - seconds(before);
    cost.megabytes = static_cast<double>(after.ru_maxrss - before.ru_maxrss) / 1'024;
    const bool written = ::write(ends[1], &cost, sizeof cost) == sizeof cost;
    ::_exit(written ? 0 : 1);
  }
  Cost cost;
  const bool answered = ::read(ends[0], &cost, sizeof cost) == sizeof cost;
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  REQUIRE(status == 0);
  REQUIRE(answered);
  return cost;
}

// Sanitizers multiply both time and memory, and so does a build without optimisation.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FENCELINE_SLOW_BUILD
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define FENCELINE_SLOW_BUILD
#endif
#ifdef FENCELINE_SLOW_BUILD
constexpr double kSlack = 8;
#else
constexpr double kSlack = 1;
#endif

void check_cheap(const std::string& what, const std::string& text, bool refused = true) {
  const Cost cost = cost_of(text);
  CAPTURE(what, cost.seconds, cost.megabytes);
  CHECK(cost.refused == refused);
  // Half a second on an idle machine. A busy one takes three times that, and a load whose time
  // grows with the square of its size takes far more.
  CHECK(cost.seconds < 5 * kSlack);
  CHECK(cost.megabytes < 256 * kSlack);
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

/// A valid scenario around `steps`.
std::string scenario_with(const std::string& steps) {
  return R"({"schema_version": 1, "name": "many",
             "processes": [{"name": "p", "fences": [{"name": "F"}]}],
             "programs": [{"thread": "t", "steps": [)" +
         steps + R"(]}], "expect": {}})";
}

}  // namespace

TEST_CASE("200000 nested brackets are refused without a stack overflow", "[scenario][limits]") {
  for (const std::string part : {"[", "{\"a\":", "[{\"a\":"}) {
    try {
      load_text(repeated(part, 200'000 * part.size()), "deep");
      FAIL("accepted");
    } catch (const ScenarioError& error) {
      CHECK(error.message() == "nested deeper than 64 levels");
    }
  }
}

TEST_CASE("hostile files cost seconds and less than 256 MiB", "[scenario][limits][slow]") {
  const std::size_t most = 64 * kMiB - 16;
  check_cheap("spaces", repeated(" ", most));
  check_cheap("line ends", repeated("\n", most));
  check_cheap("one string", "\"" + repeated("a", most));
  check_cheap("one escaped string", "\"" + repeated("\\u0041", most));
  check_cheap("one number", repeated("1", most));
  check_cheap("many numbers", "[" + repeated("0,", most));
  check_cheap("many objects", "[" + repeated("{},", most));
  check_cheap("same keys", "{" + repeated("\"a\":0,", most));
  check_cheap("long keys", "{" + repeated("\"" + std::string(60'000, 'k') + "\":0,", most));
  check_cheap("long strings", "[" + repeated("\"" + std::string(60'000, 's') + "\",", most));
  check_cheap("zeros", std::string(most, '\0'));
}

TEST_CASE("objects with as many keys as allowed are cheap to refuse", "[scenario][limits]") {
  std::string keys;
  for (int i = 0; i < 190'000; ++i) keys += "\"key" + std::to_string(i) + "\":0,";
  check_cheap("different keys", "{" + keys + "\"name\":1}");
  check_cheap("one duplicate", "{" + keys + "\"key0\":1}");
}

TEST_CASE("the longest program that is allowed loads cheaply", "[scenario][limits][slow]") {
  std::string steps = R"({"mark": "m0"})";
  for (int i = 1; i < 90'000; ++i) steps += R"(,{"mark":"m)" + std::to_string(i) + "\"}";
  check_cheap("marks", scenario_with(steps), false);
  steps = R"({"signal":{"fence":"F","value":0}})";
  for (int i = 1; i < 48'000; ++i) {
    steps += R"(,{"signal":{"fence":"F","value":)" + std::to_string(i) + "}}";
  }
  check_cheap("signals", scenario_with(steps), false);
}

TEST_CASE("many holds and expectations are cheap to check", "[scenario][limits]") {
  const auto operation = [](int n) {
    return R"({"agent":"a","op":"drain","nth":)" + std::to_string(n) + "}";
  };
  std::string holds;
  for (int i = 1; i <= 1'024; ++i) {
    holds += (i > 1 ? ",{\"hold\":" : "{\"hold\":") + operation(i) +
             ",\"until\":" + operation(i + 1) + "}";
  }
  std::string text = scenario_with(R"({"mark": "m"})");
  text.insert(1, "\"holds\":[" + holds + "],");
  check_cheap("a chain of holds", text, false);
}

TEST_CASE("many names are cheap to look up", "[scenario][limits]") {
  std::string fences = R"({"name":"F","shared":true})";
  std::string allocations = R"({"name":"A"})";
  const std::string prefix(50, 'x');
  for (int i = 1; i < 4'096; ++i) {
    const std::string name = "\"" + prefix + std::to_string(i) + "\"";
    fences += ",{\"name\":" + name + ",\"open\":\"p/F\"}";
    allocations += ",{\"name\":" + name + "}";
  }
  std::string commands = R"({"flush":{}})";
  for (int i = 0; i < 40'000; ++i) {
    commands += R"(,{"write":{"allocation":")" + prefix + "4095" + R"(","value":1}})";
  }
  check_cheap("names",
              R"({"schema_version":1,"name":"many","processes":[{"name":"p",
    "queues":[{"name":"q","engine":"copy0"}],"fences":[)" +
                  fences + R"(],"allocations":[)" + allocations +
                  R"(]}],"programs":[{"queue":"q","commands":[)" + commands + R"(]}],"expect":{}})",
              false);
}

TEST_CASE("no more statistics than 1000 are expected", "[scenario][limits]") {
  const auto refusal = [](int counters) -> std::string {
    std::string text = scenario_with(R"({"mark": "m"})");
    std::string entries;
    for (int i = 0; i < counters; ++i) {
      entries += (i > 0 ? ",\"c" : "\"c") + std::to_string(i) + "\":1";
    }
    text.insert(text.rfind("}}"), "\"counters\":{" + entries + "}");
    try {
      load_text(text, "many");
    } catch (const ScenarioError& error) {
      return error.pointer() + ": " + error.message();
    }
    return "accepted";
  };
  CHECK(refusal(1'000) == "accepted");
  CHECK(refusal(1'001) == "/expect/counters: the object has 1001 keys");
}

TEST_CASE("nested repeats are counted without running them", "[scenario][limits]") {
  std::string steps = R"({"mark":"m"})";
  for (int i = 0; i < 18; ++i) steps = R"({"repeat":{"count":100000000,"steps":[)" + steps + "]}}";
  check_cheap("nested repeats", scenario_with(steps));
}

}  // namespace fenceline::scenario::test_limits
