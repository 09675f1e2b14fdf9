#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// A test of a JUnit file.
struct TestCase {
  std::string group;
  std::string name;
  std::string failure;  ///< empty: passed
};

/// An element <testsuite>.
/// @param seconds as the file says them; empty: no time.
/// @param properties names and values.
std::string junit_suite(const std::string& name, const std::vector<TestCase>& cases,
                        const std::string& seconds = "",
                        const std::vector<std::pair<std::string, std::string>>& properties = {});
/// The suite of a run: a test case for how it ended, one for each expectation, and one for each
/// invariant that was put to the test. One that the scenario expects or allows to break is no
/// failure.
std::string junit_suite(const RunReport& report);
/// A JUnit file of suites.
std::string junit_file(const std::string& suites);

/// `text` for XML content and attributes; characters that XML forbids become "?".
std::string xml_escaped(const std::string& text);

}  // namespace fenceline::report
