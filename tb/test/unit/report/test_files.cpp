#include <catch2/catch.hpp>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tb/report/record/run_folder.h"
#include "tb/report/writers/events_csv.h"
#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/narrative.h"
#include "tb/report/writers/write_run.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/temp_folder.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::report_tests::test_files {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with the test.
struct Scratch {
  /// Entries of the folder, hidden ones too.
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fenceline::support::TempFolder path;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Takes `room` bytes, then fails as a full disk does.
class FullDisk final : public report::Sink {
 public:
  FullDisk(std::size_t room, bool late) : room_(room), late_(late) {}
  void write(const char*, std::size_t size) override {
    if (size > room_ && !late_) throw report::WriteError("cannot write: No space left on device");
    room_ -= std::min(size, room_);
  }
  void close() override {
    if (late_) throw report::WriteError("cannot finish: No space left on device");
  }

 private:
  std::size_t room_;
  bool late_;
};

}  // namespace

TEST_CASE("the recorder keeps events up to its limit and counts the rest", "[report][recorder]") {
  report::Recorder recorder(20'000);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    recorder.on_event(common::entry_of(i, 0, event::Mark{1, i}));
  }
  CHECK(recorder.size() == 20'000);
  CHECK(recorder.total() == 50'000);
  CHECK(recorder.truncated());
  CHECK(recorder[19'999].a == 19'999);
}

TEST_CASE("the result file says how the run ended", "[report][json]") {
  report::sample::Run run;
  run.report.violations.push_back({"I1", "NO_LOST_WAITER", "app/main waits", 5, 7, 1});
  const auto json = fenceline::scenario::json_tree<nlohmann::json>(report::result_json(run.report));
  CHECK(json["verdict"] == "pass");
  CHECK(json["version"] == "1.2.3");
  CHECK(json["scenario"] == "sample");
  CHECK(json["violations"][0]["invariant"] == "I1");
  CHECK(json["fences"][0]["monitored_value"] == "none");
  CHECK(json["fences"][1]["monitored_value"] == 7);
  CHECK(json["exercised"][0]["checked"] == 12);
  CHECK(json["expectations"][0]["holds"] == true);
}

TEST_CASE("the result file of a random run lists the races and no other does", "[report][json]") {
  report::sample::Run run;
  run.report.races = {{"core0.isr lock", "waiter lock", 3, 0}};
  CHECK_FALSE(fenceline::scenario::json_tree<nlohmann::json>(report::result_json(run.report))
                  .contains("races"));
  run.scenario.policy = fenceline::scenario::PolicyKind::kRandom;
  const auto race =
      fenceline::scenario::json_tree<nlohmann::json>(report::result_json(run.report))["races"][0];
  CHECK(race["first"] == "core0.isr lock");
  CHECK(race["second"] == "waiter lock");
  CHECK(race["first_won"] == 3);
  CHECK(race["second_won"] == 0);
}

TEST_CASE("the statistics file gives a unit and a meaning for every figure", "[report][json]") {
  report::sample::Run run;
  const auto json = fenceline::scenario::json_tree<nlohmann::json>(report::stats_json(run.report));
  CHECK(json["counters"]["interrupts.raised"]["value"] == 1);
  CHECK(json["latencies"]["signal_to_release"]["p99"] == 5'600'000);
  for (const auto& it : json["counters"]) {
    CHECK_FALSE(it["unit"].get<std::string>().empty());
    CHECK_FALSE(it["meaning"].get<std::string>().empty());
  }
}

TEST_CASE("the repro file holds scenario and seed and choices", "[report][json]") {
  report::sample::Run run;
  run.report.seed = 42;
  run.report.choices = {{"gpu0.cmp", "drain", 0xabcull}};
  run.scenario.holds.push_back({{"gpu0.gfx0", "drain", 1}, {"gpu0.cmp", "raise", 2}, {}});
  const auto json = fenceline::scenario::json_tree<nlohmann::json>(report::repro_json(run.report));
  CHECK(json["seed"] == 42);
  CHECK(json["choices"][0]["state"] == "0000000000000abc");
  CHECK(json["holds"][0]["until"]["nth"] == 2);
  CHECK(json["scenario"]["name"] == "sample");
}

TEST_CASE("the event table has a header and one line per event", "[report][csv]") {
  report::sample::Run run;
  report::StringSink sink;
  report::Output out(sink);
  report::write_events_csv(run.record.recorder, run.record.names, out);
  out.finish();
  std::istringstream lines(sink.text);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "time_ps,event,agent,object,a,b,c");
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    ++count;
    CHECK(std::count(line.begin(), line.end(), ',') == 6);
  }
  CHECK(count == run.record.recorder.size());
  CHECK(sink.text.find("30000000,signal_begin,gpu0.gfx0,app/frame,1,1,1\n") != std::string::npos);
}

TEST_CASE("a name with a comma or quote is quoted in the event table", "[report][csv]") {
  report::Names names;
  names.objects[static_cast<std::size_t>(common::ObjectKind::kThread)] = {"none", "a,\"b\""};
  report::Recorder recorder;
  recorder.on_event(common::entry_of(1, 0, event::ThreadStep{1, 2, 3}));
  report::StringSink sink;
  report::Output out(sink);
  report::write_events_csv(recorder, names, out);
  out.finish();
  CHECK(sink.text.find("1,thread_step,none,\"a,\"\"b\"\"\",2,3,0\n") != std::string::npos);
}

TEST_CASE("the story names the agent and the action and the fence", "[report][narrative]") {
  report::sample::Run run;
  const auto lines = report::tell(run.record.recorder, run.record.names, 1000);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  CHECK(all.find("30.000000 us  app/render begins signal 1: app/frame to 1") != std::string::npos);
  CHECK(all.find("app/main waits for app/frame to reach 1 (wait 1)") != std::string::npos);
  CHECK(all.find("MonitoredValue of app/frame to none") != std::string::npos);
  CHECK(all.find('$') == std::string::npos);
  CHECK(all.find('?') == std::string::npos);
}

TEST_CASE("a long story keeps its ends", "[report][narrative]") {
  report::sample::Run run(100);
  const auto lines = report::tell(run.record.recorder, run.record.names, 20);
  CHECK(lines.size() == 21);
  CHECK(lines[10].find("more lines") != std::string::npos);
  CHECK(lines.back().find("nothing is left") != std::string::npos);
}

TEST_CASE("a run folder takes its name only when committed", "[report][folder]") {
  Scratch scratch;
  const fs::path target = scratch.path / "deep" / "run";
  {
    report::RunFolder folder(target);
    folder.create("config.json")->close();
    CHECK_FALSE(fs::exists(target));
    CHECK(fs::exists(folder.hidden() / "config.json"));
  }
  CHECK(fs::is_empty(scratch.path / "deep"));  // not committed: nothing stays
  report::RunFolder folder(target.string() + "/");
  folder.create("config.json")->close();
  folder.commit();
  CHECK(fs::exists(target / "config.json"));
  CHECK(std::distance(fs::directory_iterator(target.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an existing folder is never overwritten silently", "[report][folder]") {
  Scratch scratch;
  const fs::path target = scratch.path / "run";
  fs::create_directory(target);
  CHECK_NOTHROW(report::RunFolder(target));  // empty: nothing to lose
  std::ofstream(target / "mine.txt") << "precious";
  CHECK_THROWS_AS(report::RunFolder(target), report::FolderError);
  CHECK_THROWS_AS(report::RunFolder(target, true), report::FolderError);  // no run wrote it
  CHECK(read(target / "mine.txt") == "precious");
  std::ofstream(target / "config.json") << "{}";  // many programs have such a file
  CHECK_THROWS_AS(report::RunFolder(target, true), report::FolderError);
  CHECK(read(target / "mine.txt") == "precious");
}

TEST_CASE("only files of a run are replaced and only on request", "[report][folder]") {
  Scratch scratch;
  const fs::path target = scratch.path / "run";
  const auto write = [&](bool replace, const char* text) {
    report::RunFolder folder(target, replace);
    folder.create("config.json")->write_whole(text);
    folder.commit();
  };
  write(false, "old");
  CHECK_THROWS_AS(write(false, "new"), report::FolderError);
  write(true, "new");
  CHECK(read(target / "config.json") == "new");
  CHECK(scratch.entries() == 1);
  std::ofstream(target / "mine.txt") << "precious";
  CHECK_THROWS_WITH(write(true, "bad"), Catch::Contains("mine.txt"));
  CHECK(read(target / "mine.txt") == "precious");
}

TEST_CASE("the next run removes the rest of a killed run", "[report][folder]") {
  Scratch scratch;
  const fs::path target = scratch.path / "run";
  report::RunFolder running(target);  // alive: stays
  fs::create_directory(scratch.path / ".run.partial-killed");
  std::ofstream(scratch.path / ".run.partial-killed" / "events.csv") << "x";
  fs::create_directory(scratch.path / ".other.partial-killed");
  const report::RunFolder folder(target);
  CHECK_FALSE(fs::exists(scratch.path / ".run.partial-killed"));
  CHECK(fs::exists(scratch.path / ".other.partial-killed"));
  CHECK(fs::exists(running.hidden()));
}

TEST_CASE("a folder that appears during the run is not replaced", "[report][folder]") {
  Scratch scratch;
  const fs::path target = scratch.path / "run";
  report::RunFolder folder(target);
  fs::create_directory(target);
  std::ofstream(target / "other.txt") << "other";
  CHECK_THROWS_AS(folder.commit(), report::FolderError);
  CHECK(read(target / "other.txt") == "other");
}

TEST_CASE("a file in the way of the folder is refused", "[report][folder]") {
  Scratch scratch;
  std::ofstream(scratch.path / "file") << "x";
  CHECK_THROWS_AS(report::RunFolder(scratch.path / "file"), report::FolderError);
  CHECK_THROWS_AS(report::RunFolder(scratch.path / "file" / "run"), report::FolderError);
}

TEST_CASE("a full disk is noticed while writing and while closing", "[report][folder]") {
  Scratch scratch;
  report::sample::Run run;
  for (const bool late : {false, true}) {
    for (const std::size_t room : {std::size_t{0}, std::size_t{100}, std::size_t{3000}}) {
      report::RunFolder folder(scratch.path / "run", false, [&](const fs::path&) {
        return std::make_unique<FullDisk>(room, late);
      });
      CHECK_THROWS_AS(
          report::write_run(run.report, run.record, report::TraceSet::all(), {}, folder),
          report::WriteError);
    }
  }
  CHECK(scratch.entries() == 0);
}

TEST_CASE("the full device is reported with its reason", "[report][folder]") {
  report::FileSink sink("/dev/full");
  report::Output out(sink);
  out.text("some bytes");
  CHECK_THROWS_WITH(out.finish(), Catch::Contains("/dev/full") && Catch::Contains("No space left"));
}

TEST_CASE("a file that is not finished is removed", "[report][folder]") {
  const Scratch scratch;
  for (const bool whole : {false, true}) {
    {
      report::FileSink sink(scratch.path / "page.html");
      sink.write("half", 4);
      if (whole) sink.close();
    }
    CHECK(fs::exists(scratch.path / "page.html") == whole);
  }
}

TEST_CASE("the same run writes the same bytes", "[report][determinism]") {
  Scratch scratch;
  for (const char* name : {"a", "b"}) {
    report::sample::Run run(5);
    run.report.exit_code = 1;
    report::RunFolder folder(scratch.path / name);
    report::write_run(run.report, run.record, report::TraceSet::all(), {{1.5, 0, 4096}, {}},
                      folder);
    folder.commit();
  }
  std::size_t files = 0;
  for (const auto& it : fs::directory_iterator(scratch.path / "a")) {
    const std::string name = it.path().filename().string();
    ++files;
    if (name == "host.json") continue;
    INFO(name);
    CHECK(fs::file_size(it.path()) > 0);
    CHECK(read(it.path()) == read(scratch.path / "b" / name));
  }
  CHECK(files >= 7);
}

}  // namespace fenceline::report_tests::test_files
