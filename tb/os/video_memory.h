#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/host/caches.h"
#include "tb/os/allocation.h"
#include "tb/os/page_set.h"
#include "tb/os/pager.h"
#include "tb/os/shared_data.h"

namespace fenceline::os {

/// VidMm of one adapter: where allocations are, who moves them when, and how the CPU gets at them.
///
/// A thread of its own (`run`) moves content between VRAM and system memory by paging buffers; what
/// threads of processes ask for goes through its list of requests. While an allocation is moved,
/// the contexts of its process are held and its user address faults until it is there again.
/// Source: WDDM, video memory management; assumptions.
class VideoMemory : public common::Hashed {
 public:
  static constexpr std::uint32_t kMostLocks = 1024;  ///< of one allocation at a time; A-307

  VideoMemory(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts, MonitoredFences& fences,
              memory::SystemMemory& host_memory, const host::Caches& caches, bool snoops);

  /// D3DKMTInvalidateCache: a range, which lies within the allocation.
  void invalidate_cache(Allocation& allocation, std::uint64_t offset, std::uint64_t bytes);
  /// A buffer that lists them is about to be given to the driver, or is over.
  void follow_lists(const std::vector<Allocation*>& listed, ListedWork work);

  /// The adapter has started. @param wake puts it in D0. @param fence of the paging buffers.
  void start(AddressSpace& system, PagePool& vram_pages, PagePool& system_pages,
             std::shared_ptr<MonitoredFence> fence, std::function<void()> wake);
  /// The body of its thread.
  void run();
  /// A buffer has been completed. Up to DISPATCH_LEVEL.
  void progress() { work_.set(); }

  // Calls of threads at PASSIVE_LEVEL; what they return is said at the D3DKMT calls of Kernel.
  NTSTATUS create(Process& process, D3DDDI_ALLOCATIONINFO2& info, const std::string& name,
                  D3DKMT_HANDLE handle, std::unique_ptr<Allocation>& made);
  /// @param value that the paging queue's fence gets when all of them are there.
  /// For the state of a context. On return it is resident and initialised.
  NTSTATUS create_state(Process& process, const DXGKARGCB_CREATECONTEXTALLOCATION& args,
                        Allocation& made);
  /// What the node needs of a context is to be resident again; ContextScheduler::state_returned is
  /// called when it is.
  void bring_state(ContextQueue& context);
  /// Paging buffers were lost in a reset of the adapter: the devices whose memory they were about
  /// are in error. At PASSIVE_LEVEL, in any thread.
  void lose_paging();
  NTSTATUS make_resident(Process& process, const std::vector<Allocation*>& list,
                         std::uint64_t value, std::uint64_t& to_trim);
  void evict(Process& process, const std::vector<Allocation*>& list, bool only_if_necessary);
  /// @param synchronous returns when the memory is free.
  void destroy(Process& process, const std::vector<Allocation*>& list, bool assume_not_in_use,
               bool synchronous);
  /// How a lock deals with what it finds.
  struct LockRules {
    /// False: STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION instead of a move to system memory.
    bool may_move = true;
    /// False: STATUS_GRAPHICS_ALLOCATION_BUSY instead of a wait for work that lists it.
    bool may_wait = true;
    bool synchronizes = true;  ///< false: such work does not matter
  };
  NTSTATUS lock(Allocation& allocation, const LockRules& rules);
  NTSTATUS unlock(Allocation& allocation);
  /// User mode loads or stores 64 bits. STATUS_ACCESS_VIOLATION where nothing is mapped.
  NTSTATUS touch(Allocation& allocation, std::uint64_t offset, bool write, std::uint64_t& value);

  /// It is at something, for which the adapter has to be in D0.
  bool serving() const { return serving_; }
  /// To D3 and back: the window is left and entered again.
  void sleep();
  void wake_up();

  /// Called at PASSIVE_LEVEL in its thread: hardware queues of the process must stand still, or may
  /// go on. Unset: there are none.
  std::function<void(const Process&, bool stand_still)> on_hold;

  /// Says what all allocations hold now, for the checkers: at the end of a run.
  void report_content();
  /// The context needs the allocation from now on.
  static void join(ContextQueue& context, Allocation& allocation);
  std::uint64_t free_vram() const { return vram_.free() * kPage; }  ///< [bytes]
  std::uint64_t state_hash() const override;

 private:
  bool has_lawful_place(const DXGK_ALLOCATIONINFO& wanted) const;
  using Flags = Allocation::Flags;

