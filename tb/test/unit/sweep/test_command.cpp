#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/services.h"
#include "tb/app/sweep/command.h"
#include "tb/app/sweep/plan.h"
#include "tb/report/writers/page_shell.h"
#include "tb/run/process/work_folder.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/sqlite_answers.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::sweep_tests::test_command {

namespace cli = fenceline::cli;
namespace fs = std::filesystem;
namespace report = fenceline::report;
namespace sweep = fenceline::sweep;
using fenceline::scenario::json_tree;

namespace {

const std::string kScenario = R"json({
  "schema_version": 1,
  "name": "sample",
  "processes": [{"name": "app", "fences": [{"name": "F"}],
                 "queues": [{"name": "q", "engine": "compute0"}]}],
  "programs": [{"thread": "t", "steps": [
    {"submit": {"queue": "q", "commands": [
      {"dispatch": {"duration": "1us"}}, {"signal": {"fence": "F", "value": 1}}]}},
    {"wait": {"fence": "F", "value": 1}}]}],
  "sweep": {"seeds": 2, "vary": [{"pointer": "/platform/host/cores", "values": [1, 2, 3]}]},
  "expect": {"fences": [{"fence": "F", "current_value": 1}]}
})json";
const std::string kDuration = "/programs/0/steps/0/submit/commands/0/dispatch/duration";

/// The program in a folder that goes away.
struct Program {
  Program() {
    scenario = (folder / "sample.json").string();
    std::ofstream(scenario) << kScenario;
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Exit code of `fenceline sweep` with these words.
  int operator()(std::vector<std::string> words) {
    words.insert(words.begin(), "sweep");
    out.str("");
    err.str("");
    return cli::run_program(words, cli::program_services(), {out, err, false, false});
  }

  fenceline::support::TempFolder folder;
  std::string scenario;
  std::ostringstream out, err;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t hidden_entries(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& it : fs::directory_iterator(folder))
    count += it.path().filename().string()[0] == '.' ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a sweep gives one row per run for any number of processes", "[sweep]") {
  Program program;
  // A core alone cannot be: those rows say so.
  CHECK(program({program.scenario, "--out", program.path("one"), "--jobs", "1"}) == 1);
  CHECK(program.out.str().find("2 invalid, 4 pass") != std::string::npos);
  const std::string csv = program.text("one/sweep.csv");
  const auto lines = lines_of(csv);
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].rfind("point,seed,/platform/host/cores,verdict,exit_code,reason,broken,"
                       "end_time_ps,events,interrupts.raised,",
                       0) == 0);
  CHECK(lines[0].find(",signal_to_resume.p99,") != std::string::npos);
  CHECK(lines[1].rfind("0,1,1,invalid,2,/platform/host/cores: the number 1 is out of range;", 0) ==
        0);
  CHECK(lines[3].rfind("1,1,2,pass,0,,,", 0) == 0);
  CHECK(lines[6].rfind("2,2,3,pass,0,,,", 0) == 0);
  CHECK(program({program.scenario, "--out", program.path("three"), "--jobs", "3"}) == 1);
  CHECK(program.text("three/sweep.csv") == csv);
  CHECK(program.text("three/sweep.sqlite") == program.text("one/sweep.sqlite"));
  CHECK(program.text("three/report.html") == program.text("one/report.html"));
  CHECK(program.text("one/report.html").empty() == report::sweep_page().shell.empty());
  CHECK(program({program.scenario}) == 1);
  CHECK(program.out.str() == csv);
  CHECK_FALSE(fs::exists(program.path("one.partial")));
  CHECK(hidden_entries(program.folder) == 0);
}

TEST_CASE("a row of a sweep equals the result of the single run", "[sweep]") {
  Program program;
  CHECK(program({program.scenario, "--vary", "/platform/host/cores=4", "--vary",
                 kDuration + "=3us,5us", "--seeds", "1", "--seed", "9", "--out",
                 program.path("out")}) == 0);
  const auto lines = lines_of(program.text("out/sweep.csv"));
  REQUIRE(lines.size() == 3);
  const std::vector<std::string> run{
      "run",   program.scenario,   "--set",  "/platform/host/cores=4",
      "--set", kDuration + "=5us", "--seed", "9",
      "--out", program.path("run")};
  REQUIRE(cli::run_program(run, cli::program_services(),
                           {program.out, program.err, false, false}) == 0);
  const auto result = json_tree<nlohmann::json>(program.text("run/result.json"));
  const std::string time = std::to_string(result["end_time_ps"].get<std::uint64_t>());
  const std::string events = std::to_string(result["events"].get<std::uint64_t>());
  CHECK(lines[2].rfind("1,9,4,5us,pass,0,,," + time + "," + events + ",", 0) == 0);
  // Every statistic of the run has its column.
  const auto stats = json_tree<nlohmann::json>(program.text("run/stats.json"));
  for (const auto& [name, unused] : stats["counters"].items())
    CHECK((lines[0] + ",").find("," + name + ",") != std::string::npos);
  for (const auto& [name, unused] : stats["latencies"].items())
    CHECK((lines[0] + ",").find("," + name + ".p50,") != std::string::npos);
}

