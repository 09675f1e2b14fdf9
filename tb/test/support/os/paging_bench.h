#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::support {

/// The stub, with a record of the paging operations that it builds. One exists at a time.
class PagingDriver {
 public:
  /// An operation as the driver has got it.
  struct Operation {
    DXGKARG_BUILDPAGINGBUFFER args;
    std::vector<UINT64> list;       ///< page numbers of its MDL
    std::vector<DXGK_PTE> entries;  ///< of an update of a page table
  };

  PagingDriver() { the_one = this; }
  ~PagingDriver() { the_one = nullptr; }
  PagingDriver(const PagingDriver&) = delete;
  PagingDriver& operator=(const PagingDriver&) = delete;

  static NTSTATUS entry(DRIVER_INITIALIZATION_DATA* table) {
    const NTSTATUS status = DriverEntry(table);
    stub = *table;
    table->DxgkDdiBuildPagingBuffer = [](HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
      return the_one->build_on(adapter, *args);
    };
    table->DxgkDdiCreateProcess = [](HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
      the_one->created.process = args->Flags.Value;
      return stub.DxgkDdiCreateProcess(adapter, args);
    };
    table->DxgkDdiCreateDevice = [](HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
      the_one->created.device = args->Flags.Value;
      return stub.DxgkDdiCreateDevice(adapter, args);
    };
    table->DxgkDdiCreateContext = [](HANDLE device, DXGKARG_CREATECONTEXT* args) {
      the_one->created.context = args->Flags.Value;
      if (!NT_SUCCESS(the_one->context_status)) return the_one->context_status;
      const NTSTATUS result = stub.DxgkDdiCreateContext(device, args);
      args->ContextInfo.Caps.Value |= the_one->context_caps;
      return result;
    };
    table->DxgkDdiOpenAllocation = [](HANDLE device, const DXGKARG_OPENALLOCATION* args) {
      return NT_SUCCESS(the_one->open_status) ? stub.DxgkDdiOpenAllocation(device, args)
                                              : the_one->open_status;
    };
    table->DxgkDdiDestroyAllocation = [](HANDLE adapter, const DXGKARG_DESTROYALLOCATION* args) {
      ++the_one->destroyed;
      return stub.DxgkDdiDestroyAllocation(adapter, args);
    };
    return status;
  }
  /// Has the stub build the operation.
  NTSTATUS build(DXGKARG_BUILDPAGINGBUFFER& args) const {
    return stub.DxgkDdiBuildPagingBuffer(adapter_, &args);
  }

  std::vector<Operation> operations;
  struct Created {
    UINT process = 0, device = 0, context = 0;
  };
  Created created;            ///< flags of what was created last
  std::size_t destroyed = 0;  ///< calls of DxgkDdiDestroyAllocation
  /// Answers in place of the stub. Unset: the stub does.
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&)> answer;
  NTSTATUS context_status = STATUS_SUCCESS;  ///< of DxgkDdiCreateContext
  NTSTATUS open_status = STATUS_SUCCESS;     ///< of DxgkDdiOpenAllocation
  UINT context_caps = 0;                     ///< DXGK_CONTEXTINFO_CAPS of every context

 private:
  static inline PagingDriver* the_one = nullptr;
  static inline DRIVER_INITIALIZATION_DATA stub{};

  NTSTATUS build_on(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER& args) {
    adapter_ = adapter;
    Operation kept{args, {}, {}};
    if (const MDL* const list = list_of(args))
      kept.list.assign(list->PageFrameNumbers,
                       list->PageFrameNumbers + list->ByteCount / os::kPage);
    const auto& update = args.UpdatePageTable;
    if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
      kept.entries.assign(update.pPageTableEntries,
                          update.pPageTableEntries + update.NumPageTableEntries);
    operations.push_back(std::move(kept));
    return answer ? answer(args) : build(args);
  }
  static const MDL* list_of(const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) return args.MapApertureSegment.pMdl;
    if (args.Operation != DXGK_OPERATION_TRANSFER) return nullptr;
    const DXGK_BUILDPAGINGBUFFER_TRANSFER& transfer = args.Transfer;
    return transfer.Source.SegmentId == os::kSystemSegment ? transfer.Source.pMdl
                                                           : transfer.Destination.pMdl;
  }

  HANDLE adapter_ = nullptr;
};

/// A small machine with a memory manager over a PagingDriver.
struct PagingBench : PagingDriver, KernelBench {
  explicit PagingBench(const os::KernelOptions& options = managed_kernel(),
                       const top::PlatformConfig& platform = small_platform())
      : KernelBench(options, platform, &PagingDriver::entry) {}

  /// Runs `body` as the only thread, with nothing recorded yet.
  void with_kernel(const Body& body) {
    run({[&](os::Kernel& kernel) {
      forget();
      body(kernel);
    }});
  }
  void forget() {
    operations.clear();
    events.all.clear();
  }
  os::AdapterState& state() { return kernel().system.adapters[0]; }
  /// A page of VRAM that nothing uses; the next call returns the next one.
  std::uint64_t vram_page() { return state().vram_pages->allocate(os::kPage); }
  std::uint64_t in_segment(std::uint64_t vram) {
    return vram - state().adapter->vram_segment_base();
  }
  std::shared_ptr<os::MonitoredFence> make_fence() {
    os::Process nobody(kernel().system.objects);
    return kernel().sync_objects.create_monitored(
        nobody, 0, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoGPUAccess, "fence");
  }
  /// The context of the pager that started last.
  os::ContextQueue& paging_context() { return *kernel().system.contexts->table.contexts.back(); }
};

}  // namespace fenceline::support
