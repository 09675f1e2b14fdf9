#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "tb/report/record/packing.h"

namespace fenceline::report::test_packing {

TEST_CASE("packed bytes come back whatever their number and value", "[report]") {
  std::string bytes;
  for (unsigned i = 0; i < 70'000; ++i) {
    if (i < 5 || i > 69'995) CHECK(unpacked(packed(bytes)) == bytes);
    bytes += static_cast<char>(i * i >> 3 & 0xffU);
  }
}

TEST_CASE("a text that was not packed is refused", "[report]") {
  CHECK_THROWS_AS(unpacked("a b"), std::invalid_argument);
  CHECK_THROWS_AS(unpacked(""), std::invalid_argument);
  const std::string text = packed(std::string(1000, 'x') + "y");
  CHECK_THROWS_AS(unpacked(text.substr(0, text.size() - 4)), std::invalid_argument);
  CHECK_THROWS_AS(unpacked(text.substr(0, text.find('=')) + "AAAA"), std::invalid_argument);
}

}  // namespace fenceline::report::test_packing
