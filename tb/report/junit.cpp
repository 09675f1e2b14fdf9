#include "tb/report/junit.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace fenceline::report {

namespace {

struct TestCase {
  std::string group;
  std::string name;
  std::string failure;  ///< empty: passed
  bool skipped = false;
};

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool may_break(const RunReport& report, const std::string& invariant) {
  if (report.scenario == nullptr) return false;
  return contains(report.scenario->expect.violations, invariant) ||
         contains(report.scenario->expect.may_violate, invariant);
}

TestCase run_case(const RunReport& report) {
  TestCase test{"run", "the run ends as expected", "", false};
  if (report.exit_code == 0) return test;
  test.failure = report.verdict;
  for (const std::string& reason : report.reasons) test.failure += "\n" + reason;
  for (const std::string& line : report.waiting) test.failure += "\n" + line;
  return test;
}

TestCase invariant_case(const RunReport& report, const check::Exercise& exercise) {
  TestCase test{"invariants", exercise.invariant + " " + exercise.name, "", exercise.checked == 0};
  if (exercise.broken == 0 || may_break(report, exercise.invariant)) return test;
  for (const check::Violation& it : report.violations) {
    if (it.invariant == exercise.invariant) test.failure += it.message + "\n";
  }
  if (test.failure.empty()) test.failure = fmt::format("broken {} times", exercise.broken);
  return test;
}

std::vector<TestCase> cases_of(const RunReport& report) {
  std::vector<TestCase> cases{run_case(report)};
  for (const Expected& it : report.expected) {
    const std::string failure = it.holds ? "" : fmt::format("{}: found {}", it.text, it.found);
    cases.push_back({"expect", fmt::format("{} ({})", it.text, it.pointer), failure, false});
  }
  for (const check::Exercise& it : report.exercised) cases.push_back(invariant_case(report, it));
  return cases;
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return result;
}

std::string junit_xml(const RunReport& report) {
  const std::string suite =
      xml_escaped(report.scenario == nullptr ? "scenario" : report.scenario->name);
  const std::vector<TestCase> cases = cases_of(report);
  const auto failures = std::count_if(cases.begin(), cases.end(),
                                      [](const TestCase& it) { return !it.failure.empty(); });
  const auto skipped =
      std::count_if(cases.begin(), cases.end(), [](const TestCase& it) { return it.skipped; });
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" skipped=\"{}\"", cases.size(), failures, skipped);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" "
      "{0} errors=\"0\">\n",
      counts, suite);
  for (const TestCase& it : cases) {
    xml += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"", suite, it.group,
                       xml_escaped(it.name));
    if (!it.failure.empty()) {
      xml += fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                         xml_escaped(it.failure));
    } else if (it.skipped) {
      xml += ">\n      <skipped message=\"never put to the test\"/>\n    </testcase>\n";
    } else {
      xml += "/>\n";
    }
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace fenceline::report
