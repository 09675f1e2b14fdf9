// Text output of explorations and matrices.
#include <algorithm>
#include <fmt/format.h>

#include "tb/explore/story/exploration_json.h"
#include "tb/explore/story/story.h"

namespace fenceline::explore {

namespace {

std::string operation_text(const scenario::OperationRef& it) {
  return fmt::format("{} {} #{}", it.agent, it.op, it.nth);
}

/// The story's sentence about a step, with the agent as its subject: the one that decides, else the
/// first.
std::string step_text(const Counterexample& found, std::size_t step) {
  std::string text;
  for (const StoryLine& line : found.story)
    if (line.step == step && (text.empty() || line.decides))
      text = with_agent(line.agent, line.text);
  return text;
}

/// "step 9 (gpu0.cmp reads CurrentValue 0 of F)".
std::string numbered_text(const Counterexample& found, std::size_t step) {
  const std::string text = step_text(found, step);
  return fmt::format("step {}{}", step, text.empty() ? "" : " (" + text + ")");
}

/// The order of two steps that decides the violation, or the step from which on it is inevitable.
std::string decisive_text(const Counterexample& found) {
  if (found.inevitable == 0) return {};
  if (found.decisive.first == 0)
    return fmt::format("  From {} on, every order breaks it.\n",
                       numbered_text(found, found.inevitable));
  return fmt::format(
      "  It is decided by this order: {} comes before {}. From step {} on, every "
      "order breaks it.\n",
      numbered_text(found, found.decisive.first), numbered_text(found, found.decisive.second),
      found.inevitable);
}

/// The switches that would prevent it, each of them alone.
std::string cures_text(const Counterexample& found) {
  if (found.prevented_by.empty()) return {};
  return fmt::format("  {}: {}\n",
                     found.prevented_by.size() == 1 ? "would be prevented by"
                                                    : "each of these alone would prevent it",
                     fmt::join(found.prevented_by, ", "));
}

std::string counterexample_text(const Counterexample& found) {
  std::string text = "\n" + title_of(found.violation) + "\n";
  if (const OtherFinding* other = other_finding(found.violation.invariant))
    text += fmt::format("  {}\n", other->meaning);
  for (std::size_t i = 0; i < found.why.size(); ++i)
    text += "  " + found.why[i] + "\n" + (i == 0 ? decisive_text(found) : "");
  for (std::size_t i = 0; i < found.holds.size(); ++i)
    text +=
        fmt::format("  hold: {} waits until {} (step {} after step {})\n",
                    operation_text(found.holds[i].operation), operation_text(found.holds[i].until),
                    found.held[i].second, found.held[i].first);
  if (!found.why.empty())
    text += fmt::format("  {} steps, {} replays; breaks {}\n", found.steps, found.replays,
                        found.timed   ? fmt::format("on the cycle timeline too, under {} holds",
                                                    found.timed_holds.size())
                        : found.eager ? std::string("under these holds, without time")
                                      : std::string("in the recorded order only"));
  text += cures_text(found);
  for (const std::string& mechanism : found.mechanisms)
    text += fmt::format("  what lets it happen: {}\n", mechanism);
  if (!found.not_prevented.empty())
    text += fmt::format("  would be prevented by: {}\n", found.not_prevented);
  if (!found.story.empty()) text += "\n" + swim_lanes(found);
  return text;
}

/// Freedoms that the search met: steps that could be taken at a choice, by operation.
std::string ways_text(const Coverage& met) {
  std::string list;
  std::uint64_t offered = 0;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < met.ways.size(); ++i) {
    const Coverage::Ways& ways = met.ways[i];
    if (ways.offered == 0) continue;
    offered += ways.offered;
    taken += ways.taken;
    list += fmt::format("{}{} {} of {}", list.empty() ? "" : ", ",
                        common::operation_name(static_cast<common::Operation>(i)), ways.taken,
                        ways.offered);
  }
  if (offered == 0) return "  ways: no choice between steps was met\n";
  return fmt::format("  ways: {} of {} steps offered at choices were taken ({})\n", taken, offered,
                     list);
}

/// Coverage of the runs: pairs of steps seen in one order or both, and tested invariants.
std::string coverage_text(const SearchReport& search) {
  constexpr std::size_t kNamed = 3;
  const Coverage& met = search.coverage;
  const std::size_t one_way = met.races.size() - met.both_ways();
  std::string text = fmt::format("  races: {} pairs of steps, {} met both ways", met.races.size(),
                                 met.both_ways());
  if (one_way > 0) text += fmt::format(", {} one way only", one_way);
  text += "\n";
  std::size_t named = 0;
  for (const auto& [pair, wins] : met.races) {
    if (wins.both() || named == kNamed) continue;
    ++named;
    text += fmt::format("    only {} before {}\n", wins.first > 0 ? pair.first : pair.second,
                        wins.first > 0 ? pair.second : pair.first);
  }
  if (one_way > kNamed) text += fmt::format("    and {} more in result.json\n", one_way - kNamed);
  std::string never;
  std::size_t tested = 0;
  for (std::size_t i = 0; i < check::kInvariantCount; ++i) {
    if (met.tested[i] > 0)
      ++tested;
    else
      never += fmt::format("{}{}", never.empty() ? "" : " ", check::all_invariants()[i].id);
  }
  return text + ways_text(met) +
         fmt::format("  invariants: {} put to the test{}{}\n", tested,
                     never.empty() ? "" : ", never ", never);
}

/// How the executions ended.
std::string ends_text(const SearchReport& search) {
  std::string text;
  for (const ExecutionEnd& it : kExecutionEnds)
    if (search.*it.count != 0) text += fmt::format("    {:>8} {}\n", search.*it.count, it.meaning);
  return "  executions, by their end:\n" + text;
}

std::string set_text(const Matrix& matrix, std::uint32_t set) {
  std::string text;
  for (std::size_t i = 0; i < matrix.mechanisms.size(); ++i)
    if ((set >> i & 1U) != 0) text += (text.empty() ? "" : " + ") + matrix.mechanisms[i].name;
  return text.empty() ? "nothing" : text;
}

/// Draws the fields of a matrix: the first mechanisms along the top, the others down the side.
class MatrixPicture {
 public:
  explicit MatrixPicture(const Matrix& matrix)
      : matrix_(matrix),
        rows_(static_cast<int>(matrix.mechanisms.size() / 2)),
        columns_(static_cast<int>(matrix.mechanisms.size()) - rows_),
        left_(190 + rows_ * kBit),
        top_(60 + columns_ * kBit) {}

