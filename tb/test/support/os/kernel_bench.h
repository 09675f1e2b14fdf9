#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "models/abi/private_data.h"
#include "models/top/gpu.h"
#include "tb/os/driver/bug_check.h"
#include "tb/test/support/event_list.h"
#include "tb/user/machine.h"

namespace fenceline::support {

/// Options of a kernel with a memory manager.
inline os::KernelOptions managed_kernel() {
  os::KernelOptions options;
  options.contexts = options.managed_memory = true;
  return options;
}

/// A platform with 4 MiB of VRAM. @param bar_bytes size of the VRAM BAR; 0: all of VRAM
inline top::PlatformConfig small_platform(std::uint64_t bar_bytes = 0) {
  top::PlatformConfig platform;
  platform.gpus[0].vram.size_bytes = 4ULL << 20;
  platform.gpus[0].vram_bar.bytes = bar_bytes;
  platform.host.write_combining.buffers = 0;
  return platform;
}

/// The simulation of a KernelBench, built before its machine.
struct BenchSimulation {
  common::Simulation of_bench{common::Ordering{}};
};

/// A small machine whose threads work with the parts of its kernel.
class KernelBench : private BenchSimulation, public user::Machine {
 public:
  using Body = std::function<void(os::Kernel&)>;

  explicit KernelBench(const os::KernelOptions& options = managed_kernel(),
                       const top::PlatformConfig& platform = small_platform(),
                       os::DriverEntryFunction driver = DriverEntry)
      : user::Machine(of_bench, platform, options, driver) {
    events.all.clear();
    of_bench.events.subscribe(events);
  }
  /// Runs each body in a thread of its own. All must end.
  void run(std::initializer_list<Body> bodies) { CHECK(run_some(bodies)); }
  /// The same. @return true if all have ended
  bool run_some(std::initializer_list<Body> bodies) {
    const std::size_t process = add_process("threads");
    for (const Body& body : bodies)
      add_thread("t" + std::to_string(process) + std::to_string(threads_++), process,
                 [this, body] { body(kernel()); });
    return user::Machine::run();
  }

  EventList events;

 private:
  int threads_ = 0;
};

/// Runs `body` as the only thread.
inline void run_in_kernel(const KernelBench::Body& body,
                          const os::KernelOptions& options = managed_kernel(),
                          const top::PlatformConfig& platform = small_platform()) {
  KernelBench(options, platform).run({body});
}

/// A process in a thread of a small machine, with the calls that it makes about memory.
struct Caller {
  static constexpr std::uint32_t kVram = 1, kAperture = 2;  ///< segments
  static constexpr std::uint32_t kBoth = kVram | kAperture;

  explicit Caller(os::Kernel& of, std::size_t adapter = 0)
      : kernel(of), process(of.devices.create_process("app", adapter)) {}

  NTSTATUS create(D3DKMT_HANDLE& handle, std::uint32_t segments = kBoth,
                  std::uint32_t flags = abi::kUsedByCpu, std::uint64_t bytes = 8192) {
    abi::AllocationPrivateData data{bytes, segments, 0, flags, 0};
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
    D3DKMT_CREATEALLOCATION args{process.device(), 0, 1, &info};
    const NTSTATUS status = kernel.memory.D3DKMTCreateAllocation2(process, args);
    handle = info.hAllocation;
    return status;
  }
  /// Returns when it is resident.
  NTSTATUS make_resident(D3DKMT_HANDLE handle, UINT64* to_trim = nullptr) {
    D3DKMT_CREATEPAGINGQUEUE queue{};
    queue.hDevice = process.device();
    REQUIRE(kernel.memory.D3DKMTCreatePagingQueue(process, queue) == STATUS_SUCCESS);
    D3DDDI_MAKERESIDENT args{};
    args.hPagingQueue = queue.hPagingQueue;
    args.NumAllocations = 1;
    args.AllocationList = &handle;
    const NTSTATUS status = kernel.memory.D3DKMTMakeResident(process, args);
    if (to_trim != nullptr) *to_trim = args.NumBytesToTrim;
    if (status != STATUS_PENDING) return status;
    return wait(queue.hSyncObject, args.PagingFenceValue);
  }
  NTSTATUS evict(D3DKMT_HANDLE handle, UINT flags = 0) {
    D3DKMT_EVICT args{process.device(), 1, &handle, {flags}, 0};
    return kernel.memory.D3DKMTEvict(process, args);
  }
  NTSTATUS wait(D3DKMT_HANDLE fence, UINT64 value) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.FenceValueArray = &value;
    return kernel.waits.D3DKMTWaitForSynchronizationObjectFromCpu(process, wait);
  }
  NTSTATUS lock(D3DKMT_HANDLE handle, UINT flags = 0, PVOID* data = nullptr) {
    D3DKMT_LOCK2 args{process.device(), handle, {flags}, nullptr};
    const NTSTATUS status = kernel.memory.D3DKMTLock2(process, args);
    if (data != nullptr) *data = args.pData;
    return status;
  }
  NTSTATUS unlock(D3DKMT_HANDLE handle) {
    return kernel.memory.D3DKMTUnlock2(process, {process.device(), handle});
  }
  NTSTATUS destroy(D3DKMT_HANDLE handle, UINT flags = 0) {
    return kernel.memory.D3DKMTDestroyAllocation2(process,
                                                  {process.device(), 0, &handle, 1, {flags}});
  }
  os::Allocation& allocation(D3DKMT_HANDLE handle) { return *process.allocation(handle); }
  /// A new allocation that is not resident.
  os::Allocation& make(std::uint32_t segments = kBoth, std::uint32_t flags = abi::kUsedByCpu,
                       std::uint64_t bytes = 8192) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(create(handle, segments, flags, bytes) == STATUS_SUCCESS);
    return allocation(handle);
  }
  D3DKMT_HANDLE handle_of(const os::Allocation& allocation) const {
    for (std::size_t i = 0; i < process.managed.size(); ++i)
      if (process.managed[i].get() == &allocation) return process.own(os::kAllocationHandle, i + 1);
    return 0;
  }
  os::VideoMemory& memory() { return *kernel.system.of(process).memory; }

  os::Kernel& kernel;
  os::Process& process;
};

/// The first parameter of the bug check of VidMm that `body` causes; 0: none.
template <typename Body>
std::uint64_t memory_bug_check(Body&& body) {
  try {
    body();
  } catch (const os::BugCheck& stop) {
    CHECK(stop.code() == VIDEO_MEMORY_MANAGEMENT_INTERNAL);
    return stop.parameters().first;
  }
  return 0;
}

}  // namespace fenceline::support