TEST_CASE("the database of a sweep has the rows with numbers as numbers", "[sweep]") {
  Program program;
  CHECK(program({program.scenario, "--out", program.path("out")}) == 1);
  const fenceline::support::Database database(program.path("out/sweep.sqlite"));
  const auto ask = [&](const char* question) { return database.ask(question); };
  CHECK(ask("SELECT count(*), sum(exit_code), typeof(min(\"interrupts.raised\")) FROM runs") ==
        "6 4 integer ");
  CHECK(ask("SELECT end_time_ps FROM runs WHERE point = 0") == "- - ");
  CHECK(ask("SELECT unit FROM columns WHERE name = 'signal_to_resume.p99'") == "ps ");
  CHECK(ask("SELECT value FROM sweep WHERE name = 'runs'") == "6 ");
  CHECK(ask("PRAGMA integrity_check") == "ok ");
}

TEST_CASE("a driver that crashes or loops makes rows and no more", "[sweep]") {
  Program program;
  const std::vector<std::string> words{program.scenario,   "--vary", "/platform/host/cores=2",
                                       "--stuck",          "1",      "--kmd",
                                       FENCELINE_FATAL_KMD};
  ::setenv("FENCELINE_FATAL", "crash", 1);
  CHECK(program(words) == 1);
  CHECK(lines_of(program.out.str())[1] ==
        "0,1,2,crash,1,\"SIGABRT, in DxgkDdiInterruptRoutine of gpu0, called in core0.isr\",,,");
  ::setenv("FENCELINE_FATAL", "loop", 1);
  CHECK(program(words) == 1);
  CHECK(lines_of(program.out.str())[2] ==
        "0,2,2,endless_loop,1,\"no step for 1 s of CPU time, in DxgkDdiInterruptRoutine of gpu0, "
        "called in "
        "core0.isr\",,,");
  ::setenv("FENCELINE_FATAL", "refuse", 1);
  CHECK(program(words) == 1);
  CHECK(lines_of(program.out.str())[1].rfind("0,1,2,fail,1,\"expected that adapter", 0) == 0);
  ::unsetenv("FENCELINE_FATAL");
}

TEST_CASE("shards that workers make come to the same table", "[sweep]") {
  Program program;
  CHECK(program({program.scenario, "--out", program.path("here")}) == 1);
  const std::string out = program.path("there");
  CHECK(program({program.scenario, "--out", out, "--plan", "--shards", "3"}) == 0);
  CHECK(program.out.str().find("6 runs in 3 shards") != std::string::npos);
  CHECK(program({"--worker", out, "--shard", "1/3"}) == 0);
  ::setenv("LSB_JOBINDEX", "3", 1);
  CHECK(program({"--worker", out}) == 0);
  ::setenv("LSB_JOBINDEX", "4", 1);
  CHECK(program({"--worker", out}) == 2);
  CHECK(program.err.str().find("LSB_JOBINDEX=4: the sweep has 3 shards") != std::string::npos);
  ::unsetenv("LSB_JOBINDEX");
  CHECK(program({"--worker", out}) == 2);
  CHECK(program.err.str().find("which shard?") != std::string::npos);
  const auto journals = fs::path(out + ".partial") / "journals";
  CHECK(std::distance(fs::directory_iterator(journals), {}) == 2);
  CHECK(program({"--resume", out}) == 1);
  CHECK(program.text("there/sweep.csv") == program.text("here/sweep.csv"));
  CHECK(program.text("there/result.json") == program.text("here/result.json"));
  CHECK(program({"--resume", out}) == 2);
  CHECK(program.err.str().find("is complete") != std::string::npos);
}

