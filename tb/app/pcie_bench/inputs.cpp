#include "tb/app/pcie_bench/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace fenceline::pcie_bench {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<const char*, Kind>, 9> kKinds{{
    {"LAT_DMA_RD", Kind::kReadLatency},
    {"LAT_DMA_WRRD", Kind::kWriteReadLatency},
    {"LAT_CMD_RD", Kind::kCommandLatency},
    {"BW_DMA_RD", Kind::kReadBandwidth},
    {"BW_DMA_WR", Kind::kWriteBandwidth},
    {"BW_DMA_RW", Kind::kBothBandwidth},
    {"BAR_W", Kind::kCoreWrite},
    {"BAR_R", Kind::kCoreRead},
    {"BAR_PINGPONG", Kind::kPingPong},
}};

/// Members of one object. An unread member is an error.
class Object {
 public:
  Object(Json& document, const std::string& key) : pointer_("/" + key) {
    if (!document.contains(key)) return;
    members_ = document[key];
    document.erase(key);
    if (!members_.is_object()) fail(pointer_, "expected an object");
  }
  void end() const {
    for (const auto& [key, value] : members_.items()) fail(pointer_ + "/" + key, "unknown key");
  }

  template <typename Number>
  void count(const char* key, Number& value, std::uint64_t least, std::uint64_t most) {
    Json given;
    if (!take(key, given)) return;
    if (!given.is_number_unsigned() || given.get<std::uint64_t>() < least ||
        given.get<std::uint64_t>() > most)
      fail(pointer_ + "/" + key,
           "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    value = static_cast<Number>(given.get<std::uint64_t>());
  }
  void time(const char* key, common::Time& value) {
    Json given;
    if (!take(key, given)) return;
    if (!given.is_number() || given.get<double>() < 0 || given.get<double>() > 1e9)
      fail(pointer_ + "/" + key, "expected nanoseconds from 0 to 1e9");
    value = static_cast<common::Time>(std::llround(given.get<double>() * 1000));
  }
  void flag(const char* key, bool& value) {
    Json given;
    if (!take(key, given)) return;
    if (!given.is_boolean()) fail(pointer_ + "/" + key, "expected true or false");
    value = given.get<bool>();
  }
  void kind(const char* key, Kind& value) {
    Json given;
    if (!take(key, given)) fail(pointer_ + "/" + key, "is missing");
    for (const auto& [name, kind] : kKinds)
      if (given == name) return void(value = kind);
    fail(pointer_ + "/" + key, "expected the name of a measurement, as LAT_DMA_RD");
  }

 private:
  [[noreturn]] static void fail(const std::string& pointer, const std::string& what) {
    throw std::invalid_argument(pointer + ": " + what);
  }
  bool take(const char* key, Json& value) {
    if (!members_.contains(key)) return false;
    value = members_[key];
    members_.erase(key);
    return true;
  }

  const std::string pointer_;
  Json members_ = Json::object();
};

void read_link(Json& document, pcie::LinkConfig& link) {
  Object object(document, "link");
  object.count("generation", link.generation, 1, 6);
  object.count("width_lanes", link.width_lanes, 1, 16);
  object.count("max_payload_bytes", link.max_payload_bytes, 128, 4096);
  object.count("max_read_request_bytes", link.max_read_request_bytes, 128, 4096);
  object.count("posted_header_credits", link.posted_header_credits, 1, 4096);
  object.count("posted_data_credits", link.posted_data_credits, 0, 65536);
  object.count("tags", link.tags, 1, 1024);
  object.flag("data_link_packets", link.data_link_packets);
  object.flag("pipelined_reads", link.pipelined_reads);
  object.time("completion_gap_ns", link.completion_gap);
  object.time("propagation_ns", link.propagation);
  object.end();
}

void read_host(Json& document, MachineConfig& machine) {
  Object memory(document, "memory");
  memory.time("latency_ns", machine.system_memory.latency);
  memory.count("bandwidth_mbps", machine.system_memory.bandwidth_mbps, 1, 10'000'000);
  memory.end();
  Object iommu(document, "iommu");
  iommu.flag("translates", machine.iommu.translates);
  iommu.count("page_bytes", machine.iommu.page_bytes, 4096, 1ULL << 30);
  iommu.count("iotlb_entries", machine.iommu.iotlb_entries, 1, 1U << 20);
  iommu.time("walk_ns", machine.iommu.walk);
  iommu.end();
  Object sockets(document, "sockets");
  sockets.count("cache_bytes", machine.sockets.cache_bytes, 64, 1ULL << 32);
  sockets.time("hop_ns", machine.sockets.hop);
  sockets.time("partial_read_ns", machine.sockets.partial_read);
  sockets.end();
  Object core(document, "core");
  core.count("loads", machine.core.loads, 1, 256);
  core.time("call_ns", machine.core.call);
  core.count("write_combining_buffers", machine.core.write_combining.buffers, 1, 256);
  core.time("evict_ns", machine.core.write_combining.evict);
  core.time("flush_ns", machine.core.write_combining.flush);
  core.time("fence_ns", machine.core.write_combining.fence);
  core.end();
}

void read_device(Json& document, MachineConfig& machine) {
  Object object(document, "device");
  object.time("command_overhead_ns", machine.device.command_overhead);
  object.time("read_overhead_ns", machine.device.read_overhead);
  object.time("write_overhead_ns", machine.device.write_overhead);
  object.time("write_interval_ns", machine.device.write_interval);
  object.time("bus_overhead_ns", machine.device.bus_overhead);
  object.count("bus_mbps", machine.device.bus_mbps, 1, 10'000'000);
  object.count("store_mbps", machine.device.store_mbps, 1, 10'000'000);
  object.time("memory_latency_ns", machine.vram.latency);
  object.end();
}

void read_measure(Json& document, Measurement& measure) {
  Object object(document, "measure");
  object.kind("kind", measure.kind);
  object.count("bytes", measure.bytes, 1, 1ULL << 24);
  object.count("window_bytes", measure.window_bytes, 64, 1ULL << 28);
  object.flag("warm", measure.warm);
  object.count("buffer_socket", measure.buffer_socket, 0, 1);
  object.count("core_socket", measure.core_socket, 0, 1);
  object.count("samples", measure.samples, 1, 1'000'000);
  object.count("workers", measure.workers, 1, 1024);
  object.time("clock_tick_ns", measure.clock_tick);
  object.end();
  if (measure.clock_tick == 0) throw std::invalid_argument("/measure/clock_tick_ns: is 0");
  if (measure.window_bytes < std::max<std::uint64_t>(measure.bytes, common::kLineBytes) &&
      measure.kind < Kind::kCoreWrite)
    throw std::invalid_argument("/measure/window_bytes: is less than one transfer");
}

}  // namespace

Job read_job(const std::string& text) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(error.what());
  }
  if (!document.is_object()) throw std::invalid_argument("/: expected an object");
  Job job;
  job.machine.vram.size_bytes = 64ULL << 20;
  job.machine.vram.channel_mbps = 1'000'000;
  read_link(document, job.machine.link);
  read_host(document, job.machine);
  read_device(document, job.machine);
  read_measure(document, job.measurement);
  for (const auto& [key, value] : document.items())
    throw std::invalid_argument("/" + key + ": unknown key");
  return job;
}

}  // namespace fenceline::pcie_bench
