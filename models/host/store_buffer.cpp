#include "models/host/store_buffer.h"

#include <algorithm>
#include <utility>

namespace fenceline::host {

using common::Footprint;
using common::Operation;
using common::Place;

StoreBuffer::StoreBuffer(common::Simulation& simulation, MemoryModel model,
                         const std::string& core_name,
                         std::function<void(common::TransactionPool::Loan&)> send)
    : simulation_(simulation),
      model_(model),
      send_(std::move(send)),
      place_(simulation.steps.new_place()),
      changed_(simulation.steps) {
  const std::string agent = core_name + ".store";
  if (model == MemoryModel::kTso)
    simulation.steps.add_agent(agent, [this] { serve(nullptr); });
  else
    for (std::size_t i = 0; i < stores_.size(); ++i)
      simulation.steps.add_agent(agent + std::to_string(i), [this, i] { serve(&stores_[i]); });
  simulation.steps.add_state(*this);
}

std::uint64_t StoreBuffer::state_hash() const {
  common::Hasher hasher;
  for (const Store& store : stores_) {
    if (!store.used) {
      hasher.add(0);
      continue;
    }
    hasher.add(issued_ - store.number + 1)
        .add(store.address)
        .add(std::uint64_t{store.bytes} << 1 | (store.device ? 1U : 0U))
        .add_words(store.data.data(), (store.bytes + 7) / 8 * 8);
  }
  return hasher.value();
}

std::size_t StoreBuffer::used() const {
  touch(false);
  return static_cast<std::size_t>(
      std::count_if(stores_.begin(), stores_.end(), [](const Store& it) { return it.used; }));
}

StoreBuffer::Store& StoreBuffer::take_place() {
  simulation_.steps.wait_until(changed_, [this] { return used() < kPlaces; });
  touch(true);
  Store& place =
      *std::find_if(stores_.begin(), stores_.end(), [](const Store& store) { return !store.used; });
  place = Store();
  place.used = true;
  place.number = ++issued_;
  return place;
}

void StoreBuffer::push(tlm::tlm_generic_payload& store) {
  Store& place = take_place();
  place.device = common::attributes_of(store).posted;
  place.write_back = common::attributes_of(store).write_back;
  place.address = store.get_address();
  place.bytes = store.get_data_length();
  std::copy_n(store.get_data_ptr(), place.bytes, place.data.begin());
  store.set_response_status(tlm::TLM_OK_RESPONSE);
  changed_.open();
}

void StoreBuffer::push_release(std::uint64_t what, std::function<void()> action) {
  Store& place = take_place();
  place.address = what;
  place.release = std::move(action);
  changed_.open();
}

void StoreBuffer::drain() {
  simulation_.steps.wait_until(changed_, [this] { return used() == 0; });
}

void StoreBuffer::drain_for_device() {
  if (model_ == MemoryModel::kTso) return drain();
  simulation_.steps.wait_until(changed_, [this] {
    touch(false);
    return std::none_of(stores_.begin(), stores_.end(),
                        [](const Store& store) { return store.used && store.device; });
  });
}

bool StoreBuffer::forward(tlm::tlm_generic_payload& load) const {
  const std::uint64_t begin = load.get_address();
  const std::uint64_t end = begin + load.get_data_length();
  touch(false);
  bool any = false;
  bool all = false;
  for (const Store* store = oldest(); store != nullptr; store = oldest(store->number)) {
    if (!store->overlaps(begin, end - begin)) continue;
    const std::uint64_t first = std::max(begin, store->address);
    const std::uint64_t last = std::min(end, store->address + store->bytes);
    std::copy_n(store->data.begin() + static_cast<std::ptrdiff_t>(first - store->address),
                last - first, load.get_data_ptr() + (first - begin));
    any = true;
    all = all || last - first == end - begin;
  }
  if (any)
    simulation_.steps.observe(
        common::Hasher().add_words(load.get_data_ptr(), (end - begin) / 8 * 8).value());
  return all;
}

const StoreBuffer::Store* StoreBuffer::oldest(std::uint64_t after) const {
  const Store* result = nullptr;
  for (const Store& store : stores_)
    if (store.used && store.number > after && (result == nullptr || store.number < result->number))
      result = &store;
  return result;
}

bool StoreBuffer::keeps_behind(const Store& later, const Store& earlier) const {
  if (model_ == MemoryModel::kTso || later.release) return true;
  return (later.device && earlier.device) || earlier.overlaps(later.address, later.bytes);
}

bool StoreBuffer::may_leave(const Store& store) const {
  return store.used && std::none_of(stores_.begin(), stores_.end(), [&](const Store& other) {
           return other.used && other.number < store.number && keeps_behind(store, other);
         });
}

/// Body of an agent: it serves `place`, or all places in program order if null.
void StoreBuffer::serve(const Store* place) {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    const Store* store = nullptr;
    steps.wait_until(changed_, [&] {
      touch(false);
      store = place != nullptr ? place : oldest();
      return store != nullptr && may_leave(*store);
    });
    Footprint footprint = Footprint().writes(Place::kFifo, place_);
    if (!store->release)
      footprint = footprint.writes(Place::kMemory, store->address / common::kLineBytes);
    steps.step(Operation::kDrain, footprint);
    leave(stores_[static_cast<std::size_t>(store - stores_.data())]);
  }
}

void StoreBuffer::leave(Store& store) {
  if (store.release) {
    store.release();
  } else {
    auto transaction = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, store.address,
                                                     store.data.data(), store.bytes);
    transaction->attributes.posted = store.device;
    transaction->attributes.write_back = store.write_back;
    send_(transaction);
  }
  touch(true);
  store.used = false;
  changed_.open();
}

}  // namespace fenceline::host
