#include "tb/run/thread_stacks.h"

#include <array>
#include <dlfcn.h>
#include <sys/mman.h>
#include <systemc>
#include <unistd.h>

#include "tb/run/sanitized.h"

#ifdef FENCELINE_SANITIZED

void fenceline::run::keep_thread_stacks() {}
bool fenceline::run::keeps_thread_stacks() { return false; }
std::size_t fenceline::run::kept_thread_stacks() { return 0; }

#else

namespace fenceline::run {

namespace {

/// Lies in the highest bytes of a kept stack. The thread has written there, so its page exists.
struct Kept {
  Kept* next;
};
/// The stacks of one size. Threads have few sizes.
struct OfSize {
  std::size_t bytes = 0;
  Kept* first = nullptr;
};
std::array<OfSize, 8> sizes;
bool keeps = false;
std::size_t count = 0;

/// The list for stacks of this size, or nullptr if all lists have other sizes.
OfSize* list_of(std::size_t bytes) {
  for (OfSize& size : sizes) {
    if (size.bytes == 0) size.bytes = bytes;
    if (size.bytes == bytes) return &size;
  }
  return nullptr;
}

const void* library_of(const void* address) {
  dl_find_object found{};  // far faster than dladdr, which looks for a symbol
  return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_map_start : nullptr;
}

const void* systemc_library() {
  static const void* const systemc =
      library_of(reinterpret_cast<const void*>(&sc_core::sc_version));
  return systemc;
}

/// @param caller an address in the code that calls.
bool is_systemc(const void* caller) { return keeps && library_of(caller) == systemc_library(); }

/// The next definition of a function that this file defines, which is the system's.
template <class Function>
Function* system_call(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* kept_stack(std::size_t bytes) {
  OfSize* list = list_of(bytes);
  if (list == nullptr || list->first == nullptr) return nullptr;
  Kept* kept = list->first;
  list->first = kept->next;
  --count;
  return reinterpret_cast<char*>(kept + 1) - bytes;
}

bool keep_stack(void* stack, std::size_t bytes) {
  OfSize* list = list_of(bytes);
  if (list == nullptr) return false;
  auto* kept = reinterpret_cast<Kept*>(static_cast<char*>(stack) + bytes) - 1;
  kept->next = list->first;
  list->first = kept;
  ++count;
  return true;
}

}  // namespace

void keep_thread_stacks() {
  keeps = systemc_library() != library_of(reinterpret_cast<const void*>(&systemc_library));
}

bool keeps_thread_stacks() { return keeps; }

std::size_t kept_thread_stacks() { return count; }

}  // namespace fenceline::run

// The three functions of the C library.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): its header has reserved names

void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  static auto* const next = fenceline::run::system_call<decltype(mmap)>("mmap");
  if (!fenceline::run::is_systemc(__builtin_return_address(0)))
    return next(at, bytes, protection, flags, file, offset);
  if (void* stack = fenceline::run::kept_stack(bytes)) return stack;
  void* stack = next(at, bytes, protection, flags, file, offset);
  if (stack != MAP_FAILED)
    mprotect(stack, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
  return stack;
}

int munmap(void* at, size_t bytes) noexcept {
  static auto* const next = fenceline::run::system_call<decltype(munmap)>("munmap");
  if (fenceline::run::is_systemc(__builtin_return_address(0)) &&
      fenceline::run::keep_stack(at, bytes))
    return 0;
  return next(at, bytes);
}

int mprotect(void* at, size_t bytes, int protection) noexcept {
  static auto* const next = fenceline::run::system_call<decltype(mprotect)>("mprotect");
  // A stack is protected from its start on.
  if (fenceline::run::is_systemc(__builtin_return_address(0))) return 0;
  return next(at, bytes, protection);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

#endif
