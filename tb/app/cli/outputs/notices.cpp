#include "tb/app/cli/outputs/notices.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tb/app/cli/outputs/output_places.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/junit.h"

namespace fenceline::cli {

namespace {

constexpr const char* kGitlabFile = "gl-code-quality-report.json";

std::string first_reason(const Outcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  return outcome.reasons.empty() ? outcome.verdict
                                 : outcome.verdict + ": " + outcome.reasons.front();
}

/// 64-bit FNV-1a over the identity of a finding, as GitLab requires.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string github_escaped(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

Notices::Notices(const Options& options) : options_(options) {
  if (!options.junit.empty()) check_output_file("--junit", options.junit);
  if (options.annotate == Annotate::kGitlab) check_output_file("--annotate gitlab", kGitlabFile);
}

void Notices::add(const Outcome& outcome, const Console& console) {
  if (!options_.junit.empty()) {
    suites_ += outcome.error.empty()
                   ? outcome.suite
                   : report::junit_suite(outcome.scenario,
                                         {{"run", "the run can be made", outcome.error}});
  }
  if (outcome.exit_code == kExitOk) return;
  if (options_.annotate == Annotate::kGithub)
    console.err << fmt::format("::error file={},title={}::{}\n", github_escaped(outcome.file, true),
                               github_escaped("fenceline: " + outcome.scenario, true),
                               github_escaped(first_reason(outcome), false));
  if (options_.annotate == Annotate::kGitlab) failed_.push_back(outcome);
}

void Notices::finish() const {
  if (!options_.junit.empty())
    report::FileSink(options_.junit).write_whole(report::junit_file(suites_));
  if (options_.annotate != Annotate::kGitlab) return;
  auto list = nlohmann::ordered_json::array();
  for (const Outcome& it : failed_)
    list.push_back({{"description", first_reason(it)},
                    {"check_name", "fenceline " + it.scenario},
                    {"fingerprint", fingerprint(it.file + it.scenario + first_reason(it))},
                    {"severity", "major"},
                    {"location", {{"path", it.file}, {"lines", {{"begin", 1}}}}}});
  report::FileSink(kGitlabFile)
      .write_whole(list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                   "\n");
}

}  // namespace fenceline::cli
