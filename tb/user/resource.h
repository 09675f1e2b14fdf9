#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/abi/private_data.h"
#include "tb/user/context_writer.h"
#include "tb/user/map_duties.h"

namespace fenceline::user {

/// Memory of a runtime, mapped by the rules of D3D11. One allocation backs it, or several in turn
/// after it was renamed.
///
/// The memory manager does not know which work uses an allocation. The driver therefore keeps for
/// each allocation the fence values at which its recorded work is done. It waits with an event and
/// never polls. An allocation locked for a map stays locked for its life. All calls run in threads
/// of the process. Source: WDDM, Lock2: duties of the user-mode driver.
class Resource {
 public:
  static constexpr std::size_t kMaxInstances = 4;  ///< with more, a discarding map waits; A-308

  Resource(os::Kernel& kernel, os::Process& process, std::string name,
           const abi::AllocationPrivateData& wanted, const MapDuties& duties)
      : kernel_(kernel),
        process_(process),
        name_(std::move(name)),
        wanted_(wanted),
        duties_(duties) {}

  /// Creates one allocation. Returns the status of D3DKMTCreateAllocation2.
  NTSTATUS create();
  /// Destroys all allocations. Returns the status of D3DKMTDestroyAllocation2.
  NTSTATUS destroy(UINT flags);
  /// Makes resources of the process resident in one call and waits for the paging fence. Returns
  /// the status of D3DKMTMakeResident, with STATUS_SUCCESS instead of STATUS_PENDING.
  static NTSTATUS make_resident(os::Kernel& kernel, os::Process& process,
                                const std::vector<Resource*>& resources);
  static NTSTATUS evict(os::Kernel& kernel, os::Process& process,
                        const std::vector<Resource*>& resources, UINT flags);

  /// D3D11 Map. D3DDDIERR_WASSTILLDRAWING if the GPU uses the resource and `do_not_wait` is set;
  /// STATUS_INVALID_PARAMETER if it is already mapped; or the status of D3DKMTLock2.
  NTSTATUS map(event::MapMode mode, bool do_not_wait);
  /// STATUS_INVALID_PARAMETER if it is not mapped.
  NTSTATUS unmap();
  bool mapped() const { return mapped_; }

  /// Notes that work recorded now for a context uses it.
  void note_use(ContextWriter& context, bool writes);
  /// Calls D3DKMTInvalidateCache if the GPU does not snoop the CPU caches and these may hold its
  /// lines.
  void invalidate_cache() const;

  /// True if the work of other contexts that uses it is done.
  bool free_for(const ContextWriter& context);
  /// True if all recorded work that uses it is done, by the fence values.
  bool idle();

  D3DKMT_HANDLE handle() const { return instance().handle; }
  D3DGPU_VIRTUAL_ADDRESS address() const { return instance().gpu_address; }
  /// User address; valid only while it is locked.
  std::uint64_t user_address() const { return instance().user_address; }
  std::uint64_t bytes() const { return wanted_.bytes; }
  const std::string& name() const { return name_; }

 private:
  /// Fence values of a context at which its last uses end.
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
  /// @param index index of the new instance.
  NTSTATUS add_instance(std::size_t& index);
  NTSTATUS rename();
  static bool busy(const Instance& instance, bool reads_too);
  void wait_idle(const Instance& instance, bool reads_too);

  os::Kernel& kernel_;
  os::Process& process_;
  const std::string name_;
  const abi::AllocationPrivateData wanted_;
  const MapDuties duties_;
  /// A deque: elements must not move while other threads add some.
  std::deque<Instance> instances_;
  std::size_t current_ = 0;
  bool resident_ = false;
  bool mapped_ = false;
  event::MapMode mode_ = event::MapMode::kRead;
};

}  // namespace fenceline::user