  std::string svg(const std::string& title) {
    const int width = std::max(left_ + (1 << columns_) * kField + 20, 640);
    const int height = top_ + (1 << rows_) * kField + 50 + rows_ * kBit;
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n<text x=\"12\" y=\"24\" font-size=\"15\">{2}</text>\n",
        width, height, title);
    draw_bars();
    for (const MatrixRow& row : matrix_.rows) draw_field(row);
    svg_ += fmt::format(
        "<text x=\"12\" y=\"{}\">green: PROVED, red: VIOLATED, grey: INCOMPLETE; a dot marks a "
        "smallest sufficient set; a bar says that the mechanism is there</text>\n</svg>\n",
        height - 10);
    return svg_;
  }

 private:
  static constexpr int kField = 26;
  static constexpr int kBit = 12;

  void rect(int x, int y, int w, int h, const char* fill, const std::string& title) {
    svg_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
        x, y, w, h, fill, title);
  }

  void draw_bars() {
    for (int bit = 0; bit < columns_; ++bit) {
      const int y = top_ - 6 - (bit + 1) * kBit;
      svg_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left_ - 8,
                          y + 9, matrix_.mechanisms[static_cast<std::size_t>(bit)].name);
      for (int c = 0; c < 1 << columns_; ++c)
        if ((c >> bit & 1) != 0) rect(left_ + c * kField, y, kField - 2, kBit - 3, kBar, "on");
    }
    for (int bit = 0; bit < rows_; ++bit) {
      const int x = left_ - 6 - (bit + 1) * kBit;
      svg_ += fmt::format(
          "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} (bar {})</text>\n", left_ - 14,
          top_ + (1 << rows_) * kField + 14 + bit * kBit,
          matrix_.mechanisms[static_cast<std::size_t>(columns_) + static_cast<std::size_t>(bit)]
              .name,
          rows_ - bit);
      for (int r = 0; r < 1 << rows_; ++r)
        if ((r >> bit & 1) != 0) rect(x, top_ + r * kField, kBit - 3, kField - 2, kBar, "on");
    }
  }

  void draw_field(const MatrixRow& row) {
    const int x = left_ + static_cast<int>(row.on & ((1U << columns_) - 1)) * kField;
    const int y = top_ + static_cast<int>(row.on >> columns_) * kField;
    rect(x, y, kField - 2, kField - 2, colour(row.verdict),
         fmt::format("{}: {} {}", set_text(matrix_, row.on), verdict_name(row.verdict),
                     fmt::join(row.broken, " ")));
    const auto& best = matrix_.sufficient;
    if (std::find(best.begin(), best.end(), row.on) != best.end())
      svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"white\"/>\n",
                          x + kField / 2 - 1, y + kField / 2 - 1);
  }

  static const char* colour(Verdict verdict) {
    return verdict == Verdict::kProved     ? "#4c9f70"
           : verdict == Verdict::kViolated ? "#d1495b"
                                           : "#bbbbbb";
  }

  static constexpr const char* kBar = "#335c81";
  const Matrix& matrix_;
  const int rows_;
  const int columns_;
  const int left_;
  const int top_;
  std::string svg_;
};

}  // namespace

