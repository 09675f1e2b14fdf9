#include "tb/explore/story/exploration_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "fenceline_version.h"
#include "tb/explore/story/story.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::explore {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kOwnFault =
    "fenceline itself crashes, or does not come to an end, in some order";

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json head(const scenario::Scenario& scenario) {
  return {{"format", 1},
          {"program", "fenceline"},
          {"version", FENCELINE_VERSION},
          {"scenario", scenario.name},
          {"title", scenario.title},
          {"covers", scenario.covers}};
}

Json bounds_json(const Bounds& bounds) {
  Json json = Json::object();
  for (const Bounds::Bound& it : bounds.most) json[it.name] = it.most;
  json["steps"] = common::grain_name(bounds.steps);
  return json;
}

const char* steps_meaning(common::Grain steps) {
  switch (steps) {
    case common::Grain::kCoarse:
      return "size of the steps of threads: neither their begin nor their use of shared data";
    case common::Grain::kShared:
      return "size of the steps of threads: each use of shared data; threads compete for the core "
             "that takes interrupts";
    case common::Grain::kAll:
      break;
  }
  return "size of the steps of threads: each use of shared data; threads never compete for a core";
}

/// The meaning of each bound.
Json bounds_meanings(const Bounds& bounds) {
  Json json = Json::object();
  for (const Bounds::Bound& it : bounds.most) json[it.name] = it.meaning;
  json["steps"] = steps_meaning(bounds.steps);
  return json;
}

Json operation(const scenario::OperationRef& it) {
  return {{"agent", it.agent}, {"op", it.op}, {"nth", it.nth}};
}

Json ordered(const OrderedSteps& steps) {
  return {{"first", steps.first}, {"second", steps.second}};
}

Json story_json(const Counterexample& found) {
  Json list = Json::array();
  for (std::size_t i = 0; i < found.story.size(); ++i) {
    const StoryLine& line = found.story[i];
    list.push_back({{"step", line.step},
                    {"agent", line.agent},
                    {"op", line.operation},
                    {"text", line.text},
                    {"held", line.held}});
    if (line.decides) list.back()["decides"] = true;
    if (const OmittedSteps omitted = found.omitted_before(i); omitted.count != 0)
      list.back()["omitted_before"] = omitted_text(omitted);
  }
  return list;
}

/// Steps that have no line in the story.
Json omitted_json(const Counterexample& found) {
  Json list = Json::array();
  auto line = found.story.begin();
  const std::size_t count = found.story.empty() ? 0 : std::min(found.told.size(), found.steps);
  for (std::size_t i = 0; i < count; ++i) {
    while (line != found.story.end() && line->step < i + 1) ++line;
    if (line != found.story.end() && line->step == i + 1) continue;
    list.push_back({{"step", i + 1}, {"agent", found.trace[i]}, {"text", found.told[i]}});
  }
  return list;
}

Json violation(const Counterexample& found) {
  Json json{{"invariant", found.violation.invariant},
            {"name", found.violation.name},
            {"message", found.violation.message},
            {"execution", found.execution},
            {"steps", found.steps}};
  if (const OtherFinding* other = other_finding(found.violation.invariant))
    json["meaning"] = other->meaning;
  json["holds"] = Json::array();
  for (std::size_t i = 0; i < found.holds.size(); ++i) {
    const scenario::Hold& hold = found.holds[i];
    json["holds"].push_back(
        {{"hold", operation(hold.operation)}, {"until", operation(hold.until)}});
    if (i < found.held.size()) json["holds"].back()["steps"] = ordered(found.held[i]);
  }
  json["timed_holds"] = Json::array();
  for (const scenario::Hold& hold : found.timed_holds)
    json["timed_holds"].push_back(
        {{"hold", operation(hold.operation)}, {"until", operation(hold.until)}});
  json["replays"] = found.replays;
  json["breaks_eagerly"] = found.eager;
  json["breaks_in_time"] = found.timed;
  if (found.inevitable != 0) json["inevitable_after_step"] = found.inevitable;
  if (found.decisive.first != 0) json["decided_by"] = ordered(found.decisive);
  json["why"] = found.why;
  json["prevented_by"] = found.prevented_by;
  json["prevented_by_meanings"] = Json::array();
  for (const std::string& value : found.prevented_by)
    json["prevented_by_meanings"].push_back(meaning_of_value(value));
  json["mechanisms"] = found.mechanisms;
  if (!found.not_prevented.empty()) json["not_prevented"] = found.not_prevented;
  json["story"] = story_json(found);
  json["omitted_steps"] = omitted_json(found);
  if (!found.at_end.empty()) json["at_end"] = found.at_end;
  const OmittedSteps behind = found.omitted_before(found.story.size());
  if (!found.story.empty() && behind.count != 0) json["omitted_behind"] = omitted_text(behind);
  return json;
}

