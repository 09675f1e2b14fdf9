#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario::test_json {

namespace {

using Kind = JsonValue::Kind;
using LineColumn = std::pair<std::uint32_t, std::uint32_t>;

LineColumn place(const JsonValue& value) { return {value.at.line, value.at.column}; }

Diagnostic refusal(const std::string& text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, "file", limits);
  } catch (const ScenarioError& error) {
    return error.diagnostic();
  }
  return {"accepted", 0, 0, {}, {}, {}, {}};
}

}  // namespace

TEST_CASE("every value knows where it stands", "[scenario][json]") {
  const JsonValue document =
      parse_json("{\n  \"a\": [1, true,\n\t\"x\"],\r\n  \"b\" : {}}", "file");
  CHECK(place(document) == LineColumn{1, 1});
  const JsonValue& array = *document.find("a");
  CHECK(place(array) == LineColumn{2, 8});
  CHECK(place(array.children[0].value) == LineColumn{2, 9});
  CHECK(place(array.children[1].value) == LineColumn{2, 12});
  CHECK(place(array.children[2].value) == LineColumn{3, 2});
  CHECK(document.children[1].at.line == 4);
  CHECK(document.children[1].at.column == 3);
  CHECK(place(*document.find("b")) == LineColumn{4, 9});
}

TEST_CASE("columns count characters not bytes", "[scenario][json]") {
  const JsonValue document = parse_json("[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\", 1]", "file");
  CHECK(place(document.children[1].value) == LineColumn{1, 9});
}

TEST_CASE("strings are decoded to UTF-8", "[scenario][json]") {
  const auto text = [](const std::string& json) { return parse_json(json, "file").text; };
  CHECK(text(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(text(R"("A\u00e9\u20AC\ud83d\ude00")") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(text("\"\xED\x9F\xBF\xEE\x80\x80\"") == "\xED\x9F\xBF\xEE\x80\x80");
  CHECK(text("\"\"").empty());
}

TEST_CASE("numbers keep the text they were written as", "[scenario][json]") {
  for (const std::string number : {"0", "-0", "18446744073709551616", "1.50", "-2e+10", "1E5"}) {
    const JsonValue value = parse_json(number, "file");
    CHECK(value.kind == Kind::kNumber);
    CHECK(value.text == number);
  }
}

TEST_CASE("text that is no number by the grammar is refused", "[scenario][json]") {
  for (const std::string number :
       {"01", "1.", ".5", "+1", "1e", "1e+", "0x10", "-", "1_000", "--1"}) {
    CAPTURE(number);
    CHECK(refusal(number).path == "file");
  }
}

TEST_CASE("UTF-8 is checked as Unicode says", "[scenario][json]") {
  for (const std::string bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xE2\x28\xA1"}) {
    CHECK(refusal("\"" + bytes + "\"").message == "invalid UTF-8 in a string");
  }
}

TEST_CASE("errors name the value they are in", "[scenario][json]") {
  const Diagnostic found = refusal("{\"a/b\": [1, {\"c~\": nul}]}");
  CHECK(found.pointer == "/a~1b/1/c~0");
  CHECK(found.line == 1);
  CHECK(found.column == 20);
  CHECK(refusal("[1, 2,, 3]").pointer == "/2");
}

TEST_CASE("the first duplicate in the file is reported with both places", "[scenario][json]") {
  const Diagnostic found = refusal("{\"b\":1,\n\"a\":1,\n\"b\":2,\n\"a\":2,\"c\":1,\"c\":2}");
  CHECK(found.pointer == "/b");
  CHECK(found.line == 3);
  CHECK(found.message == "duplicate key \"b\"");
  CHECK(found.hint == "it was first given at 1:2");
  CHECK(refusal("{\"a\":1,\n\"\\u0061\":2}").line == 2);
}

TEST_CASE("each limit holds exactly", "[scenario][json]") {
  JsonLimits limits;
  limits.depth = 3;
  limits.values = 5;
  limits.string = 4;
  limits.number = 3;
  limits.bytes = 20;
  CHECK(refusal("[[[]]]", limits).path == "accepted");
  CHECK(refusal("[[[[]]]]", limits).message == "nested deeper than 3 levels");
  CHECK(refusal("[1,2,3,4]", limits).path == "accepted");
  CHECK(refusal("[1,2,3,4,5]", limits).message == "the document has more than 5 values");
  CHECK(refusal("\"1234\"", limits).path == "accepted");
  CHECK(refusal("\"12345\"", limits).message == "a string is longer than 4 bytes");
  CHECK(refusal("123", limits).path == "accepted");
  CHECK(refusal("1234", limits).message == "a number or word is too long");
  limits.bytes = 2U << 20U;
  CHECK(refusal(std::string(2U << 20U, ' ') + "1", limits).message ==
        "the file is larger than 2 MiB");
}

TEST_CASE("nlohmann::json accepts and refuses the same texts", "[scenario][json]") {
  for (const std::string text : {"",
                                 " ",
                                 "{}",
                                 "[]",
                                 "[1,]",
                                 "{,}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "[1 2]",
                                 "[\"\\x\"]",
                                 "[\"\\u12G4\"]",
                                 "[\"\\ud800\\u0041\"]",
                                 "[\"\t\"]",
                                 "nulL",
                                 "true",
                                 "tru",
                                 "\"a",
                                 "[",
                                 "{",
                                 "{\"a\":[{\"b\":null}]}",
                                 "[-]",
                                 "[1.0e-3]",
                                 "]",
                                 "}",
                                 "[}",
                                 "{]",
                                 "1 1",
                                 "\"a\" ,"}) {
    CAPTURE(text);
    CHECK((refusal(text).path == "accepted") == nlohmann::json::accept(text));
  }
}

}  // namespace fenceline::scenario::test_json
