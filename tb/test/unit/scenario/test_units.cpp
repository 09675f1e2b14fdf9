#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <stdexcept>
#include <string>

#include "tb/scenario/text/units.h"

namespace fenceline::scenario::test_units {

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_duration(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("whole numbers are digits alone", "[scenario][units]") {
  CHECK(whole_number("0") == 0);
  CHECK(whole_number("18446744073709551615") == UINT64_MAX);
  for (const char* wrong : {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "1.0"}) {
    INFO(wrong);
    CHECK_FALSE(whole_number(wrong));
  }
}

TEST_CASE("durations come out in whole picoseconds", "[scenario][units]") {
  CHECK(parse_duration("0ps") == 0);
  CHECK(parse_duration("250ns") == 250'000);
  CHECK(parse_duration("1.5us") == 1'500'000);
  CHECK(parse_duration("16.667ms") == 16'667'000'000);
  CHECK(parse_duration("2s") == 2'000'000'000'000);
  CHECK(parse_duration("0.000000000001s") == 1);
  CHECK(parse_duration("1.2500ns") == 1'250);
}

TEST_CASE("sizes count in powers of two rates and frequencies in powers of ten",
          "[scenario][units]") {
  CHECK(parse_size("8B") == 8);
  CHECK(parse_size("4KiB") == 4'096);
  CHECK(parse_size("0.5KiB") == 512);
  CHECK(parse_size("1.5MiB") == 1'572'864);
  CHECK(parse_size("1GiB") == 1'073'741'824);
  CHECK(parse_rate("20GB/s") == 20'000);
  CHECK(parse_rate("2.5GB/s") == 2'500);
  CHECK(parse_rate("1TB/s") == 1'000'000);
  CHECK(parse_frequency("100MHz") == 100'000'000);
  CHECK(parse_frequency("19.2MHz") == 19'200'000);
}

TEST_CASE("a quantity that is not exact or not well formed is refused with the reason",
          "[scenario][units]") {
  CHECK(refusal("0.5ps") == "the fraction is no whole number of the smallest unit");
  CHECK(refusal("1.0005ns") == "the fraction is no whole number of the smallest unit");
  CHECK(refusal("1.0000000000000000001s") == "too many decimals");
  CHECK(refusal("10") == "the unit is missing; units are ps, ns, us, ms, s");
  CHECK(refusal("10NS") == "the unit is not one of ps, ns, us, ms, s");
  CHECK(refusal("10ns ") == "the unit is not one of ps, ns, us, ms, s");
  CHECK(refusal("10 ns") == "a space stands between number and unit");
  CHECK(refusal("") == "it does not start with a number");
  CHECK(refusal("-1ns") == "it does not start with a number");
  CHECK(refusal(".5ns") == "it does not start with a number");
  CHECK(refusal("1.ns") == "no digit follows the decimal point");
  CHECK(refusal("007ns") == "it has leading zeros");
  CHECK(refusal("1e3ns") == "the unit is not one of ps, ns, us, ms, s");
}

TEST_CASE("a quantity beyond 64 bits is refused", "[scenario][units]") {
  CHECK(parse_duration("18446744073709551615ps") == ~std::uint64_t{0});
  CHECK(parse_duration("18446744.073709551615s") == ~std::uint64_t{0});
  CHECK(refusal("18446744073709551616ps") == "the number is too large");
  CHECK(refusal("18446744.073709551616s") == "the number is too large");
  CHECK(refusal("18446745s") == "the number is too large");
}

TEST_CASE("formatting takes the largest unit that keeps the number whole", "[scenario][units]") {
  CHECK(format_duration(0) == "0ps");
  CHECK(format_duration(1'500'000) == "1500ns");
  CHECK(format_duration(2'000'000'000'000) == "2s");
  CHECK(format_size(4'096) == "4KiB");
  CHECK(format_size(4'097) == "4097B");
  CHECK(format_rate(20'000) == "20GB/s");
  CHECK(format_frequency(100'000'000) == "100MHz");
}

TEST_CASE("formatted text parses to the same number", "[scenario][units]") {
  const bool holds = rc::check("any 64-bit number in any unit", [](std::uint64_t number) {
    RC_ASSERT(parse_duration(format_duration(number)) == number);
    RC_ASSERT(parse_size(format_size(number)) == number);
    RC_ASSERT(parse_rate(format_rate(number)) == number);
    RC_ASSERT(parse_frequency(format_frequency(number)) == number);
  });
  CHECK(holds);
}

}  // namespace fenceline::scenario::test_units