Counterexample without_story(Counterexample found) {
  found.story.clear();
  found.told.clear();
  found.at_end.clear();
  found.holds.clear();
  found.held.clear();
  found.why.resize(std::min<std::size_t>(found.why.size(), 1));  // the message
  return found;
}

/// Ways of choices by operation. Operations that no scenario may choose are left out.
Json ways_json(const Coverage& coverage) {
  Json list = Json::array();
  for (std::size_t i = 0; i < common::kOperationCount; ++i) {
    const auto operation = static_cast<common::Operation>(i);
    if (operation == common::Operation::kIdle || operation == common::Operation::kAny) continue;
    const Coverage::Ways& ways = coverage.ways[i];
    list.push_back({{"op", common::operation_name(operation)},
                    {"does", meaning_of(operation)},
                    {"offered", ways.offered},
                    {"taken", ways.taken}});
  }
  return list;
}

std::string meaning_of_verdict(const Exploration& exploration) {
  switch (exploration.verdict) {
    case Verdict::kProved:
      return "No order within the bounds breaks an invariant, leaves an agent stuck or stops the "
             "machine. All orders were searched.";
    case Verdict::kIncomplete:
      return "The search gave up and found nothing. This proves nothing.";
    case Verdict::kVacuous:
      return "No run ends within the bounds. Nothing was proved.";
    case Verdict::kViolated:
      break;
  }
  bool breaks = false;
  std::set<std::string> others;
  for (const Counterexample& it : exploration.counterexamples) {
    const OtherFinding* other = other_finding(it.violation.invariant);
    breaks |= other == nullptr;
    if (other != nullptr) others.insert(other->meaning);
  }
  if (breaks) others.insert("Some order breaks an invariant.");
  return fmt::format("{} Each finding has a counterexample with the fewest fixed orders.",
                     fmt::join(others, " "));
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// A hanging scenario may only have a wait for a value that is never signalled, which is no
/// violation.
std::vector<Verdict> expected_verdicts(const scenario::Expectations& expect) {
  if (expect.verdict) return {*expect.verdict};
  if (!expect.violations.empty()) return {Verdict::kViolated};
  if (expect.outcome == scenario::Outcome::kCompletes) return {Verdict::kProved};
  if (expect.outcome == scenario::Outcome::kHang) return {Verdict::kProved, Verdict::kViolated};
  return {Verdict::kViolated};
}

/// Difference between the ends of the runs and the expected outcome; empty if there is none.
std::string wrong_outcome(const scenario::Expectations& expect, const Exploration& exploration) {
  const SearchReport& search = exploration.search;
  if (!expect.violations.empty() || exploration.verdict == Verdict::kViolated) return {};
  if (expect.outcome == scenario::Outcome::kCompletes && search.waits)
    return "in some order somebody waits for a value that no signal leaves behind";
  if (expect.outcome == scenario::Outcome::kHang && search.complete && !search.waits)
    return "somebody was to be left waiting in some order, and is in none";
  return {};
}

}  // namespace

bool may_find(const scenario::Expectations& expect, const std::string& finding) {
  if (finding == kHang) return expect.may_end(scenario::Outcome::kHang);
  if (finding == kBugCheck) return expect.may_end(scenario::Outcome::kBugCheck);
  return expect.may_break(finding);
}

Judgement judge(const scenario::Scenario& scenario, const Exploration& exploration) {
  const scenario::Expectations& expect = scenario.expect;
  const std::vector<Verdict> wanted = expected_verdicts(expect);
  Judgement judgement;
  std::vector<std::string> found;
  for (const Counterexample& it : exploration.counterexamples) {
    found.push_back(it.violation.invariant);
    if (!may_find(expect, it.violation.invariant))
      judgement.reasons.push_back(title_of(it.violation) + ": " + in_steps(it.violation.message));
  }
  for (const std::string& invariant : expect.violations)
    if (exploration.search.complete && !contains(found, invariant))
      judgement.reasons.push_back(invariant + " was to break in some order, and breaks in none");
  if (std::find(wanted.begin(), wanted.end(), exploration.verdict) == wanted.end())
    judgement.reasons.push_back(fmt::format("expected {}; found {}", verdict_name(wanted.front()),
                                            verdict_name(exploration.verdict)));
  const bool broken = !judgement.reasons.empty();
  if (const std::string wrong = wrong_outcome(expect, exploration); !wrong.empty())
    judgement.reasons.push_back(wrong);
  if (exploration.search.own_fault) judgement.reasons.emplace_back(kOwnFault);
  judgement.as_expected = judgement.reasons.empty();
  if (judgement.as_expected) return judgement;
  const bool open =
      exploration.verdict == Verdict::kIncomplete || exploration.verdict == Verdict::kVacuous;
  judgement.exit_code = exploration.search.own_fault ? 4 : open ? 5 : broken ? 1 : 3;
  return judgement;
}

