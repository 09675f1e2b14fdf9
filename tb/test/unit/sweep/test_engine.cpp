#include <catch2/catch.hpp>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tb/app/sweep/command.h"
#include "tb/app/sweep/engine.h"
#include "tb/app/sweep/shard_number.h"
#include "tb/app/sweep/work.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::sweep::test_engine {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// A folder that goes away.
struct Folder {
  void script(const std::string& name, const std::string& text) const {
    const fs::path file = path / name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    ::chmod(file.c_str(), 0755);
  }
  std::string text(const std::string& name) const {
    std::ifstream file(path / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fenceline::support::TempFolder path;
};

/// Programs of a folder come before those of the same names elsewhere.
struct Path {
  explicit Path(const fs::path& first) : before(std::getenv("PATH")) {
    ::setenv("PATH", (first.string() + ":" + before).c_str(), 1);
  }
  ~Path() { ::setenv("PATH", before.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  const std::string before;
};

Plan plan_of(std::uint64_t runs, std::uint64_t shards) {
  Plan plan;
  plan.name = "sample";
  plan.sweep.seeds = runs;
  plan.shards = shards;
  plan.job = "fenceline-test";
  return plan;
}

/// Tasks that begin when they are submitted, and of which some are lost.
class FakeEngine final : public Engine {
 public:
  FakeEngine(const Plan& plan, const WorkFolder& folder) : plan_(plan), folder_(folder) {}

  void submit(const Shards& shards) override {
    submitted.push_back(shards);
    if (refuse > 0 && refuse-- > 0) throw std::runtime_error("refused");
    for (const std::uint64_t shard : shards) {
      run::JournalWriter journal(folder_.journals(), "fake");
      std::size_t left = lose.count(shard) != 0 ? lose[shard] : SIZE_MAX;
      lose.erase(shard);
      for (const std::uint64_t run : runs_of(plan_, shard))
        if (left > 0 && left-- > 0) journal.add(run, pack(failed_row(run, 0, "pass", "")));
    }
  }
  std::optional<Shards> active() override {
    if (deaf || looks++ >= hears) return std::nullopt;
    return running;
  }
  std::string trouble() const override { return why; }
  void cancel() override { ++cancelled; }

  std::vector<Shards> submitted;
  std::map<std::uint64_t, std::size_t> lose;  ///< after so many runs
  Shards running;
  int refuse = 0;
  bool deaf = false;
  int looks = 0;
  int hears = INT_MAX;  ///< so many looks before it is deaf
  std::string why;
  int cancelled = 0;

 private:
  const Plan& plan_;
  const WorkFolder& folder_;
};

struct Led {
  Led(std::uint64_t runs, std::uint64_t shards)
      : plan(plan_of(runs, shards)), work(folder.path / "work"), engine(plan, work) {
    work.create(plan);
    options.poll = 1ms;
  }
  ShardedWork whole() const {
    return {plan.sweep.seeds, plan.shards, work.journals(), work.logs(), "go on with --resume"};
  }
  bool operator()() { return supervise(engine, whole(), options); }
  std::size_t rows() const {
    run::JournalIndex index(work.journals());
    index.update();
    return index.size();
  }

  Folder folder;
  Plan plan;
  WorkFolder work;
  FakeEngine engine;
  SupervisionOptions options;
};

}  // namespace

TEST_CASE("runs are dealt out to shards without one left or twice", "[sweep]") {
  const Plan plan = plan_of(10, 3);
  CHECK(runs_of(plan, 0) == std::vector<std::uint64_t>{0, 3, 6, 9});
  CHECK(runs_of(plan, 2) == std::vector<std::uint64_t>{2, 5, 8});
  CHECK(runs_of(plan, std::nullopt).size() == 10);
}

TEST_CASE("an engine is given every shard once", "[sweep]") {
  Led led(10, 4);
  CHECK(led());
  CHECK(led.engine.submitted == std::vector<Shards>{{0, 1, 2, 3}});
  CHECK(led.rows() == 10);
}

TEST_CASE("only shards without a worker are submitted again", "[sweep]") {
  Led led(12, 4);
  led.engine.lose = {{1, 1}, {3, 0}};
  CHECK(led());
  REQUIRE(led.engine.submitted.size() == 2);
  CHECK(led.engine.submitted[1] == Shards{1, 3});
  CHECK(led.rows() == 12);
}

TEST_CASE("runs in journals are not submitted", "[sweep]") {
  Led led(4, 4);
  {
    run::JournalWriter journal(led.work.journals(), "before");
    journal.add(2, pack(failed_row(2, 0, "pass", "")));
  }
  CHECK(led());
  CHECK(led.engine.submitted == std::vector<Shards>{{0, 1, 3}});
}

TEST_CASE("a shard that gets nowhere ends the sweep and one that goes on does not", "[sweep]") {
  Led stuck(4, 2);
  stuck.options.attempts = 3;
  struct Nowhere final : Engine {
    void submit(const Shards&) override { ++submits; }
    std::optional<Shards> active() override { return Shards{}; }
    void cancel() override {}
    int submits = 0;
  } nowhere;
  CHECK_THROWS_WITH(supervise(nowhere, stuck.whole(), stuck.options),
                    Catch::Contains("shard 0 was tried 3 times"));
  CHECK(nowhere.submits == 3);

  Led slow(40, 1);
  slow.options.attempts = 2;
  struct OneEach final : Engine {
    explicit OneEach(const WorkFolder& folder) : work(folder) {}
    void submit(const Shards&) override {
      run::JournalWriter journal(work.journals(), "one");
      journal.add(next, pack(failed_row(next, 0, "pass", "")));
      ++next;
    }
    std::optional<Shards> active() override { return Shards{}; }
    void cancel() override {}
    const WorkFolder& work;
    std::uint64_t next = 0;
  } each(slow.work);
  CHECK(supervise(each, slow.whole(), slow.options));
}

TEST_CASE("a scheduler that refuses or is silent for a while is asked again", "[sweep]") {
  Led led(4, 2);
  led.engine.refuse = 3;
  CHECK(led());
  CHECK(led.engine.submitted.size() == 4);

  Led refusing(4, 2);
  refusing.engine.refuse = 1000;
  CHECK_THROWS_WITH(refusing(), Catch::Contains("refused; go on with --resume"));

  Led silent(4, 2);
  silent.engine.deaf = true;
  silent.engine.why = "squeue: nobody there";
  CHECK_THROWS_WITH(silent(), Catch::Contains("does not say what runs (squeue: nobody there)"));
  CHECK(silent.engine.submitted.empty());

  Led lost(4, 2);
  lost.engine.running = {0, 1};
  lost.engine.hears = 1;
  lost.options.patience = 20ms;
  CHECK_THROWS_WITH(lost(), Catch::Contains("does not say what runs"));
  CHECK(lost.engine.looks > 2);
}

TEST_CASE("an interrupt cancels what was submitted", "[sweep]") {
  Led led(4, 2);
  led.engine.running = {0, 1};
  std::atomic<bool> interrupted{false};
  led.options.interrupted = &interrupted;
  led.options.progress = [&](std::uint64_t) { interrupted = true; };
  CHECK_FALSE(led());
  CHECK(led.engine.cancelled == 1);
}

TEST_CASE("slurm gets one array of the remaining shards", "[sweep]") {
  const Folder folder;
  const Path path(folder.path);
  folder.script("sbatch", "for a in \"$@\"; do echo \"$a\"; done >'" +
                              (folder.path / "said").string() + "'; echo 17\n");
  SlurmEngine::Options options;
  options.worker = {"'/usr/fence line/bin' sweep", "/work folder", 3};
  options.job = "fenceline-x";
  options.logs = "/my 50%A logs";  // Slurm takes %A for the number of a job
  options.at_once = 5;
  options.options = {"--partition=p"};
  SlurmEngine(options).submit({0, 1, 2, 5, 7, 8});
  CHECK(folder.text("said") ==
        "--parsable\n--no-requeue\n--job-name=fenceline-x\n--array=0-2,5,7-8%5\n"
        "--cpus-per-task=3\n--output=/my 50%%A logs/%A_%a.out\n--partition=p\n"
        "--wrap=exec '/usr/fence line/bin' sweep --worker '/work folder' --jobs 3 --no-progress\n");
}

TEST_CASE("slurm says which tasks may still run", "[sweep]") {
  const Folder folder;
  const Path path(folder.path);
  folder.script("squeue",
                "[ \"$4\" = --name=fenceline-x ] || exit 9\n"
                "printf '0 RUNNING\\n1 PENDING\\n2 COMPLETING\\n3 NODE_FAIL\\n4 CONFIGURING\\n"
                "3 RUNNING\\n5 CANCELLED\\n6 COMPLETED\\n7 TIMEOUT\\n8 SUSPENDED\\n'\n");
  SlurmEngine::Options options;
  options.job = "fenceline-x";
  SlurmEngine engine(options);
  CHECK(engine.active() == Shards{0, 1, 3, 4, 8});
  folder.script("squeue", "echo unreachable >&2; exit 1\n");
  CHECK_FALSE(engine.active().has_value());
  folder.script("squeue", "exec sleep 100\n");
  options.limit = 100ms;
  CHECK_FALSE(SlurmEngine(options).active().has_value());
}

TEST_CASE("a refusal of slurm is reported in its words", "[sweep]") {
  const Folder folder;
  const Path path(folder.path);
  folder.script("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1\n");
  CHECK_THROWS_WITH(SlurmEngine(SlurmEngine::Options{}).submit({1}),
                    Catch::Contains("exit code 1: sbatch: error: invalid partition"));
  folder.script("sbatch", "kill -9 $$\n");
  CHECK_THROWS(SlurmEngine(SlurmEngine::Options{}).submit({1}));
  CHECK(run_command({"/no/such/program"}, 1s).code == 127);
}

TEST_CASE("a command line is run for each shard and again where it fails", "[sweep]") {
  const Folder folder;
  Led led(6, 3);
  CommandEngine::Options options;
  options.worker = {"prog sweep", "dir", 2};
  options.shards = 3;
  options.logs = led.work.logs().string();
  options.at_once = 2;
  const std::string said = (folder.path / "said").string();
  const std::string tried = (folder.path / "tried").string();
  options.submit_template = "echo '{shard} of {shards} in {folder}: {worker}' >>" + said +
                            "; [ {shard} != 1 ] || [ -e " + tried + " ] || { touch " + tried +
                            "; exit 1; }";
  CommandEngine engine(options);
  const auto times = [&](const std::string& part) {
    const std::string all = folder.text("said");
    int count = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1))
      ++count;
    return count;
  };
  const auto line = [](const std::string& shard) {
    return shard + " of 3 in dir: prog sweep --worker dir --jobs 2 --no-progress --shard " + shard +
           "/3\n";
  };
  led.options.progress = [&](std::uint64_t) {
    // Whoever was asked to do it does it; the first time at shard 1 goes wrong.
    for (std::uint64_t run = 0; run < 6; ++run) {
      if (times(line(std::to_string(run % 3))) <= (run % 3 == 1 ? 1 : 0)) continue;
      run::JournalWriter journal(led.work.journals(), "done");
      journal.add(run, pack(failed_row(run, 0, "pass", "")));
    }
  };
  CHECK(supervise(engine, led.whole(), led.options));
  CHECK(led.rows() == 6);
  CHECK(times(line("0")) == 1);
  CHECK(times(line("1")) == 2);
  CHECK(times(line("2")) == 1);
}

TEST_CASE("the number of a shard comes from whichever scheduler says it", "[sweep]") {
  using Variables = std::map<std::string, std::string>;
  const auto from = [](const Variables& variables) {
    return shard_from(
        [&](const char* name) -> const char* {
          const auto it = variables.find(name);
          return it == variables.end() ? nullptr : it->second.c_str();
        },
        4);
  };
  CHECK(from({{"FENCELINE_SHARD", "3"}, {"FENCELINE_SHARDS", "4"}}) == 3);
  CHECK(from({{"SLURM_ARRAY_TASK_ID", "0"}}) == 0);
  CHECK(from({{"LSB_JOBINDEX", "1"}}) == 0);
  CHECK(from({{"LSB_JOBINDEX", "4"}}) == 3);
  CHECK(from({{"PBS_ARRAY_INDEX", "2"}}) == 2);
  CHECK(from({{"SGE_TASK_ID", "2"}}) == 1);
  CHECK(from({{"SGE_TASK_ID", "undefined"}, {"PBS_ARRAYID", "1"}}) == 1);
  CHECK(from({{"LSB_JOBINDEX", "0"}, {"FENCELINE_SHARD", "1"}}) == 1);
  CHECK_THROWS_WITH(from({}), Catch::Contains("which shard?"));
  CHECK_THROWS_WITH(from({{"SGE_TASK_ID", "5"}}), Catch::Contains("has 4 shards"));
  CHECK_THROWS_WITH(from({{"FENCELINE_SHARD", "x"}}), Catch::Contains("not a whole number"));
  CHECK_THROWS_WITH(from({{"FENCELINE_SHARD", "1"}, {"FENCELINE_SHARDS", "5"}}),
                    Catch::Contains("FENCELINE_SHARDS=5"));
  CHECK(parse_shard("2/4", 4) == 2);
  CHECK_THROWS(parse_shard("4/4", 4));
  CHECK_THROWS(parse_shard("1/5", 4));
  CHECK_THROWS(parse_shard("x/4", 4));
}

}  // namespace fenceline::sweep::test_engine
