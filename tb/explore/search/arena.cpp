#include "tb/explore/search/arena.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include "tb/run/sanitized.h"

namespace fenceline::explore {

namespace {

constexpr std::size_t kGrain = 16;    ///< [bytes] alignment and header of every block
constexpr std::size_t kSmall = 1024;  ///< [bytes] up to here, a list for each multiple of kGrain
constexpr std::size_t kSmallLists = kSmall / kGrain + 1;
constexpr std::size_t kLists = kSmallLists + 32;  ///< above, one for each power of two

Arena* current_arena = nullptr;
// The ranges of all arenas that live, to tell their blocks from those of the heap. Few, mostly one.
struct Range {
  Arena* arena = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
};
std::array<Range, 4> ranges;

Arena* owner(const void* block) {
  const auto* at = static_cast<const char*>(block);
  for (const Range& range : ranges)
    if (at >= range.begin && at < range.end) return range.arena;
  return nullptr;
}

/// The list that serves `bytes`, which is rounded up to what its blocks hold.
std::size_t list_of(std::size_t& bytes) {
  if (bytes <= kSmall) {
    bytes = (bytes + kGrain - 1) / kGrain * kGrain;
    return bytes / kGrain;
  }
  std::size_t list = kSmallLists;
  std::size_t size = 2 * kSmall;
  for (; size < bytes; size *= 2) ++list;
  bytes = size;
  return list;
}

}  // namespace

/// Lies at the start of the arena.
struct Arena::Book {
  struct Free {
    Free* next;
  };
  std::size_t used;
  std::array<Free*, kLists> free;
};

Arena::Arena(std::size_t bytes) : bytes_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<char*>(memory);
  clear();
  for (Range& range : ranges)
    if (range.arena == nullptr) {
      range = {this, begin_, begin_ + bytes};
      return;
    }
  munmap(begin_, bytes_);
  throw std::bad_alloc();
}

Arena::~Arena() {
  for (Range& range : ranges)
    if (range.arena == this) range = {};
  munmap(begin_, bytes_);
}

Arena::Book& Arena::book() const { return *reinterpret_cast<Book*>(begin_); }

std::size_t Arena::used() const { return book().used; }

void Arena::clear() {
  book() = {};
  book().used = (sizeof(Book) + kGrain - 1) / kGrain * kGrain;
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t list = list_of(bytes);
  Book& book = this->book();
  if (Book::Free* block = book.free[list]) {
    book.free[list] = block->next;
    return block;
  }
  if (book.used + kGrain + bytes > bytes_) throw std::bad_alloc();
  char* block = begin_ + book.used;
  book.used += kGrain + bytes;
  *reinterpret_cast<std::uint64_t*>(block) = list;
  return block + kGrain;
}

void Arena::release(void* block) {
  Arena* arena = owner(block);
  if (arena == nullptr) return std::free(block);  // NOLINT: what operator new below got
  const std::uint64_t list = *reinterpret_cast<std::uint64_t*>(static_cast<char*>(block) - kGrain);
  auto* free = static_cast<Book::Free*>(block);
  free->next = arena->book().free[list];
  arena->book().free[list] = free;
}

Arena* Arena::current() { return current_arena; }

Arena::Scope::Scope(Arena& arena) : before_(current_arena) { current_arena = &arena; }
Arena::Scope::~Scope() { current_arena = before_; }
Arena::Outside::Outside() : before_(current_arena) { current_arena = nullptr; }
Arena::Outside::~Outside() { current_arena = before_; }

}  // namespace fenceline::explore

#ifdef FENCELINE_SANITIZED
bool fenceline::explore::Arena::available() { return false; }
#else
bool fenceline::explore::Arena::available() { return true; }

void* operator new(std::size_t bytes) {
  if (fenceline::explore::Arena* arena = fenceline::explore::Arena::current())
    return arena->allocate(bytes);
  if (void* block = std::malloc(bytes)) return block;  // NOLINT: this is operator new
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  if (block != nullptr) fenceline::explore::Arena::release(block);
}
void operator delete(void* block, std::size_t /*bytes*/) noexcept { operator delete(block); }
#endif