  struct Request {
    enum class Kind : std::uint8_t { kMakeResident, kEvict, kRelease, kDestroy, kMoveOut, kState };
    Kind kind = Kind::kMakeResident;
    Process* process = nullptr;
    std::vector<Allocation*> list;
    std::vector<ContextScheduler::Mark> marks;  ///< to be passed first
    std::uint64_t value = 0;                    ///< of the paging queue's fence
    bool not_in_use = false;
    ContextQueue* context = nullptr;  ///< of kState: who asks
    KernelEvent* done = nullptr;
  };
  /// How a lock gets at the bytes.
  enum class Way : std::uint8_t { kDirect, kWindow, kMoveOut, kRefused };

  // video_memory.cpp
  void ask(Request request);
  bool serve_one();
  bool serve(Request& request);
  bool serve_make_resident(Request& request);
  void free(Allocation& allocation, bool not_in_use);
  // video_memory_moves.cpp
  bool bring_in(Allocation& allocation, const Request& request);
  bool make_room(const Allocation& wanted, const Request& request);
  bool in_use(const Allocation& allocation) const;
  bool may_be_in_vram(const Allocation& allocation) const;
  bool needs_window(const Allocation& allocation) const;
  bool window_has_room(const Allocation& allocation) const;
  void expect_window(Allocation& allocation, bool expected);
  bool can_follow_locks(const std::vector<Allocation*>& list);
  void move(Allocation& allocation, common::Placement to);
  void begin_move(Allocation& allocation);
  void end_move(Allocation& allocation);
  void leave_vram(Allocation& allocation);
  void enter_vram(Allocation& allocation);
  void transfer(Allocation& allocation, bool to_vram);
  void fill(const Allocation& allocation);
  void init_state(const Allocation& allocation);
  void give_system_pages(Allocation& allocation);
  void zero(std::uint64_t page);
  void map_aperture(Allocation& allocation);
  void unmap_aperture(const Allocation& allocation);
  void map_gpu(Allocation& allocation);
  void unmap_gpu(Allocation& allocation);
  void drain_all_cores() const;
  // video_memory_locks.cpp
  std::uint64_t facts(const Allocation& allocation) const;
  Way way_to_lock(const Allocation& allocation, NTSTATUS& status) const;
  NTSTATUS lock_here(Allocation& allocation, Way way);
  bool is_listed(const Allocation& allocation) const;
  void wait_for_listed(Allocation& allocation);
  void enter(Process& process, Allocation& made);
  void touch_use(const Allocation& allocation, bool write) const;
  void claim(Allocation& allocation);
  void let_go(Allocation& allocation);
  bool open_window(Allocation& allocation);
  void close_window(Allocation& allocation);
  std::uint64_t bus_address(const Allocation& allocation, std::uint64_t page) const;
  std::uint64_t content(const Allocation& allocation) const;
  // video_memory_caches.cpp
  void maintain(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes,
                common::CacheMaintenance what, common::CacheCall caller) const;
  void leave_caches(const Allocation& allocation) const;
  std::uint64_t load_flags(const Allocation& allocation, std::uint64_t address,
                           std::uint64_t value) const;
  std::uint64_t host_word(std::uint64_t address) const;
  bool cores_combine() const;
  std::optional<std::uint64_t> combined_word(std::uint64_t address) const;
  void report_place(const Allocation& allocation) const;
  void set_reached(Allocation& allocation, bool reached) const;

  Cpu& cpu_;
  Adapter& adapter_;
  ContextScheduler& contexts_;
  MonitoredFences& fences_;
  memory::SystemMemory& host_memory_;
  const host::Caches& caches_;
  const bool snoops_;  ///< caches see what the adapter does to system memory
  Pager pager_;
  KernelEvent work_;
  SharedData lists_;  ///< requests, and who moves, locks or uses an allocation
  std::function<void()> wake_;
  PagePool* system_pool_ = nullptr;
  PageSet vram_;
  PageSet system_;
  PageSet aperture_;
  std::unique_ptr<PagePool> aperture_pool_;
  std::uint64_t dummy_page_ = 0;  ///< where unmapped pages of the aperture segment lead
  std::list<Request> requests_;
  std::vector<Allocation*> allocations_;  ///< that exist, in the order of creation
  std::uint64_t stamp_ = 0;
  std::uint32_t states_ = 0;  ///< context allocations made so far
  std::uint64_t next_user_address_ = 1ULL << 46;
  bool started_ = false;
  bool asleep_ = false;
  bool serving_ = false;
  std::uint64_t expected_window_ = 0;  ///< pages of the window that locked allocations will need
};

}  // namespace fenceline::os
