#include "tb/os/objects/fence_reclaimer.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::os {

void FenceReclaimer::add(Process& process, const std::shared_ptr<Fence>& fence, bool last,
                         GpuMappings mappings) {
  RetiredFences::Entry entry{last ? fence : nullptr, std::move(mappings)};
  if (last)
    entry.mappings.insert(entry.mappings.end(), fence->system_mappings.begin(),
                          fence->system_mappings.end());
  for (const Process* user : last ? fence->users : std::vector<Process*>{&process})
    for (const auto& mark : system_.marks_of(*user)) entry.submitted.push_back(mark);
  system_.objects.alter();
  retired_.add(std::move(entry));
  const bool reachable = std::all_of(system_.adapters.begin(), system_.adapters.end(),
                                     [](const auto& state) { return state.power->steady(); });
  if (reachable) reclaim(retired_.take(system_.options.adapter.system.closes_together));
}

/// First the page tables change, then the GPUs drop cached translations. Only then are addresses
/// and memory reused.
void FenceReclaimer::reclaim(const std::vector<RetiredFences::Entry>& entries) {
  std::vector<AddressSpace*> spaces;
  for (const auto& entry : entries)
    for (const GpuMapping& mapping : entry.mappings) {
      mapping.space->unmap(mapping.address);
      if (std::find(spaces.begin(), spaces.end(), mapping.space) == spaces.end())
        spaces.push_back(mapping.space);
    }
  if (!abi::mutant(abi::Mutant::kFreedUnflushed))
    for (AddressSpace* space : spaces) space->flush_tlb();
  for (const auto& entry : entries) {
    for (const GpuMapping& mapping : entry.mappings) mapping.space->give_back(mapping.address);
    if (entry.fence == nullptr) continue;
    storage_.give_back(*entry.fence);
  }
}

}  // namespace fenceline::os