Judgement judge(const Matrix& matrix) {
  Judgement judgement;
  for (const MatrixRow& row : matrix.rows) {
    const bool crashed = contains(row.broken, kCrash) || contains(row.broken, kEndlessLoop);
    if (!row.own_fault && !crashed) continue;
    judgement.reasons = {row.own_fault
                             ? kOwnFault
                             : "the driver crashes, or does not come to an end, with some "
                               "of the subsets"};
    judgement.exit_code = row.own_fault ? 4 : 1;
    if (row.own_fault) break;
  }
  judgement.as_expected = judgement.reasons.empty();
  return judgement;
}

std::string exploration_json(const scenario::Scenario& scenario, const Exploration& exploration,
                             const Judgement& judgement) {
  Json json = head(scenario);
  json["verdict"] = verdict_name(exploration.verdict);
  json["verdict_meaning"] = meaning_of_verdict(exploration);
  json["as_expected"] = judgement.as_expected;
  json["exit_code"] = judgement.exit_code;
  json["reasons"] = judgement.reasons;
  json["bounds"] = bounds_json(exploration.bounds);
  json["bounds_meanings"] = bounds_meanings(exploration.bounds);
  const SearchReport& search = exploration.search;
  json["search"] = strategy_name(search.strategy);
  json["complete"] = search.complete;
  if (!search.why_incomplete.empty()) json["why_incomplete"] = search.why_incomplete;
  json["states"] = search.states;
  json["executions"] = search.executions;
  json["executions_meanings"] = Json::object();
  for (const ExecutionEnd& it : kExecutionEnds) {
    json[it.key] = search.*it.count;
    json["executions_meanings"][it.key] = it.meaning;
  }
  json["outcomes"] = {{"completes", search.completes}, {"waits", search.waits}};
  json["steps"] = search.steps;
  json["longest_run"] = search.deepest;
  json["most_choices"] = search.choices;
  json["restarts"] = search.restarts;
  json["random_priority_runs"] = search.fallback;
  json["races"] = Json::array();
  for (const auto& [pair, wins] : search.coverage.races)
    json["races"].push_back({{"first", pair.first},
                             {"second", pair.second},
                             {"first_won", wins.first},
                             {"second_won", wins.second}});
  json["ways"] = ways_json(search.coverage);
  json["tested"] = Json::array();
  for (std::size_t i = 0; i < check::kInvariantCount; ++i)
    json["tested"].push_back({{"invariant", check::all_invariants()[i].id},
                              {"name", check::all_invariants()[i].name},
                              {"runs", search.coverage.tested[i]}});
  json["violations"] = Json::array();
  for (const Counterexample& found : exploration.counterexamples)
    json["violations"].push_back(violation(found));
  return text_of(json);
}

std::string matrix_json(const scenario::Scenario& scenario, const Matrix& matrix) {
  Json json = head(scenario);
  const auto names = [&](std::uint32_t set) {
    Json list = Json::array();
    for (std::size_t i = 0; i < matrix.mechanisms.size(); ++i)
      if ((set >> i & 1U) != 0) list.push_back(matrix.mechanisms[i].name);
    return list;
  };
  json["mechanisms"] = Json::array();
  for (const Mechanism& it : matrix.mechanisms)
    json["mechanisms"].push_back({{"name", it.name},
                                  {"on", scenario::json_tree<Json>(it.on)},
                                  {"off", scenario::json_tree<Json>(it.off)},
                                  {"on_means", it.on_means},
                                  {"off_means", it.off_means}});
  json["sufficient"] = Json::array();
  for (const std::uint32_t set : matrix.sufficient) json["sufficient"].push_back(names(set));
  json["bounds"] = bounds_json(matrix.bounds);
  json["not_exercised"] = names(matrix.not_exercised);
  json["backups"] = Json::array();
  for (const std::uint32_t set : matrix.backups) json["backups"].push_back(names(set));
  json["rows"] = Json::array();
  for (const MatrixRow& row : matrix.rows)
    json["rows"].push_back({{"on", names(row.on)},
                            {"verdict", verdict_name(row.verdict)},
                            {"violations", row.broken},
                            {"executions", row.executions}});
  return text_of(json);
}

std::string counterexamples_json(const Matrix& matrix, std::size_t stories) {
  std::vector<bool> told(matrix.rows.size());
  const auto tell = [&](std::size_t row) {
    if (stories == 0 || told[row] || !matrix.rows[row].counterexample) return;
    told[row] = true;
    --stories;
  };
  for (const std::uint32_t off : matrix.backups) tell((matrix.rows.size() - 1) & ~off);
  for (std::size_t row = 0; row < told.size(); ++row) tell(row);
  Json list = Json::array();
  for (std::size_t row = 0; row < told.size(); ++row) {
    const auto& found = matrix.rows[row].counterexample;
    list.push_back(!found ? Json() : violation(told[row] ? *found : without_story(*found)));
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fenceline::explore
