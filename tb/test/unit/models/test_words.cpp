#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "models/abi/keys.h"
#include "models/common/hash.h"

namespace fenceline::common::test_words {

TEST_CASE("a value has its word and a value without a word has none") {
  constexpr std::array<abi::Choice<int>, 2> kChoices{{{"one", 1}, {"two", 2}}};
  CHECK(std::string(abi::word_of(kChoices, 2)) == "two");
  CHECK(abi::word_of(kChoices, 3) == nullptr);
}

TEST_CASE("the hash of values depends on each of them and on their order") {
  CHECK(hash_values(1, 2U) == Hasher().add(1).add(2).value());
  CHECK(hash_values(1, 2U) != hash_values(2U, 1));
  CHECK(hash_values(1, 2U) != hash_values(1));
}

}  // namespace fenceline::common::test_words
