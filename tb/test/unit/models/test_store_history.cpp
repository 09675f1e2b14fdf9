#include <array>
#include <catch2/catch.hpp>

#include "models/common/simulation.h"
#include "models/common/stores.h"

namespace fenceline::common::test_store_history {

namespace {

/// A memory of four words whose stores are remembered.
struct Memory {
  Simulation simulation{Ordering{}};
  StoreHistory& history = simulation.store_history;
  std::array<std::uint64_t, 4> words{};
  std::size_t reader = history.add_reader(simulation.steps.new_place());

  void store(std::uint64_t address, std::uint64_t value) {
    history.add(simulation.steps, address, 8, [this](std::uint64_t at) { return words[at / 8]; });
    words[address / 8] = value;
  }
  std::uint64_t load(std::uint64_t address, std::uint64_t before) const {
    std::uint64_t value = words[address / 8];
    history.undo(address, reinterpret_cast<unsigned char*>(&value), 8, before);
    return value;
  }
};

}  // namespace

TEST_CASE("a load can be taken back store by store", "[store_history]") {
  Memory memory;
  memory.store(0, 1);
  memory.store(8, 7);
  memory.store(0, 2);
  CHECK(memory.load(0, StoreHistory::kNow) == 2);
  const std::uint64_t second = memory.history.last(0, 8, 0, StoreHistory::kNow);
  CHECK(memory.load(0, second) == 1);
  const std::uint64_t first = memory.history.last(0, 8, 0, second);
  CHECK(memory.load(0, first) == 0);
  CHECK(memory.load(8, first) == 0);  // the store to it is younger
  CHECK(memory.history.last(0, 8, 0, first) == 0);
  CHECK(memory.history.last(16, 8, 0, StoreHistory::kNow) == 0);
}

TEST_CASE("values that no reader can reach are forgotten", "[store_history]") {
  Memory memory;
  memory.store(0, 1);
  memory.store(0, 2);
  const std::uint64_t hash = memory.history.hash_since(1);
  memory.history.reach_back(memory.reader, 1);
  CHECK(memory.history.hash_since(1) == hash);
  CHECK(memory.history.last(0, 8, 0, StoreHistory::kNow) == 2);
  CHECK(memory.history.last(0, 8, 0, 2) == 0);
}

TEST_CASE("values in halves are stored in the order of the switch", "[stores]") {
  const auto offsets = [](Stores stores) {
    std::string text;
    for (const Piece piece : Pieces(stores))
      text += std::to_string(piece.offset) + ":" + std::to_string(piece.bytes) +
              (piece.more ? "+ " : " ");
    return text;
  };
  CHECK(offsets(Stores::kWhole) == "0:8 ");
  CHECK(offsets(Stores::kHighFirst) == "4:4+ 0:4 ");
  CHECK(offsets(Stores::kLowFirst) == "0:4+ 4:4 ");
}

TEST_CASE("a device without stores of 64 bits makes no value whole", "[stores]") {
  CHECK(stores_of(Stores::kWhole, true) == Stores::kWhole);
  CHECK(stores_of(Stores::kWhole, false) == Stores::kHighFirst);
  for (const bool whole : {false, true}) {
    CHECK(stores_of(Stores::kHighFirst, whole) == Stores::kHighFirst);
    CHECK(stores_of(Stores::kLowFirst, whole) == Stores::kLowFirst);
  }
}

}  // namespace fenceline::common::test_store_history
