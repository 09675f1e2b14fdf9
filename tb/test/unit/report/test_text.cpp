// Text of users in files that other programs read.
#include <catch2/catch.hpp>

#include "tb/report/writers/csv.h"
#include "tb/report/writers/junit.h"

namespace fenceline::report_tests::test_text {

namespace report = fenceline::report;

TEST_CASE("a field of a table is no formula for a spreadsheet", "[report]") {
  for (const char* formula : {"=1+1", "+A1", "-A1", "@SUM(A1)", "=cmd|' /C calc'!A0"})
    CHECK(report::csv_field(formula) == std::string("'") + formula);
  CHECK(report::csv_field("=A1,B1") == "\"'=A1,B1\"");
  for (const char* plain : {"", "app/F", "-5", "+1.5e3", "1-2", "a=b"})
    CHECK(report::csv_field(plain) == plain);
  CHECK(report::csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
}

TEST_CASE("characters that XML forbids are replaced", "[report]") {
  CHECK(report::xml_escaped("a\x1b[31m\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xBF\xBD<") ==
        "a?[31m?|?|\xEF\xBF\xBD&lt;");
}

}  // namespace fenceline::report_tests::test_text
