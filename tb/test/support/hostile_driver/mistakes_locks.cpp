#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

constexpr Moment kStart = Moment::kStartDevice;
constexpr std::uint32_t kUnknown = 1000;

void acquire_new(Scene& scene) { scene.port.acquire_lock(scene.port.create_lock()); }
void release_new(Scene& scene) { scene.port.release_lock(scene.port.create_lock()); }
std::uint64_t no_hash(const void* /*state*/) { return 0; }

constexpr Mistake kTable[] = {
    {"lock_acquire_unknown", "acquires a lock that there is not", kStart, "I133",
     [](Scene& scene) { scene.port.acquire_lock(kUnknown); }},
    {"lock_release_unknown", "releases a lock that there is not", kStart, "I133",
     [](Scene& scene) { scene.port.release_lock(kUnknown); }},
    {"lock_release_free", "releases a lock that nobody holds", kStart, "I133", release_new},
    {"lock_release_twice", "releases a lock twice", kStart, "I133",
     [](Scene& scene) {
       const auto lock = scene.port.create_lock();
       scene.port.acquire_lock(lock);
       scene.port.release_lock(lock);
       scene.port.release_lock(lock);
     }},
    {"lock_acquire_twice", "acquires a lock that it holds", kStart, "I133",
     [](Scene& scene) {
       const auto lock = scene.port.create_lock();
       scene.port.acquire_lock(lock);
       scene.port.acquire_lock(lock);
       scene.port.release_lock(lock);
       scene.port.release_lock(lock);
     }},
    {"lock_out_of_order", "releases the first of two locks first", kStart, "I133",
     [](Scene& scene) {
       const auto first = scene.port.create_lock();
       const auto second = scene.port.create_lock();
       scene.port.acquire_lock(first);
       scene.port.acquire_lock(second);
       scene.port.release_lock(first);
       scene.port.release_lock(second);
     }},
    {"lock_left", "returns with a lock held", kStart, "I133", acquire_new},
    {"lock_left_two", "returns with two locks held", kStart, "I133",
     [](Scene& scene) {
       acquire_new(scene);
       acquire_new(scene);
     }},
    {"lock_left_in_create_fence", "returns with a lock held", Moment::kCreateFence, "I133",
     acquire_new},
    {"lock_left_in_dpc", "leaves the DPC with a lock held", Moment::kDpc, "I133", acquire_new},
    {"lock_acquire_in_isr", "acquires a spin lock in the ISR", Moment::kInterrupt, "I133",
     acquire_new},
    {"lock_acquire_in_update", "acquires a spin lock at device level", Moment::kUpdateMonitored,
     "I133", acquire_new},
    {"lock_release_in_isr", "releases in the ISR what nobody holds", Moment::kInterrupt, "I133",
     release_new},
    {"lock_acquire_in_synchronize", "acquires a spin lock under the interrupt lock", kStart, "I133",
     [](Scene& scene) {
       BOOLEAN result = FALSE;
       scene.os.DxgkCbSynchronizeExecution(
           scene.os.DeviceHandle,
           [](PVOID context) -> BOOLEAN {
             acquire_new(*static_cast<Scene*>(context));
             return TRUE;
           },
           &scene, 0, &result);
     }},
    {"lock_nested_in_order", "releases two locks in order, as it may", kStart, "fine",
     [](Scene& scene) {
       const auto first = scene.port.create_lock();
       const auto second = scene.port.create_lock();
       scene.port.acquire_lock(first);
       scene.port.acquire_lock(second);
       scene.port.release_lock(second);
       scene.port.release_lock(first);
     }},
    {"shared_read_unknown", "reads a shared value that there is not", kStart, "I133",
     [](Scene& scene) { scene.port.touch_shared(kUnknown, false); }},
    {"shared_write_unknown", "writes a shared value that there is not", kStart, "I133",
     [](Scene& scene) { scene.port.touch_shared(kUnknown, true); }},
    {"state_without_function", "exposes its state without a function", kStart, "I133",
     [](Scene& scene) { scene.port.expose_state(nullptr, &scene); }},
    {"state_without_state", "exposes no state", kStart, "I133",
     [](Scene& scene) { scene.port.expose_state(no_hash, nullptr); }},
};

}  // namespace

Mistakes lock_mistakes() { return {kTable, std::size(kTable)}; }
