#include "models/abi/registers.h"
#include "tb/test/support/hostile_driver/mistakes.h"

namespace abi = fenceline::abi;

namespace {

constexpr Moment kStart = Moment::kStartDevice;

#define ALLOCATE(bytes) [](Scene& scene) { scene.port.allocate_contiguous(bytes); }
#define MAP(address, bytes, vram) \
  [](Scene& scene) { scene.port.map_physical(address, bytes, vram); }
#define DOORBELL(page) [](Scene& scene) { scene.port.map_doorbell(page); }

constexpr Mistake kTable[] = {
    {"memory_allocate_nothing", "allocates 0 bytes", kStart, "I132", ALLOCATE(0)},
    {"memory_allocate_in_isr", "allocates in the ISR", Moment::kInterrupt, "I132", ALLOCATE(64)},
    {"memory_allocate_in_update", "allocates at device level", Moment::kUpdateMonitored, "I132",
     ALLOCATE(64)},
    {"memory_allocate_too_much", "allocates 2^60 bytes and gets null", kStart, "fine",
     ALLOCATE(1ULL << 60)},
    {"memory_allocate_most", "allocates 2^64 - 1 bytes and gets null", kStart, "fine",
     ALLOCATE(SIZE_MAX)},
    {"memory_allocate_all", "allocates until it gets null", kStart, "fine",
     [](Scene& scene) {
       while (scene.port.allocate_contiguous(1 << 20).kernel_address != nullptr) {
       }
     }},
    {"memory_allocate_in_dpc", "allocates at DISPATCH_LEVEL, as it may", Moment::kDpc, "fine",
     ALLOCATE(64)},
    {"memory_map_nothing", "maps 0 bytes", kStart, "I132", MAP(1 << 20, 0, false)},
    {"memory_map_vram_nothing", "maps 0 bytes of VRAM", kStart, "I132", MAP(0, 0, true)},
    {"memory_map_in_isr", "maps in the ISR", Moment::kInterrupt, "I132", MAP(1 << 20, 8, false)},
    {"memory_map_hole", "maps where no memory is", kStart, "I132", MAP(1ULL << 46, 8, false)},
    {"memory_map_wraps", "maps the end of 64 bits", kStart, "I132",
     MAP(UINT64_MAX - 4095, 8192, false)},
    {"memory_map_too_long", "maps all and more", kStart, "I132", MAP(0, 1ULL << 50, false)},
    {"memory_map_vram_behind", "maps VRAM that there is not", kStart, "I132",
     MAP(1ULL << 45, 8, true)},
    {"memory_map_vram_too_long", "maps more than all VRAM", kStart, "I132",
     MAP(0, 1ULL << 45, true)},
    {"memory_map_vram_wraps", "maps the end of 64 bits as VRAM", kStart, "I132",
     MAP(UINT64_MAX - 7, 16, true)},
    {"memory_doorbell_peers", "maps the page of other GPUs", kStart, "I132",
     DOORBELL(abi::kQueueSlots)},
    {"memory_doorbell_node", "maps the doorbell of a node that there is not", kStart, "I132",
     DOORBELL(abi::kNodeDoorbell + abi::kMaxNodes)},
    {"memory_doorbell_huge", "maps doorbell page 2^32 - 1", kStart, "I132", DOORBELL(UINT32_MAX)},
    {"memory_doorbell_in_isr", "maps a doorbell in the ISR", Moment::kInterrupt, "I132",
     DOORBELL(0)},
};

}  // namespace

Mistakes memory_mistakes() { return {kTable, std::size(kTable)}; }
