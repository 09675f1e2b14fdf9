#include "tb/reference/program/memory_scope.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"
#include "tb/reference/program/expression.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// The reason why the place of one allocation is not sure.
std::string not_judged(const json& scenario, const json& adapter, const json& allocation) {
  const bool coherent =
      scenario.at("platform").at("host").at("io_coherent") && !adapter.at("link").at("no_snoop");
  if (allocation.at("cached") && !coherent) return "caches that the GPU does not see";
  if (is_vram_only(allocation) && allocation.at("accessed_physically"))
    return "contiguous memory that must be in VRAM";
  if (is_vram_only(allocation) && allocation.at("cpu_visible"))
    return "memory for the CPU that must be in VRAM";
  if (is_too_large(scenario.at("platform").at("os"), allocation) && allocation.at("resident"))
    return "an allocation that has no room";
  const bool odd = allocation.at("segments").empty() ||
                   (allocation.at("cached") && !allocation.at("cpu_visible"));
  return odd || allocation.contains("status") ? "an allocation whose creation may fail" : "";
}

/// A context that waits within a buffer keeps its node. A move waits for the buffers of its
/// process, and needs a node itself: background/memory.md, a move.
bool may_keep_moves(const Program& program, const std::string& adapter) {
  for (const Lane& lane : program.lanes) {
    if (!lane.queue || !program.queues[*lane.queue].node) continue;
    const bool is_there = program.queues[*lane.queue].node->rfind(adapter + "/", 0) == 0;
    for (const Op& op : lane.ops)
      if (is_there && op.holds_node && !abi::mutant(abi::Mutant::kNodeAlwaysMoves)) return true;
  }
  return false;
}

}  // namespace

std::uint64_t memory_room(const json& os, const json& adapter) {
  const std::uint64_t wanted = bytes_of(os.at("video_memory"));
  // On the safe side: managed allocations may take three quarters (reference/scenario.md,
  // video_memory), less what page tables and state of contexts have.
  const std::uint64_t quarter = bytes_of(adapter.at("vram").at("size")) / 4;
  return wanted == 0 ? quarter : std::min(wanted, quarter);
}

bool is_vram_only(const json& allocation) {
  return allocation.at("segments") == json::array({"vram"});
}

bool is_too_large(const json& os, const json& allocation) {
  const std::uint64_t wanted = bytes_of(os.at("video_memory"));
  return wanted != 0 && is_vram_only(allocation) && bytes_of(allocation.at("size")) > wanted;
}

std::string memory_out_of_scope(const json& scenario, const Unrolling& unrolling) {
  const auto& managed = unrolling.objects.managed();
  if (managed.empty()) return "";
  const json& os = scenario.at("platform").at("os");
  if (os.at("allocation_lists")) return "locks that wait for work";
  std::map<std::string, std::uint64_t> in_vram;  ///< by adapter with managed allocations
  for (const auto& [name, allocation] : managed) {
    const json& adapter = unrolling.objects.adapter_of(name.first);
    if (std::string reason = not_judged(scenario, adapter, *allocation); !reason.empty())
      return reason;
    std::uint64_t& bytes = in_vram[adapter.at("name")];
    if (!is_vram_only(*allocation) || is_too_large(os, *allocation)) continue;
    bytes += bytes_of(allocation->at("size"));
    const auto stressed = unrolling.stressed.find(adapter.at("name"));
    const std::uint64_t more = stressed == unrolling.stressed.end() ? 0 : stressed->second;
    if (bytes + more > memory_room(os, adapter)) return "more memory than VRAM has room for";
  }
  // In small VRAM the state of contexts moves, too.
  for (const json& adapter : scenario.at("platform").at("adapters"))
    if ((in_vram.count(adapter.at("name")) != 0 || os.at("video_memory") != "0B") &&
        may_keep_moves(unrolling.result.program, adapter.at("name")))
      return "waits in buffers while memory moves";
  return "";
}

}  // namespace fenceline::reference
