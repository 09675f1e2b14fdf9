#include <cstring>

#include "tb/support/hostile_driver/mistakes.h"

namespace {

void* pointer(std::uint64_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

constexpr Mistake kTable[] = {
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
