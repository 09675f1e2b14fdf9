#include <catch2/catch.hpp>
#include <string>

#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario::test_diagnostics {

TEST_CASE("a diagnostic is one paragraph with place message expectation and hint",
          "[scenario][diagnostics]") {
  const ScenarioError full(
      {"file.json", 12, 7, "/a/b", "unknown key", "one of \"c\"", "did you mean \"c\"?"});
  CHECK(std::string(full.what()) ==
        "file.json:12:7: /a/b: unknown key; expected one of \"c\"; did you mean \"c\"?");
  const ScenarioError bare({"--set", 0, 0, "", "no pointer", "", ""});
  CHECK(std::string(bare.what()) == "--set: no pointer");
}

TEST_CASE("the suggestion is the nearest name if one is near", "[scenario][diagnostics]") {
  const std::vector<std::string> names{"gpu.signal_barrier", "gpu.log_barrier", "os.refcount"};
  CHECK(closest("gpu.signal_barier", names) == "gpu.signal_barrier");
  CHECK(closest("gpu.lgo_barrier", names) == "gpu.log_barrier");
  CHECK(closest("os.recount", names) == "os.refcount");
  CHECK(closest("wait", names).empty());
  CHECK(closest("", names).empty());
  CHECK(closest("ab", {"ba"}) == "ba");
  CHECK(closest("abc", {"xyz"}).empty());
  CHECK(closest(std::string(65, 'a'), {std::string(65, 'a')}).empty());
  CHECK(did_you_mean("os.recount", names) == "did you mean \"os.refcount\"?");
  CHECK(did_you_mean("wait", names).empty());
}

TEST_CASE("long lists of names are cut", "[scenario][diagnostics]") {
  CHECK(one_of({"a"}) == "\"a\"");
  CHECK(one_of({"a", "b"}) == "one of \"a\", \"b\"");
  CHECK(one_of({"a", "b", "c"}, 2) == "one of \"a\", \"b\", ... (3 in all)");
}

TEST_CASE("quoted text is safe on a terminal", "[scenario][diagnostics]") {
  CHECK(in_quotes("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(in_quotes(std::string("\x1B[2J\0", 5)) == "\"\\x1b[2J\\x00\"");
  CHECK(in_quotes(std::string(64, 'x')) == "\"" + std::string(64, 'x') + "\"");
  CHECK(in_quotes(std::string(65, 'x')) == "\"" + std::string(64, 'x') + "...\"");
  CHECK(in_quotes(std::string(63, 'x') + "\xC3\xA9") == "\"" + std::string(63, 'x') + "...\"");
}

TEST_CASE("pointer tokens are escaped", "[scenario][diagnostics]") {
  CHECK(pointer_token("a/b~c") == "a~1b~0c");
}

}  // namespace fenceline::scenario::test_diagnostics
