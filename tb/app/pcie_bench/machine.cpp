#include "tb/app/pcie_bench/machine.h"

namespace fenceline::pcie_bench {

namespace {

constexpr pcie::BarMap bars(std::uint64_t vram_bytes) {
  constexpr std::uint64_t kBase = 1ULL << 40;
  return {kBase, kBase + (1ULL << 24), kBase + (1ULL << 36), vram_bytes, kBase + (1ULL << 25)};
}

}  // namespace

Machine::Machine(const sc_core::sc_module_name& name, const MachineConfig& config)
    : sc_module(name),
      config_(config),
      simulation_(common::Ordering()),
      system_memory_("system_memory", simulation_, config.system_memory),
      vram_("vram", simulation_, config.vram),
      sockets_("sockets", config.sockets),
      root_complex_("root_complex", config.system_memory.size_bytes,
                    {{bars(0).registers, 1ULL << 37}}),
      iommu_("iommu", config.iommu),
      link_("link", simulation_, "link", config.link),
      endpoint_("endpoint", simulation_, bars(config.vram.size_bytes), {}, config.vram.size_bytes,
                0),
      device_("device", simulation_, config.device),
      stores_(simulation_, config.core.write_combining, "core", 0,
              [this](const auto& write) { post_to_device(write); }),
      core_("core"),
      poster_("poster"),
      messages_("messages"),
      registers_("registers"),
      doorbells_("doorbells") {
  core_.bind(root_complex_.cpus);
  root_complex_.memory.bind(sockets_.in);
  sockets_.memory.bind(system_memory_.socket);
  root_complex_.messages.bind(messages_);
  root_complex_.links.bind(link_.from_host);
  link_.to_host.bind(iommu_.in);
  iommu_.out.bind(root_complex_.devices);
  link_.to_device.bind(endpoint_.link_in);
  endpoint_.link_out.bind(link_.from_device);
  endpoint_.registers.bind(registers_);
  endpoint_.doorbells.bind(doorbells_);
  endpoint_.vram.bind(vram_.socket);
  device_.memory.bind(endpoint_.dma);
  poster_.bind(endpoint_.dma);
  for (auto* socket : {&messages_, &registers_, &doorbells_})
    socket->register_b_transport(this, &Machine::ignore);
}

void Machine::warm(std::uint32_t socket, std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t word = 0;
  for (std::uint64_t at = 0; at < bytes; at += common::kLineBytes) {
    auto store =
        simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address + at, &word, sizeof word);
    store->attributes.core = socket + 1;
    common::send(simulation_.steps, core_, store);
  }
}

void Machine::read_device_line(std::uint64_t offset) {
  std::array<unsigned char, common::kLineBytes> line{};
  auto load = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, bars(0).vram + offset,
                                            line.data(), line.size());
  common::send(simulation_.steps, core_, load);
}

std::uint64_t Machine::read_host_word(std::uint64_t address) {
  std::uint64_t word = 0;
  auto load = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, &word, sizeof word);
  load->attributes.core = 1;
  common::send(simulation_.steps, core_, load);
  return word;
}

void Machine::store_line(std::uint64_t offset, std::uint64_t value) {
  const std::array<std::uint64_t, common::kLineBytes / 8> line{value};
  stores_.store(bars(0).vram + offset, line.data(), sizeof line);
}

void Machine::post_to_device(const host::WriteCombining::Write& write) {
  auto store =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, write.address, write.data, write.bytes);
  store->attributes.posted = true;
  common::send(simulation_.steps, core_, store);
}

void Machine::post_to_host(std::uint64_t address, std::uint64_t value) {
  auto store = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
  store->attributes.posted = true;
  common::send(simulation_.steps, poster_, store);
}

void Machine::ignore(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace fenceline::pcie_bench
