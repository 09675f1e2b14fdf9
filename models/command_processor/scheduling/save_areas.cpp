#include "models/command_processor/scheduling/save_areas.h"

#include <algorithm>
#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/preemption.h"
#include "models/common/hash.h"

namespace fenceline::command_processor {

namespace {

std::uint64_t hash_of(const abi::SavedContext& saved) {
  return common::Hasher().add_words(&saved, sizeof saved).value();
}

}  // namespace

SaveAreas::SaveAreas(Shared& shared, MemoryPort& memory, Binder& binder,
                     common::RegisterFile& registers)
    : shared_(shared), memory_(memory), binder_(binder) {
  for (const auto& [first, table] :
       {std::pair(abi::kContextTable, &contexts_), std::pair(abi::kDeviceTable, &devices_)})
    registers.add(
        {first, abi::kContextSlots},
        [table = table](const auto& reading) { return (*table)[reading.index]; },
        [table = table](std::uint64_t slot, std::uint64_t value) { (*table)[slot] = value; });
}

void SaveAreas::save(const Node& node, const HardwareQueue& queue, Location area) {
  abi::SavedContext saved{};
  saved.valid = 1;
  saved.levels = static_cast<std::uint32_t>(
      std::min<std::size_t>(queue.open_buffers.size(), abi::SavedContext::kMaxLevels));
  for (std::uint32_t i = 0; i < saved.levels; ++i)
    saved.level[i] = {queue.open_buffers[i].base, queue.open_buffers[i].position,
                      queue.open_buffers[i].end, queue.open_buffers[i].space};
  saved.in_packet = queue.in_packet ? 1 : 0;
  if (queue.in_packet) saved.progress = queue.progress;
  saved.state_bytes = queue.in_packet ? queue.state_bytes : 0;
  saved.bindings = queue.of_driver() && node.bindings.used ? 1 : 0;
  shared_.steps().elapse(shared_.config.context_switch);
  memory_.move(node, {area.space, area.address + abi::kSavedStateOffset}, saved.state_bytes, true);
  if (saved.bindings != 0) binder_.save(node, area.address);
  memory_.post(node, area, &saved, sizeof saved);
  shared_.simulation.emit(event::ContextSaved{shared_.adapter, area.address, area.space,
                                              hash_of(saved), node.number + 1, saved.state_bytes});
  const common::GpuOrdering& ordering = shared_.simulation.ordering.gpu;
  if (queue.of_driver() ? ordering.preempt_barrier : ordering.suspend_barrier)
    memory_.barrier(node);
}

bool SaveAreas::restore(Node& node, HardwareQueue& queue, Location area, std::uint64_t buffer) {
  abi::SavedContext saved{};
  if (area.address == 0 || !memory_.read(node, area, &saved, sizeof saved)) return false;
  if (saved.valid != 1 || saved.levels > abi::SavedContext::kMaxLevels) return false;
  if (buffer != 0 && (saved.levels == 0 || saved.level[saved.levels - 1].address != buffer))
    return false;
  shared_.simulation.emit(event::ContextRestored{shared_.adapter, area.address, area.space,
                                                 hash_of(saved), node.number + 1,
                                                 saved.state_bytes});
  for (std::uint32_t i = 0; i < saved.levels; ++i) {
    Cursor cursor;
    cursor.base = saved.level[i].address;
    cursor.position = abi::mutant(abi::Mutant::kResumesAtStart) ? 0 : saved.level[i].position;
    cursor.end = saved.level[i].bytes;
    cursor.space = static_cast<std::uint32_t>(saved.level[i].address_space);
    queue.open_buffers.push_back(std::move(cursor));
  }
  queue.in_packet = saved.in_packet != 0;
  queue.resumed = true;
  queue.progress = saved.progress;
  memory_.move(node, {area.space, area.address + abi::kSavedStateOffset}, saved.state_bytes, false);
  if (saved.bindings != 0) binder_.restore(node, area);
  const std::uint64_t used = std::uint64_t{saved.levels} << 32;  // valid = 0
  memory_.post(node, area, &used, sizeof used);
  return true;
}

void SaveAreas::switch_context(Node& node, std::uint32_t context, std::uint32_t space) {
  if (node.context == context) return;
  common::Simulation& simulation = shared_.simulation;
  simulation.steps.elapse(shared_.config.context_switch);
  if (node.context != 0) {
    const std::uint64_t address = contexts_[node.context] + abi::kIdleStateOffset;
    if (!abi::mutant(abi::Mutant::kStateNotSaved))
      memory_.post(node, {node.space, address}, &node.state, sizeof node.state);
    simulation.emit(
        event::ContextSaved{shared_.adapter, address, node.space, node.state, node.number + 1, 0});
  }
  node.context = context;
  node.space = space;
  node.state = 0;
  if (context == 0) {
    if (simulation.ordering.gpu.preempt_barrier) memory_.barrier(node);
    return;
  }
  const std::uint64_t address = contexts_[context] + abi::kIdleStateOffset;
  memory_.read(node, {space, address}, &node.state, sizeof node.state);
  simulation.emit(
      event::ContextRestored{shared_.adapter, address, space, node.state, node.number + 1, 0});
}

void SaveAreas::read_shared_memory(const Node& node, HardwareQueue& queue, std::uint32_t space) {
  const std::uint64_t address = queue.context != 0 ? devices_[queue.context] : 0;
  std::uint64_t word = 0;
  if (address != 0 && !memory_.read(node, {space, address}, &word, sizeof word))
    shared_.fault(queue, abi::FaultCode::kPageRead, address);
}

}  // namespace fenceline::command_processor
