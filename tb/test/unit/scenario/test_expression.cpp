#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <stdexcept>

#include "tb/scenario/text/expression.h"

namespace fenceline::scenario::test_expression {

namespace {

std::uint64_t value(const std::string& text, const Counters& counters = {{"i", 3}, {"j", 10}}) {
  return Expression::parse(text).evaluate(counters);
}

std::string refusal(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an expression is a sum of numbers and multiples of counters", "[scenario][expression]") {
  CHECK(value("42") == 42);
  CHECK(value("${i}") == 3);
  CHECK(value("${i}+1") == 4);
  CHECK(value("${i}*2+1") == 7);
  CHECK(value("2*${i} - 1") == 5);
  CHECK(value("100-${j}-${i}*2") == 84);
  CHECK(value("${i}+${i}") == 6);
  CHECK(value("0x1FFFFFFFF") == 0x1FFFFFFFFULL);
  CHECK(value("0x10+${i}*0x10") == 64);
  CHECK(value("max") == ~std::uint64_t{0});
}

TEST_CASE("expressions wrap modulo 2 to the 64", "[scenario][expression]") {
  CHECK(value("max+1") == 0);
  CHECK(value("0-1") == ~std::uint64_t{0});
  CHECK(value("${i}*max") == ~std::uint64_t{0} - 2);
}

TEST_CASE("terms that cancel out leave a constant", "[scenario][expression]") {
  CHECK(Expression::parse("${i}-${i}+5").is_constant());
  CHECK_FALSE(Expression::parse("${i}+5").is_constant());
}

TEST_CASE("a counter without a value is an error of the caller", "[scenario][expression]") {
  CHECK_THROWS_AS(value("${k}"), std::out_of_range);
}

TEST_CASE("a malformed expression is refused at the character", "[scenario][expression]") {
  CHECK(refusal("") == "expected a number or a counter such as ${i} at character 1");
  CHECK(refusal("1+") == "expected a number or a counter such as ${i} at character 3");
  CHECK(refusal("1 2") == "expected + or - at character 3");
  CHECK(refusal("$i") == "expected ${ at character 1");
  CHECK(refusal("${}") == "expected the name of a counter at character 3");
  CHECK(refusal("${i") == "expected } at character 4");
  CHECK(refusal("${i}*${j}") ==
        "expected a number, counters cannot be multiplied with each other at character 6");
  CHECK(refusal("2*3") == "expected a counter such as ${i} at character 3");
  CHECK(refusal("0x") == "expected a number or a counter such as ${i} at character 3");
  CHECK(refusal("18446744073709551616") == "the number does not fit 64 bits at character 1");
  CHECK(refusal("0x10000000000000000") == "the number does not fit 64 bits at character 1");
  CHECK(refusal("maximum") == "expected a number or a counter such as ${i} at character 1");
  CHECK(refusal("1.5") == "expected + or - at character 2");
  std::string many = "1";
  for (int i = 0; i < 64; ++i) many += "+1";
  CHECK(refusal(many) == "too many terms at character 129");
}

TEST_CASE("the text of an expression is short", "[scenario][expression]") {
  CHECK(Expression::parse("1 + 2*${i} - 4").to_string() == "${i}*2-3");
  CHECK(Expression::parse("${b}-${a}").to_string() == "${a}*max+${b}");
  CHECK(Expression(~std::uint64_t{0}).to_string() == "max");
  CHECK(Expression(0x1FFFFFFFFULL).to_string() == "8589934591");
  CHECK(Expression(1ULL << 60U).to_string() == "0x1000000000000000");
}

TEST_CASE("the text of an expression parses to an equal one", "[scenario][expression]") {
  const bool holds = rc::check("any constant and factors",
                               [](std::uint64_t constant, std::uint64_t a, std::uint64_t b) {
                                 std::vector<std::pair<std::string, std::uint64_t>> terms;
                                 if (a != 0) terms.emplace_back("a", a);
                                 if (b != 0) terms.emplace_back("b", b);
                                 const Expression expression(constant, terms);
                                 const Expression again = Expression::parse(expression.to_string());
                                 RC_ASSERT(again.constant() == constant);
                                 RC_ASSERT(again.terms() == terms);
                               });
  CHECK(holds);
}

}  // namespace fenceline::scenario::test_expression
