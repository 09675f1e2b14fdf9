#include <cstring>

#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

void* pointer(std::uint64_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

/// The segments, when they are asked for by address; else null.
DXGK_QUERYSEGMENTOUT4* segments(const Scene& scene) {
  if (scene.query->Type != DXGKQAITYPE_QUERYSEGMENT4) return nullptr;
  return static_cast<DXGK_QUERYSEGMENTOUT4*>(scene.query->pOutputData);
}
DXGK_SEGMENTDESCRIPTOR4* first_segment(const Scene& scene) {
  const DXGK_QUERYSEGMENTOUT4* out = segments(scene);
  if (out == nullptr || out->pSegmentDescriptor == nullptr) return nullptr;
  return reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor);
}

/// Of what DxgkDdiQueryAdapterInfo returns, changed each time.
template <UINT count>
void counts_segments(Scene& scene) {
  if (auto* out = segments(scene)) out->NbSegment = count;
}
template <UINT bytes>
void sizes_paging_buffer(Scene& scene) {
  if (auto* out = segments(scene)) out->PagingBufferSize = bytes;
}
void bases_segment(Scene& scene) {
  if (auto* segment = first_segment(scene)) segment->BaseAddress.QuadPart = 1LL << 50;
}
void unflags_segment(Scene& scene) {
  if (auto* segment = first_segment(scene)) segment->Flags.Value = 0;
}
void flags_segment(Scene& scene) {
  if (auto* segment = first_segment(scene)) segment->Flags.Value = UINT32_MAX;
}
DXGK_DRIVERCAPS* caps(const Scene& scene) {
  if (scene.query->Type != DXGKQAITYPE_DRIVERCAPS) return nullptr;
  return static_cast<DXGK_DRIVERCAPS*>(scene.query->pOutputData);
}
void pages_on_node_99(Scene& scene) {
  if (auto* out = caps(scene)) out->MemoryManagementCaps.PagingNode = 99;
}
void claims_all(Scene& scene) {
  if (auto* out = caps(scene)) out->SchedulingCaps.Value = UINT32_MAX;
}
void claims_nothing(Scene& scene) {
  if (auto* out = caps(scene)) *out = {};
}

constexpr Moment kQuery = Moment::kQueryAdapterInfo;

constexpr Mistake kTable[] = {
    {"answers_no_segments", "has no segment", kQuery, "verdict", counts_segments<0>},
    {"answers_all_segments", "has 2^32 - 1 segments", kQuery, "verdict",
     counts_segments<UINT32_MAX>},
    {"answers_33_segments", "has 33 segments and describes two", kQuery, "verdict",
     counts_segments<33>},
    {"answers_no_paging_buffer", "wants paging buffers of 0 bytes", kQuery, "verdict",
     sizes_paging_buffer<0>},
    {"answers_small_paging_buffer", "wants paging buffers of 8 bytes", kQuery, "verdict",
     sizes_paging_buffer<8>},
    {"answers_huge_paging_buffer", "wants paging buffers of 2^32 - 1 bytes", kQuery, "verdict",
     sizes_paging_buffer<UINT32_MAX>},
    {"answers_wild_segment", "has VRAM begin at 2^50", kQuery, "verdict", bases_segment},
    {"answers_no_flags", "describes VRAM without a flag", kQuery, "verdict", unflags_segment},
    {"answers_all_flags", "describes VRAM with all flags", kQuery, "verdict", flags_segment},
    {"answers_paging_node", "pages on node 99", kQuery, "verdict", pages_on_node_99},
    {"answers_all_caps", "has all capabilities", kQuery, "verdict", claims_all},
    {"answers_no_caps", "has no capability", kQuery, "verdict", claims_nothing},
    {"answers_no_doorbell", "connects a doorbell and gives no address", Moment::kConnectDoorbell,
     "I131", [](Scene& scene) { scene.doorbell->KernelCpuVirtualAddress = nullptr; }},
    {"answers_wild_doorbell", "connects a doorbell at an address from nowhere",
     Moment::kConnectDoorbell, "I131",
     [](Scene& scene) { scene.doorbell->KernelCpuVirtualAddress = pointer(0xFFFF123400000000); }},
    {"answers_own_doorbell", "connects a doorbell in memory of the driver's",
     Moment::kConnectDoorbell, "I131",
     [](Scene& scene) { scene.doorbell->KernelCpuVirtualAddress = &scene; }},
};

}  // namespace

Mistakes answer_mistakes() { return {kTable, std::size(kTable)}; }
