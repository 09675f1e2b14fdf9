#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/abi/private_data.h"
#include "tb/user/context_writer.h"
#include "tb/user/map_duties.h"

namespace fenceline::user {

/// Memory as a runtime sees it: mapped by the rules of D3D11, backed by one allocation or, once it
/// has been renamed, by several in turn.
///
/// The memory manager does not know which work uses what: the driver keeps for each allocation the
/// fence values at which the work that it recorded is done, and waits by an event, never by
/// polling. What was locked for a map stays locked for life. All calls in threads of the process.
/// Source: WDDM, Lock2: duties of the user-mode driver.
class Resource {
 public:
  static constexpr std::size_t kMostInstances = 4;  ///< then a map that discards waits; A-308

  Resource(os::Kernel& kernel, os::Process& process, std::string name,
           const abi::AllocationPrivateData& wanted, const MapDuties& duties)
      : kernel_(kernel),
        process_(process),
        name_(std::move(name)),
        wanted_(wanted),
        duties_(duties) {}

  /// One allocation. What D3DKMTCreateAllocation2 returns.
  NTSTATUS create();
  /// All of them. What D3DKMTDestroyAllocation2 returns.
  NTSTATUS destroy(UINT flags);
  /// Who waits: a thread and its event.
  struct Thread {
    std::uint32_t object;
    os::KernelEvent& event;
  };
  /// Makes resources of the process resident in one call and waits for the paging fence.
  /// What D3DKMTMakeResident returns, or STATUS_SUCCESS in the place of STATUS_PENDING.
  static NTSTATUS make_resident(os::Kernel& kernel, os::Process& process,
                                const std::vector<Resource*>& resources, Thread thread);
  static NTSTATUS evict(os::Kernel& kernel, os::Process& process,
                        const std::vector<Resource*>& resources, UINT flags);

  /// D3D11 Map. D3DDDIERR_WASSTILLDRAWING: the GPU uses it and `do_not_wait` is set;
  /// STATUS_INVALID_PARAMETER while it is mapped; or what D3DKMTLock2 returns.
  NTSTATUS map(common::MapMode mode, bool do_not_wait, Thread thread);
  /// STATUS_INVALID_PARAMETER for one that is not mapped.
  NTSTATUS unmap();
  bool mapped() const { return mapped_; }

  /// Work that is recorded for a context now uses it.
  void note_use(ContextWriter& context, bool writes);
  /// D3DKMTInvalidateCache, where the GPU does not see the CPU's caches and those keep lines of it.
  void invalidate_cache() const;

  /// Work of other contexts that uses it is done.
  bool free_for(const ContextWriter& context);
  /// No work that was recorded uses it any more, as far as the fences say.
  bool idle();

  D3DKMT_HANDLE handle() const { return instance().handle; }
  D3DGPU_VIRTUAL_ADDRESS address() const { return instance().gpu_address; }
  /// User address; only while it is locked does it lead anywhere.
  std::uint64_t user_address() const { return instance().user_address; }
  std::uint64_t bytes() const { return wanted_.bytes; }
  const std::string& name() const { return name_; }

 private:
  /// The value of a context's fence at which its last use is over.
  struct Use {
    const ContextWriter* context;
    std::uint64_t read;
    std::uint64_t written;
  };
  struct Instance {
    D3DKMT_HANDLE handle = 0;
    D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
    std::uint64_t user_address = 0;
    bool locked = false;
    bool resident = false;
    std::vector<Use> uses;
  };
  const Instance& instance() const { return instances_[current_]; }
  void set_resident(bool resident);
  static std::vector<D3DKMT_HANDLE> handles_of(const std::vector<Resource*>& resources,
                                               bool resident);
  /// @param index of the new one.
  NTSTATUS add_instance(std::size_t& index);
  NTSTATUS rename(Thread thread);
  static bool busy(const Instance& instance, bool reads_too);
  void wait_idle(const Instance& instance, bool reads_too, Thread thread);

  os::Kernel& kernel_;
  os::Process& process_;
  const std::string name_;
  const abi::AllocationPrivateData wanted_;
  const MapDuties duties_;
  std::deque<Instance> instances_;  ///< elements stay in place: other threads add some
  std::size_t current_ = 0;
  bool resident_ = false;
  bool mapped_ = false;
  common::MapMode mode_ = common::MapMode::kRead;
};

}  // namespace fenceline::user
