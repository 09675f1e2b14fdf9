#pragma once

#include <string>

#include "tb/report/run_report.h"

namespace fenceline::report {

/// Text of junit.xml: one test suite for the scenario, a test case for how the run ended, one for
/// each expectation, and one for each invariant. An invariant that the scenario expects or allows
/// to break is no failure; one that was never put to the test is skipped.
std::string junit_xml(const RunReport& report);

/// `text` for XML content and attributes; characters that XML forbids become "?".
std::string xml_escaped(const std::string& text);

}  // namespace fenceline::report
