#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/wddm/base.h"

namespace fenceline::kmd {

/// Header of each object that a handle of the driver points to.
struct HandleHeader {
  std::uint32_t magic = 0;  ///< T::kMagic of the object; 0: the handle is stale
};

/// An object with its handle header.
template <typename T>
struct Named : HandleHeader {
  std::optional<T> object;
};

/// The object of a handle. Null for a null handle, for a handle of another kind, and for a
/// destroyed object. Any IRQL. @pre null or a handle created by this driver.
template <typename T>
T* from_handle(HANDLE handle) {
  auto* header = static_cast<HandleHeader*>(handle);
  if (header == nullptr || header->magic != T::kMagic) return nullptr;
  return &*static_cast<Named<T>*>(header)->object;
}

class Adapter;

/// The adapter of a DDI that the OS may also call before DxgkDdiStartDevice and after
/// DxgkDdiStopDevice.
struct AnyAdapter {
  HANDLE handle;  ///< MiniportDeviceContext
  Adapter& adapter;
  Adapter* operator->() const { return &adapter; }
};

/// All objects of one kind of an adapter. Storage is reused, oldest first, and never freed while
/// the adapter lives: reading a stale handle is therefore safe.
template <typename T>
class Pool {
 public:
  explicit Pool(kmd_host::HostPort& port) : lock_(port) {}

  /// Creates an object and its handle. IRQL: up to DISPATCH_LEVEL.
  template <typename... Arguments>
  HANDLE create(Arguments&&... arguments) {
    const SpinLock::Guard guard(lock_);
    Named<T>& named = take_slot();
    named.object.emplace(T{std::forward<Arguments>(arguments)...});
    named.magic = T::kMagic;
    return static_cast<HandleHeader*>(&named);
  }

  /// Destroys the object of `handle`. IRQL: up to DISPATCH_LEVEL. @pre from_handle<T>(handle) is
  /// not null and in this pool.
  void destroy(HANDLE handle) {
    const SpinLock::Guard guard(lock_);
    auto* named = static_cast<Named<T>*>(static_cast<HandleHeader*>(handle));
    named->magic = 0;
    named->object.reset();
    free_.push_back(named);
  }

  /// Adds the set of live objects to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    for (const Named<T>& named : storage_) hasher.add(named.magic);
    hasher.add(free_.size());
  }

 private:
  Named<T>& take_slot() {
    if (free_.empty()) return storage_.emplace_back();
    Named<T>* named = free_.front();
    free_.pop_front();
    return *named;
  }

  SpinLock lock_;  ///< guards storage_ and free_
  std::deque<Named<T>> storage_;
  std::deque<Named<T>*> free_;
};

}  // namespace fenceline::kmd
