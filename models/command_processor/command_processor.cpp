#include "models/command_processor/command_processor.h"

#include <cstring>

namespace fenceline::command_processor {

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name,
                                   common::Simulation& simulation,
                                   const std::vector<std::string>& front_ends,
                                   const CommandProcessorConfig& config,
                                   const common::GpuClock& clock, const common::FenceNames& fences,
                                   const common::MemoryWatches& watches, std::uint32_t adapter)
    : sc_module(name),
      config_(config),
      shared_(simulation, config_, front_ends.size(), {clock, fences, adapter}),
      memory_port_(simulation, memory, watches, config.state_mbps),
      binder_(shared_, memory_port_),
      areas_(shared_, memory_port_, binder_, register_file_),
      engine_port_(shared_, engines, areas_),
      turns_(shared_, engine_port_),
      suspensions_(shared_, ranks_, engine_port_),
      scheduler_(shared_, {ranks_, suspensions_, areas_, turns_}, register_file_),
      hang_watch_(shared_, turns_, engine_port_),
      resets_(shared_, engine_port_, scheduler_, register_file_),
      ring_preemption_(shared_, {areas_, engine_port_, turns_, resets_}, register_file_),
      fence_unit_(shared_, {memory_port_, engine_port_, scheduler_}),
      doorbells_(shared_, memory_port_, scheduler_, register_file_),
      log_positions_(shared_, memory_port_),
      queue_registers_(shared_, {memory_port_, scheduler_, log_positions_}, front_ends,
                       register_file_) {
  registers.register_b_transport(this, &CommandProcessor::access_register);
  doorbells.register_b_transport(this, &CommandProcessor::ring_doorbell);
  rescans.register_b_transport(this, &CommandProcessor::rescan);
  logs.register_b_transport(this, &CommandProcessor::access_log);
  simulation.steps.add_state(*this);
  add_agents(front_ends);
}

void CommandProcessor::add_agents(const std::vector<std::string>& front_ends) {
  common::Steps& steps = shared_.steps();
  for (const auto& node : shared_.nodes) {
    front_ends_.push_back(std::make_unique<FrontEnd>(
        shared_, *node,
        FrontEnd::Uses{memory_port_, engine_port_, display, binder_, turns_, scheduler_,
                       hang_watch_, resets_, ring_preemption_, fence_unit_, doorbells_}));
    steps.add_agent(front_ends[node->number],
                    [front_end = front_ends_.back().get()] { front_end->run(); });
  }
  if (!shared_.ends_queues()) return;
  const std::string gpu =
      shared_.simulation.events.name(common::ObjectKind::kAdapter, shared_.adapter);
  if (config_.schedules) steps.add_agent(gpu + ".scheduler", [this] { scheduler_.run(); });
  if (config_.engine_timeout != 0)
    steps.add_agent(gpu + ".hang_watch", [this] { hang_watch_.run(); });
}

std::uint64_t CommandProcessor::state_hash() const {
  common::Hasher hasher;
  for (const auto& queues : shared_.queues.by_node())
    for (const HardwareQueue* queue : queues) hasher.add(queue->hash());
  for (const auto& node : shared_.nodes) hasher.add(node->next);
  for (const auto& node : shared_.nodes) hasher.add(node->hash());
  if (shared_.ends_queues()) scheduler_.add_to(hasher);
  doorbells_.add_to(hasher);
  fence_unit_.add_to(hasher);
  return hasher.value();
}

void CommandProcessor::access_register(tlm::tlm_generic_payload& payload,
                                       sc_core::sc_time& /*delay*/) {
  register_file_.access(payload);
}

void CommandProcessor::ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_write()) return;
  std::uint64_t data = 0;
  std::memcpy(&data, payload.get_data_ptr(), sizeof data);
  delay += common::kernel_time(config_.doorbell);
  if (payload.get_address() == abi::kPeerPage) return fence_unit_.take_peer_doorbell(data);
  doorbells_.ring(payload.get_address() / abi::kDoorbellStride, data);
}

void CommandProcessor::rescan(int /*id*/, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& /*delay*/) {
  std::uint64_t request = 0;
  std::memcpy(&request, payload.get_data_ptr(), sizeof request);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  fence_unit_.rescan(static_cast<std::uint32_t>(payload.get_address()), request);
}

void CommandProcessor::access_log(int /*id*/, tlm::tlm_generic_payload& payload,
                                  sc_core::sc_time& /*delay*/) {
  log_positions_.access(payload);
}

}  // namespace fenceline::command_processor