TEST_CASE("command lines make the shards of a sweep and one that fails is run again", "[sweep]") {
  Program program;
  CHECK(program({program.scenario, "--out", program.path("here")}) == 1);
  const std::string tried = program.path("tried");
  const auto result = sweep::run_command(
      {FENCELINE_PROGRAM, "sweep", program.scenario, "--out", program.path("there"), "--engine",
       "command", "--shards", "3", "--at-once", "2", "--submit-template",
       "[ {shard} != 1 ] || [ -e " + tried + " ] || { touch " + tried + "; exit 1; }; {worker}"},
      std::chrono::seconds(60));
  CHECK(result.code == 1);
  CHECK(fs::exists(tried));
  CHECK(program.text("there/sweep.csv") == program.text("here/sweep.csv"));
}

TEST_CASE("a worker of another build is kept out of a sweep", "[sweep]") {
  Program program;
  const std::string out = program.path("out");
  CHECK(program({program.scenario, "--out", out, "--plan"}) == 0);
  const auto result = sweep::run_command(
      {FENCELINE_PROGRAM, "sweep", "--worker", out, "--shard", "0/6"}, std::chrono::seconds(60));
  CHECK(result.code == 2);
  CHECK(result.errors.find("begun by another build") != std::string::npos);
}

TEST_CASE("a sweep in progress or of another build is left alone", "[sweep]") {
  Program program;
  const std::string out = program.path("out");
  CHECK(program({program.scenario, "--out", out, "--plan"}) == 0);
  CHECK(program({program.scenario, "--out", out}) == 2);
  CHECK(program.err.str().find("go on with --resume") != std::string::npos);
  const sweep::WorkFolder work = sweep::WorkFolder::beside(out);
  {
    const run::FolderLock somebody(work.path());
    CHECK(program({"--resume", out}) == 2);
    CHECK(program.err.str().find("another process is at") != std::string::npos);
    CHECK(program({program.scenario, "--out", out, "--force"}) == 2);
  }
  const std::string written = program.text("out.partial/plan.json");
  auto edited = json_tree<nlohmann::ordered_json>(written);
  edited["first_seed"] = 99;
  std::ofstream(work.plan()) << edited.dump();
  CHECK(program({"--resume", out}) == 2);
  CHECK(program.err.str().find("checksum differs") != std::string::npos);
  sweep::Plan plan = sweep::Plan::from_json(written);
  plan.build = "0";
  std::ofstream(work.plan()) << plan.to_json();
  CHECK(program({"--resume", out}) == 2);
  CHECK(program.err.str().find("another build") != std::string::npos);
  std::ofstream(work.plan()) << "{}";
  CHECK(program({"--resume", out}) == 2);
  CHECK(program.err.str().find("is no plan of a sweep") != std::string::npos);
  CHECK(program({program.scenario, "--out", out, "--force"}) == 1);
  CHECK(program({program.scenario, "--out", out}) == 2);
  CHECK(program({program.scenario, "--out", out, "--force"}) == 1);
}

TEST_CASE("a sweep killed after its last file is done when it goes on", "[sweep]") {
  Program program;
  const std::string out = program.path("out");
  CHECK(program({program.scenario, "--out", out, "--plan"}) == 0);
  fs::copy(out + ".partial", program.path("kept"), fs::copy_options::recursive);
  CHECK(program({"--resume", out}) == 1);
  fs::rename(program.path("kept"), out + ".partial");
  const auto written = fs::last_write_time(out + "/sweep.csv");
  CHECK(program({"--resume", out}) == 1);
  CHECK(program.out.str().find("2 invalid, 4 pass") != std::string::npos);
  CHECK(fs::last_write_time(out + "/sweep.csv") == written);
  CHECK_FALSE(fs::exists(out + ".partial"));
}

