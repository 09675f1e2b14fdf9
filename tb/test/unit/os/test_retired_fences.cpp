#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/dense.h"
#include "tb/os/objects/native_fence.h"
#include "tb/os/objects/retired_fences.h"
#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os::test_retired_fences {

namespace {

constexpr std::size_t kTogether = 4;

RetiredFences::Entry entry_of(std::shared_ptr<Fence> fence) { return {std::move(fence), {}, {}}; }

}  // namespace

TEST_CASE("retired fences come back when there are enough of them") {
  RetiredFences retired;
  for (std::size_t i = 0; i + 1 < kTogether; ++i)
    retired.add(entry_of(std::make_shared<NativeFence>()));
  CHECK(retired.take(kTogether).empty());
  retired.add(entry_of(nullptr));  // closed once, and still open elsewhere
  CHECK(retired.take(kTogether).size() == kTogether);
  CHECK(retired.take(kTogether).empty());
}

TEST_CASE("a retired fence stays while a call names it") {
  RetiredFences retired;
  const auto named = std::make_shared<NativeFence>();
  retired.add(entry_of(named));
  for (std::size_t i = 0; i < kTogether; ++i)
    retired.add(entry_of(std::make_shared<NativeFence>()));
  const auto taken = retired.take(kTogether);
  CHECK(taken.size() == kTogether);
  for (const auto& entry : taken) CHECK(entry.fence != named);
}

TEST_CASE("retired fences that somebody names do not count among those that come back") {
  RetiredFences retired;
  const auto named = std::make_shared<NativeFence>();
  retired.add(entry_of(named));
  for (std::size_t i = 0; i + 1 < kTogether; ++i)
    retired.add(entry_of(std::make_shared<NativeFence>()));
  CHECK(retired.take(kTogether).empty());
  retired.add(entry_of(std::make_shared<NativeFence>()));
  CHECK(retired.take(kTogether).size() == kTogether);
}

TEST_CASE("a page that was given back is used again and fresh ones stay fresh") {
  PagePool pool(0x1000, 0x4000);
  const std::uint64_t page = pool.take_page();
  pool.give_back(page);
  CHECK(pool.allocate(kPage) != page);  // that has to read as zero
  CHECK(pool.take_page() == page);
  CHECK(pool.left() == 0x1000);
}

TEST_CASE("a table forgets one object and keeps its neighbours") {
  struct Item {
    int value = 0;
  };
  common::Dense<Item> table;
  for (std::size_t i = 0; i < 100; ++i) table[i].value = 1;
  for (std::size_t i = 0; i < 64; ++i) table.forget(i);
  CHECK_FALSE(table.known(0));
  CHECK_FALSE(table.known(63));
  CHECK(table.known(64));
  CHECK(std::as_const(table)[63].value == 0);
  CHECK(std::as_const(table)[64].value == 1);
  table.forget(65);
  for (int i = 0; i < 40; ++i) table.forget(66);  // once
  CHECK(table.known(64));
  CHECK(std::as_const(table)[65].value == 0);
  CHECK(table.size() == 100);
  for (std::size_t i = 64; i < 96; ++i) table.forget(i);
  CHECK_FALSE(table.known(64));
  table[64].value = 2;  // met again
  for (std::size_t i = 65; i < 96; ++i) table.forget(i);
  CHECK(std::as_const(table)[64].value == 2);
}

}  // namespace fenceline::os::test_retired_fences
