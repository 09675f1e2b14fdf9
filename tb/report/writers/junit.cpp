#include "tb/report/writers/junit.h"

#include <fmt/format.h>
#include <vector>

namespace fenceline::report {

namespace {

bool may_break(const RunReport& report, const std::string& invariant) {
  return report.scenario != nullptr && report.scenario->expect.may_break(invariant);
}

TestCase run_case(const RunReport& report) {
  TestCase test{"run", "the run ends as expected", ""};
  if (report.exit_code == 0) return test;
  test.failure = report.verdict;
  for (const std::string& reason : report.reasons) test.failure += "\n" + reason;
  for (const std::string& line : report.waiting) test.failure += "\n" + line;
  return test;
}

TestCase invariant_case(const RunReport& report, const check::Exercise& exercise) {
  TestCase test{"invariants", exercise.invariant + " " + exercise.name, ""};
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
    cases.push_back({"expect", fmt::format("{} ({})", it.text, it.pointer), failure});
  }
  for (const check::Exercise& it : report.exercised)
    if (it.checked != 0 || it.broken != 0) cases.push_back(invariant_case(report, it));
  return cases;
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // U+FFFE and U+FFFF are characters of UTF-8 and none of XML.
    if (text.compare(i, 3, "\xEF\xBF\xBE") == 0 || text.compare(i, 3, "\xEF\xBF\xBF") == 0) {
      result += '?';
      i += 2;
      continue;
    }
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

std::string junit_suite(const std::string& name, const std::vector<TestCase>& cases,
                        const std::string& seconds,
                        const std::vector<std::pair<std::string, std::string>>& properties) {
  const std::string suite = xml_escaped(name);
  const auto failures = std::count_if(cases.begin(), cases.end(),
                                      [](const TestCase& it) { return !it.failure.empty(); });
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\"{}>\n", suite,
      cases.size(), failures, seconds.empty() ? "" : fmt::format(" time=\"{}\"", seconds));
  if (!properties.empty()) {
    xml += "    <properties>\n";
    for (const auto& [key, value] : properties)
      xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escaped(key),
                         xml_escaped(value));
    xml += "    </properties>\n";
  }
  for (const TestCase& it : cases) {
    xml += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"", suite, it.group,
                       xml_escaped(it.name));
    xml += it.failure.empty() ? "/>\n"
                              : fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                                            xml_escaped(it.failure));
  }
  return xml + "  </testsuite>\n";
}

std::string junit_suite(const RunReport& report) {
  return junit_suite(report.scenario == nullptr ? "scenario" : report.scenario->name,
                     cases_of(report));
}

std::string junit_file(const std::string& suites) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites + "</testsuites>\n";
}

}  // namespace fenceline::report