TEST_CASE("a variation that cannot be swept is refused with its place", "[sweep]") {
  Program program;
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--vary", "/platform/hots/cores=1"}, "--vary: /platform/hots/cores: no value is valid"},
      {{"--vary", "/platform/host/cores=0,1"}, "no value is valid: the number 0 is out of range"},
      {{"--vary", "/programs/7/thread=a"}, "no element \"7\""},
      {{"--vary", "/a=1", "--vary", "/a=2"}, "/a is there twice"},
      {{"--vary", "/platform/host=1"}, "vary each other"},
      {{"--vary", "/end_time=1e999"}, "1e999 is larger than any number"},
      {{"--vary", "/platform=1", "--set", "/sweep/vary=[]"}, "no value is valid"},
      {{"--vary", "/end_time=1ms..2ms"}, "needs a \"step\""},
      {{"--design", "random"}, "how many points"},
      {{"--points", "3"}, "only a random design"},
      {{"--seed", "18446744073709551615"}, "do not fit 64 bits"},
      {{"--kmd", "missing.so"}, "cannot load the driver"},
      {{"--set", "/sweep/vary/0/pointer=\"/no\""}, "no value is valid"},
  };
  for (const auto& [words, message] : cases) {
    std::vector<std::string> all{program.scenario};
    all.insert(all.end(), words.begin(), words.end());
    INFO(message);
    CHECK(program(all) == 2);
    CHECK(program.err.str().find(message) != std::string::npos);
    CHECK(program.out.str().empty());
  }
  std::string changed = kScenario;
  changed.replace(changed.find("[1, 2, 3]"), 9, "[0, 1]");
  std::ofstream(program.scenario) << changed;
  CHECK(program({program.scenario}) == 2);
  CHECK(program.err.str().find("sample.json:10:") != std::string::npos);
  CHECK(program.err.str().find("/sweep/vary/0: /platform/host/cores: no value is valid") !=
        std::string::npos);
}

TEST_CASE("the progress of a sweep goes to a terminal only", "[sweep]") {
  Program program;
  const auto run = [&](bool terminal, const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", program.scenario, "--seeds", "4"};
    words.insert(words.end(), more.begin(), more.end());
    program.err.str("");
    cli::run_program(words, cli::program_services(),
                     {program.out, program.err, terminal, terminal});
    return program.err.str();
  };
  CHECK(run(true, {}).find("sample: 0 of 12 runs [") != std::string::npos);
  CHECK(run(false, {}).empty());
  CHECK(run(true, {"--no-progress"}).empty());
  CHECK(run(true, {"--quiet"}).empty());
}

TEST_CASE("drawn points are the same for every caller", "[sweep]") {
  Program program;
  const std::vector<std::string> words{program.scenario,
                                       "--design=random",
                                       "--points=5",
                                       "--seeds=1",
                                       "--vary=/platform/host/cores=2..9",
                                       "--vary=" + kDuration + "=1us..9us"};
  CHECK(program(words) == 0);
  const std::string first = program.out.str();
  CHECK(lines_of(first).size() == 6);
  CHECK(program(words) == 0);
  CHECK(program.out.str() == first);
  std::vector<std::string> other = words;
  other.insert(other.end(), {"--set", "/sweep/seed=2"});
  CHECK(program(other) == 0);
  CHECK(program.out.str() != first);
}

TEST_CASE("a full disk ends a sweep with 4 and it goes on when there is room", "[sweep]") {
  Program program;
  const fs::path disk = program.folder / "disk";
  fs::create_directory(disk);
  const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                       ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=48k") == 0;
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (!mounted) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{9000, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  const std::string out = (disk / "out").string();
  CHECK(program({program.scenario, "--seeds", "20", "--out", out}) == 4);
  CHECK(program.err.str().find(mounted ? "No space left" : "File too large") != std::string::npos);
  CHECK_FALSE(fs::exists(out));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  if (mounted) REQUIRE(::mount("", disk.c_str(), nullptr, MS_REMOUNT, "size=8m") == 0);
  CHECK(program({"--resume", out}) == 1);
  const std::string csv = program.text("disk/out/sweep.csv");
  CHECK(program({program.scenario, "--seeds", "20"}) == 1);
  CHECK(program.out.str() == csv);
  if (mounted) ::umount(disk.c_str());
}

TEST_CASE("an interrupted sweep ends with 130 and goes on", "[sweep]") {
  Program program;
  const std::string out = program.path("out");
  const pid_t process = sweep::start_shell("exec " FENCELINE_PROGRAM " sweep " FENCELINE_SOURCE_DIR
                                           "/scenarios/sweep/compositor.json --seeds 4 --out " +
                                               out,
                                           program.path("said"));
  const fs::path journals = out + ".partial/journals";
  while (!fs::exists(journals) || fs::is_empty(journals)) ::usleep(1000);
  ::kill(process, SIGINT);
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(program.text("said").find("go on with fenceline sweep --resume") != std::string::npos);
  CHECK_FALSE(fs::exists(out));
  const auto resumed =
      sweep::run_command({FENCELINE_PROGRAM, "sweep", "--resume", out}, std::chrono::seconds(60));
  CHECK(resumed.code == 0);
  CHECK(lines_of(program.text("out/sweep.csv")).size() == 201);
}

}  // namespace fenceline::sweep_tests::test_command