std::string exploration_text(const scenario::Scenario& scenario, const Exploration& exploration,
                             const Judgement& judgement) {
  const SearchReport& search = exploration.search;
  std::string text = fmt::format("{}  {}{}\n", verdict_name(exploration.verdict), scenario.name,
                                 judgement.as_expected ? "" : "  NOT AS EXPECTED");
  text += fmt::format("  for {}; {} states, {} executions, longest run {} steps, {} choices\n",
                      exploration.bounds.text(), search.states, search.executions, search.deepest,
                      search.choices);
  if (search.strategy != Strategy::kSystematic)
    text += fmt::format("  incomplete: {}, here by --search {}\n", search.why_incomplete,
                        strategy_name(search.strategy));
  else if (!search.why_incomplete.empty())
    text += fmt::format("  incomplete: {}; then {} runs with random priorities\n",
                        search.why_incomplete, search.fallback);
  if (exploration.verdict == Verdict::kVacuous)
    text += search.beyond != 0 ? "  vacuous: every run goes beyond the bounds before its end\n"
                               : "  vacuous: the bounds leave no program\n";
  if (search.waits)
    text +=
        fmt::format("  {} runs end with somebody waiting for a value that no signal left behind\n",
                    search.completes ? "some" : "all");
  text += ends_text(search) + coverage_text(search);
  for (const std::string& reason : judgement.reasons) text += "  " + reason + "\n";
  for (const Counterexample& found : exploration.counterexamples)
    text += counterexample_text(found);
  return text;
}

std::string matrix_text(const Matrix& matrix) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(matrix.rows.begin(), matrix.rows.end(),
                         [=](const MatrixRow& row) { return row.verdict == verdict; });
  };
  std::string text =
      fmt::format("{} subsets of {} mechanisms: {} PROVED, {} VIOLATED, {} INCOMPLETE",
                  matrix.rows.size(), matrix.mechanisms.size(), count(Verdict::kProved),
                  count(Verdict::kViolated), count(Verdict::kIncomplete));
  if (count(Verdict::kVacuous) != 0) text += fmt::format(", {} VACUOUS", count(Verdict::kVacuous));
  text += fmt::format("\nfor {}\n", matrix.bounds.text());
  text += "smallest sets that suffice:\n";
  for (const std::uint32_t set : matrix.sufficient) text += "  " + set_text(matrix, set) + "\n";
  if (matrix.sufficient.empty()) text += "  none\n";
  text += "must not be left out (together, where several are named: they back each other up):\n";
  for (const std::uint32_t set : matrix.backups) text += "  " + set_text(matrix, set) + "\n";
  if (matrix.backups.empty()) text += "  none\n";
  if (matrix.not_exercised != 0) {
    text += "not exercised (every search is the same with them and without):\n";
    for (std::size_t i = 0; i < matrix.mechanisms.size(); ++i)
      if ((matrix.not_exercised >> i & 1U) != 0) text += "  " + matrix.mechanisms[i].name + "\n";
  }
  return text;
}

std::string matrix_svg(const scenario::Scenario& scenario, const Matrix& matrix) {
  return MatrixPicture(matrix).svg(scenario.name + ": which mechanisms suffice");
}

}  // namespace fenceline::explore
