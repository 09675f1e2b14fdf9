// The live page of a command: who may read it, what it shows, and that nothing depends on it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tb/test/support/live_command.h"
#include "tb/test/support/program.h"

namespace fenceline::system_tests::test_live {

namespace fs = std::filesystem;
using support::ask;
using support::LiveCommand;
using support::soon;
using support::TempFolder;

namespace {

const std::string kScenarios = std::string(FENCELINE_SOURCE_DIR) + "/scenarios/";
const std::string kFigure = kScenarios + "native_fence/figure_41_42.json";
const std::string kLong = "run " + kFigure + " --repeat 1000000 --quiet --jobs 2 --live";
const std::string kSweep = "sweep " + kFigure + " --vary /platform/host/cores=2,4";
const std::string kSearch = "explore " + kScenarios + "litmus/P05_drop_resample.json";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int status_of(const std::string& answer) {
  return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
}

nlohmann::json state_of(const LiveCommand& command) {
  const std::string answer = command.state();
  const std::size_t body = answer.find("\r\n\r\n");
  if (body == std::string::npos) return {};
  return nlohmann::json::parse(answer.substr(body + 4));
}

/// The files of a folder by name, without those that tell of the machine.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& it : fs::recursive_directory_iterator(folder)) {
    if (!it.is_regular_file() || it.path().filename() == "host.json") continue;
    std::ifstream file(it.path(), std::ios::binary);
    files[fs::relative(it.path(), folder).string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

/// Runs a command with and without --live, each with --out, and compares what it leaves.
void check_same(const std::string& arguments) {
  const TempFolder folder;
  const std::string one = (folder.path() / "one").string();
  const std::string other = (folder.path() / "other").string();
  const support::Result plain =
      support::run(arguments + " --out " + one + " 2>/dev/null; echo ; true");
  const support::Result live =
      support::run(arguments + " --live --out " + other + " 2>/dev/null; echo ; true");
  std::string text = live.output;
  for (std::size_t at = 0; (at = text.find(other, at)) != std::string::npos;)
    text.replace(at, other.size(), one);
  CHECK(text == plain.output);
  const auto files = files_of(one);
  CHECK_FALSE(files.empty());
  CHECK(files == files_of(other));
}

}  // namespace

TEST_CASE("live: the page is for those who know its address", "[system][live]") {
  const LiveCommand command(kLong);
  REQUIRE(command.port() != 0);
  CHECK(command.path().size() == 34);
  const std::string page = command.get(command.path());
  CHECK(status_of(page) == 200);
  CHECK(has(page, "connect-src 'self'"));
  CHECK(has(page, "frame-ancestors 'none'"));
  CHECK(status_of(command.state()) == 200);
  CHECK(status_of(command.get(command.path(), "localhost:99")) == 200);
  std::string other = command.path();
  other[1] = other[1] == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string("/state"), command.path() + "other", command.path() + "../",
        other, command.path() + "state?x", "/%2e" + command.path()})
    CHECK(status_of(command.get(path)) == 404);
  for (const char* host : {"example.org", "127.0.0.1.example.org", "", "::1"})
    CHECK(status_of(command.get(command.path(), host)) == 403);
  for (const char* method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"})
    CHECK(status_of(ask(command.port(), std::string(method) + " " + command.path() +
                                            "state HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 404);
  CHECK(status_of(ask(command.port(), "GET " + command.path() + " HTTP/1.1\r\n\r\n")) == 403);
}

TEST_CASE("live: the page is served on the loopback alone", "[system][live]") {
  const LiveCommand command(kLong);
  REQUIRE(command.serves());
  const std::string request = "GET " + command.path() + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  CHECK(status_of(ask(command.port(), request)) == 200);
  // All of 127.0.0.0/8 reaches a socket that listens on every address.
  CHECK(ask(command.port(), request, "127.0.0.2").empty());
}

TEST_CASE("live: the state goes on while the command runs", "[system][live]") {
  const LiveCommand command(kLong);
  REQUIRE(soon([&] { return state_of(command).value("number", 0) > 3; }));
  const auto state = state_of(command);
  CHECK(state["command"] == "run");
  CHECK(state["state"] == "running");
  CHECK(state["progress"]["all"] == 1'000'000);
  CHECK(soon([&] { return state_of(command)["progress"]["done"] > state["progress"]["done"]; }));
}

TEST_CASE("live: a run shows its time its counters and what waits now", "[system][live]") {
  // One run that takes much longer than the time between two texts.
  const LiveCommand command("run " + kScenarios +
                            "native_fence/suppressed_interrupts.json --quiet --jobs 1 --live --set "
                            "/programs/0/commands/0/repeat/count=9000000");
  std::string state;
  REQUIRE(soon([&] {
    state = command.state();
    return has(state, ": waits now\"") && has(state, "thread compute.submit");
  }));
  CHECK(has(state, "\"Under way\""));
  CHECK(soon([&] { return has(command.state(), "[\"signals.gpu\","); }));
}

TEST_CASE("live: a search shows states rate frontier and an estimate", "[system][live]") {
  const LiveCommand command("explore " + kScenarios + "litmus/P09*.json --live --jobs 2");
  REQUIRE(soon([&] { return has(command.state(), "\"frontier\""); }));
  const std::string state = command.state();
  for (const char* fact : {"states", "executions", "rate", "findings", "left"})
    CHECK(has(state, std::string("[\"") + fact + "\","));
  CHECK(has(state, "What is left is an estimate"));
}

TEST_CASE("live: a campaign shows runs failures and coverage", "[system][live]") {
  const LiveCommand command("campaign --preset small --runs 100000 --jobs 2 --live");
  REQUIRE(soon([&] { return has(command.state(), "\"coverage so far\""); }));
  const auto state = state_of(command);
  CHECK(state["command"] == "campaign");
  CHECK(state["progress"]["all"] == 100'000);
  CHECK(has(state["facts"].dump(), "[\"failed\",0]"));
}

TEST_CASE("live: a campaign shows its failures by group", "[system][live]") {
  const LiveCommand command("campaign --preset small --runs 100000 --jobs 2 --live --kmd " +
                                std::string(FENCELINE_FATAL_KMD),
                            "FENCELINE_FATAL=crash");
  REQUIRE(soon([&] { return has(command.state(), "Failures by group"); }));
  CHECK(has(command.state(), "crash"));
}

TEST_CASE("live: a sweep shows runs and verdicts", "[system][live]") {
  const LiveCommand command(kSweep + " --seeds 100000 --jobs 2 --live");
  REQUIRE(soon([&] { return has(command.state(), "[\"pass\","); }));
  const auto state = state_of(command);
  CHECK(state["command"] == "sweep");
  CHECK(state["progress"]["all"] == 200'000);
  const std::string facts = state["facts"].dump();
  CHECK(has(facts, "[\"points\",2],[\"done\","));
  CHECK(has(facts, "[\"failed\",0],[\"running\",2],[\"rate\","));
  CHECK(has(facts, "[\"left\","));
}

TEST_CASE("live: a sweep of workers shows what they have made", "[system][live]") {
  const TempFolder folder;
  LiveCommand command(kSweep + " --seeds 200 --live --engine command --submit-template " +
                      "'{worker}' --shards 2 --out " + (folder.path() / "out").string());
  REQUIRE(command.serves());
  nlohmann::json last;
  CHECK(soon([&] {
    if (const auto state = state_of(command); !state.is_null()) last = state;
    return last["state"] == "over";
  }));
  CHECK(command.wait() == 0);
  CHECK(last["progress"]["done"] == 400);
}

TEST_CASE("live: readers learn of the end", "[system][live]") {
  const TempFolder folder;
  const std::string out = (folder.path() / "out").string();
  LiveCommand command(kSearch + " --live --jobs 2 --out " + out);
  nlohmann::json last;
  REQUIRE(soon([&] {
    if (const auto state = state_of(command); !state.is_null()) last = state;
    return last["state"] == "over";
  }));
  CHECK(command.wait() == 0);
  CHECK(has(last["facts"].dump(), R"(["P05_drop_resample","PROVED"])"));
  CHECK(has(last["facts"].dump(), R"(["files",")" + out));
  CHECK_FALSE(command.serves());
}

TEST_CASE("live: a killed command takes its server along", "[system][live]") {
  LiveCommand command(kLong);
  REQUIRE(command.serves());
  command.send(SIGKILL);
  CHECK(command.wait() == 1000 + SIGKILL);
  CHECK(soon([&] { return !command.serves(); }));
}

TEST_CASE("live: a command goes on without its server", "[system][live]") {
  LiveCommand command(kSearch + " --live --jobs 2 --no-progress");
  REQUIRE(command.server() != 0);
  ::kill(command.server(), SIGKILL);
  CHECK(command.wait() == 0);
  CHECK(command.output() == support::run(kSearch + " --no-progress --jobs 2").output);
}

TEST_CASE("live: a server that stands still delays the end by little", "[system][live]") {
  LiveCommand command(kSearch + " --live --jobs 2");
  REQUIRE(command.server() != 0);
  ::kill(command.server(), SIGSTOP);
  CHECK(command.wait() == 0);
}

TEST_CASE("live: readers that say nothing keep nobody from reading", "[system][live]") {
  const LiveCommand command(kLong);
  REQUIRE(command.serves());
  std::vector<std::thread> silent;
  silent.reserve(8);
  for (int i = 0; i < 8; ++i) silent.emplace_back([&] { ask(command.port(), "GET /"); });
  CHECK(soon([&] { return status_of(command.state()) == 200; }));
  for (std::thread& it : silent) it.join();
}

TEST_CASE("live: an interrupt ends the command and its server", "[system][live]") {
  LiveCommand command(kLong);
  REQUIRE(command.serves());
  command.send(SIGINT, true);
  CHECK(command.wait() == 130);
  CHECK(soon([&] { return !command.serves(); }));
}

TEST_CASE("live: two commands have a page each", "[system][live]") {
  const LiveCommand one(kLong);
  const LiveCommand other(kLong);
  REQUIRE(one.serves());
  REQUIRE(other.serves());
  CHECK(one.port() != other.port());
  CHECK(one.path() != other.path());
  CHECK(status_of(ask(one.port(),
                      "GET " + other.path() + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 404);
}

TEST_CASE("live: a command line that is wrong starts no server", "[system][live]") {
  for (const std::string& wrong :
       {"run " + kFigure + " --live --repeat 0", "run " + kFigure + " --live=8080",
        "run " + kScenarios + "none.json --live", "validate " + kFigure + " --live",
        "explore " + kFigure + " --live --about X", std::string("campaign --live --preset huge"),
        kSweep + " --live --plan --out x", std::string("sweep --live --worker x")}) {
    LiveCommand command(wrong);
    CHECK(command.wait() == 2);
    CHECK(command.port() == 0);
  }
}

TEST_CASE("live: without the program of the server the command says so", "[system][live]") {
  const TempFolder folder;
  const fs::path alone = folder.path() / "fenceline";
  fs::copy_file(FENCELINE_PROGRAM, alone);
  const std::string log = (folder.path() / "log").string();
  const int status = std::system((alone.string() + " run " + kFigure + " --live 2>" + log).c_str());
  CHECK(WEXITSTATUS(status) == 2);
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(has(text, "fenceline: --live: the program"));
  CHECK(has(text, "leave --live out"));
}

TEST_CASE("live: its server is started by commands only", "[system][live]") {
  const support::Result result = support::run("--version >/dev/null; " FENCELINE_PROGRAM "_live");
  CHECK(result.exit_code == 2);
  CHECK(has(result.output, "started by fenceline"));
}

TEST_CASE("live: a run that dies is shown and the others go on", "[system][live]") {
  const LiveCommand command(kLong + " --kmd " FENCELINE_FATAL_KMD, "FENCELINE_FATAL=crash");
  REQUIRE(soon([&] { return has(command.state(), "\"crash\""); }));
  const auto state = state_of(command);
  CHECK(has(state["parts"].dump(), "Not as expected"));
  CHECK(soon([&] { return state_of(command)["progress"]["done"] > state["progress"]["done"]; }));
}

TEST_CASE("live: runs leave the same with and without it", "[system][live]") {
  check_same("run " + kFigure);
  check_same("run " + kFigure + " --repeat 5 --jobs 2");
  check_same("run " + kFigure + " --policy random --seed 3");
}

TEST_CASE("live: campaigns and sweeps leave the same with and without it", "[system][live]") {
  check_same("campaign --preset small --runs 40 --jobs 2");
  check_same(kSweep + " --seeds 5 --jobs 2");
}

TEST_CASE("live: searches leave the same with and without it", "[system][live]") {
  check_same("explore " + kScenarios + "litmus/P03_sb_no_signal_barrier.json --jobs 2");
  check_same("explore " + kScenarios +
             "litmus/P03_sb_no_signal_barrier.json --matrix=gpu.signal_barrier");
}

}  // namespace fenceline::system_tests::test_live
