#include <cstdint>
#include <vector>

#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

constexpr Moment kStart = Moment::kStartDevice;
constexpr std::size_t kBytes = 4096;
constexpr std::uint64_t kWild = 0xFFFF123400000000;

void* pointer(std::uint64_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

/// Memory of its own, and an address that far from its start.
char* own(Scene& scene, std::ptrdiff_t offset) {
  return static_cast<char*>(scene.port.allocate_contiguous(kBytes).kernel_address) + offset;
}

void read_own(Scene& scene, std::ptrdiff_t offset) { scene.port.read_memory(own(scene, offset)); }
void write_own(Scene& scene, std::ptrdiff_t offset) {
  scene.port.write_memory(own(scene, offset), 1);
}
void copy_out(Scene& scene, std::ptrdiff_t offset, std::size_t bytes) {
  std::vector<char> data(2 * kBytes);
  scene.port.read_memory(own(scene, offset), data.data(), bytes);
}
void copy_in(Scene& scene, std::ptrdiff_t offset, std::size_t bytes) {
  const std::vector<char> data(2 * kBytes);
  scene.port.write_memory(own(scene, offset), data.data(), bytes);
}

constexpr Mistake kTable[] = {
    {"address_read_null", "reads null", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(nullptr); }},
    {"address_write_null", "writes null", kStart, "I131",
     [](Scene& scene) { scene.port.write_memory(nullptr, 1); }},
    {"address_read_small", "reads address 8", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(pointer(8)); }},
    {"address_read_own_variable", "reads a variable of the driver's", kStart, "I131",
     [](Scene& scene) {
       std::uint64_t variable = 0;
       scene.port.read_memory(&variable);
     }},
    {"address_write_own_variable", "writes a variable of the driver's", kStart, "I131",
     [](Scene& scene) {
       std::uint64_t variable = 0;
       scene.port.write_memory(&variable, 1);
     }},
    {"address_read_wild", "reads an address from nowhere", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(pointer(kWild)); }},
    {"address_write_wild", "writes an address from nowhere", kStart, "I131",
     [](Scene& scene) { scene.port.write_memory(pointer(kWild), 1); }},
    {"address_read_last", "reads the last address", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(pointer(UINT64_MAX - 7)); }},
    {"address_read_physical", "reads a physical address", kStart, "I131",
     [](Scene& scene) {
       scene.port.read_memory(pointer(scene.port.allocate_contiguous(kBytes).physical_address));
     }},
    {"address_read_system_page", "reads memory of somebody else", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(pointer(0xFFFF000000000000 + (1ULL << 19))); }},
    {"address_read_vram_unmapped", "reads VRAM that it has not mapped", kStart, "I131",
     [](Scene& scene) {
       const auto* vram = static_cast<char*>(scene.port.map_physical(1 << 20, 8, true));
       scene.port.read_memory(vram + (1 << 16));
     }},
    {"address_write_doorbell_unmapped", "rings a doorbell that it has not mapped", kStart, "I131",
     [](Scene& scene) {
       auto* page = static_cast<char*>(scene.port.map_doorbell(200));
       scene.port.write_memory(page + 4096, 1);
     }},
    {"address_read_unaligned", "reads 64 bits at +4", kStart, "I131",
     [](Scene& scene) { read_own(scene, 4); }},
    {"address_write_unaligned", "writes 64 bits at +1", kStart, "I131",
     [](Scene& scene) { write_own(scene, 1); }},
    {"address_copy_out_unaligned", "reads 16 bytes at +4", kStart, "I131",
     [](Scene& scene) { copy_out(scene, 4, 16); }},
    {"address_copy_in_unaligned", "writes 16 bytes at +2", kStart, "I131",
     [](Scene& scene) { copy_in(scene, 2, 16); }},
    {"address_read_before", "reads in front of its memory", kStart, "I131",
     [](Scene& scene) {
       scene.port.allocate_contiguous(8);  // the page in front is not used up to its end
       read_own(scene, -8);
     }},
    {"address_read_behind", "reads behind its memory", kStart, "I131",
     [](Scene& scene) { read_own(scene, kBytes); }},
    {"address_write_behind", "writes behind its memory", kStart, "I131",
     [](Scene& scene) { write_own(scene, kBytes); }},
    {"address_copy_out_leaves", "reads 8 bytes too many", kStart, "I131",
     [](Scene& scene) { copy_out(scene, 0, kBytes + 8); }},
    {"address_copy_in_leaves", "writes 8 bytes too many", kStart, "I131",
     [](Scene& scene) { copy_in(scene, 8, kBytes); }},
    {"address_copy_in_huge", "writes almost 2^64 bytes", kStart, "I131",
     [](Scene& scene) { copy_in(scene, 0, SIZE_MAX - 7); }},
    {"address_copy_out_nothing", "reads 0 bytes", kStart, "I131",
     [](Scene& scene) { copy_out(scene, 0, 0); }},
    {"address_copy_in_nothing", "writes 0 bytes", kStart, "I131",
     [](Scene& scene) { copy_in(scene, 0, 0); }},
    {"address_copy_out_uneven", "reads 12 bytes", kStart, "I131",
     [](Scene& scene) { copy_out(scene, 0, 12); }},
    {"address_copy_in_uneven", "writes 63 bytes", kStart, "I131",
     [](Scene& scene) { copy_in(scene, 0, 63); }},
    {"address_copy_to_null", "reads into null", kStart, "I131",
     [](Scene& scene) { scene.port.read_memory(own(scene, 0), nullptr, 8); }},
    {"address_copy_from_null", "writes from null", kStart, "I131",
     [](Scene& scene) {
       scene.port.write_memory(own(scene, 0), static_cast<const void*>(nullptr), 8);
     }},
    {"address_null_in_isr", "reads null in the ISR", Moment::kInterrupt, "I131",
     [](Scene& scene) { scene.port.read_memory(nullptr); }},
    {"address_wild_in_dpc", "writes an address from nowhere in the DPC", Moment::kDpc, "I131",
     [](Scene& scene) { scene.port.write_memory(pointer(kWild), 1); }},
};

}  // namespace

Mistakes address_mistakes() { return {kTable, std::size(kTable)}; }
