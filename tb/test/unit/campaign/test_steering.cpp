// Campaigns collect coverage, and it steers them.
#include <atomic>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

#include "tb/campaign/campaign.h"
#include "tb/coverage/table.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::campaign::test_steering {

namespace {

namespace support = fenceline::support;

/// A thread sleeps, or computes once something has been covered.
class Steered {
 public:
  explicit Steered(const support::TempFolder& folder) {
    options.journals = folder.path();
    options.runs = 140;  // the second batch begins with run 128
    options.jobs = 2;
    options.settings.covers = true;
    options.generate = [this](std::uint64_t seed) { return text(seed); };
    options.steer = [this](const coverage::Table& so_far) { known = so_far.runs(); };
  }

  CampaignOptions options;
  std::uint64_t known = 0;  ///< runs before the batch

 private:
  std::string text(std::uint64_t seed) const {
    return fmt::format(
        R"({{"schema_version": 1, "name": "g{}", "title": "t",
            "platform": {{"host": {{"cores": 2}},
                          "adapters": [{{"name": "gpu0", "profile": "litmus"}}]}},
            "processes": [{{"name": "app"}}],
            "programs": [{{"thread": "t", "steps": [{{"{}": "1us"}}]}}], "expect": {{}}}})",
        seed, known == 0 ? "delay" : "compute");
  }
};

std::uint64_t runs_with(const Totals& totals, const char* step) {
  const auto point = coverage::Space::all().find(coverage::Group::kStep, step);
  REQUIRE(point);
  return totals.coverage.runs_of(*point);
}

}  // namespace

TEST_CASE("a batch is steered by the coverage of the runs before it", "[campaign][coverage]") {
  const support::TempFolder folder;
  Steered steered(folder);
  const Totals totals = run_campaign(steered.options);
  CHECK(totals.coverage.runs() == 140);
  CHECK(runs_with(totals, "delay") == 128);
  CHECK(runs_with(totals, "compute") == 12);
  CHECK(steered.known == 128);
}

TEST_CASE("a steered campaign that was interrupted ends with the same coverage",
          "[campaign][coverage]") {
  const support::TempFolder whole_folder;
  Steered whole(whole_folder);
  const std::string expected = coverage::table_json(run_campaign(whole.options).coverage);
  const support::TempFolder folder;
  Steered half(folder);
  std::atomic<bool> stop{false};
  half.options.interrupted = &stop;
  half.options.progress = [&](std::uint64_t runs) { stop = runs >= 40; };
  CHECK_FALSE(run_campaign(half.options).complete);
  Steered rest(folder);
  const Totals totals = run_campaign(rest.options);
  CHECK(totals.complete);
  CHECK(coverage::table_json(totals.coverage) == expected);
}

TEST_CASE("a campaign without coverage collects nothing", "[campaign][coverage]") {
  const support::TempFolder folder;
  Steered steered(folder);
  steered.options.settings.covers = false;
  steered.options.runs = 2;
  CHECK(run_campaign(steered.options).coverage.runs() == 0);
}

}  // namespace fenceline::campaign::test_steering
