#include "tb/run/process/shared_text.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace fenceline::run {

namespace {
constexpr std::size_t kWord = sizeof(std::uint64_t);
}  // namespace

SharedText::SharedText(std::size_t most)
    : words_((most + kWord - 1) / kWord), bytes_(sizeof(Shared) + 2 * words_ * sizeof(Word)) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared{};
  texts_ = reinterpret_cast<Word*>(static_cast<char*>(memory) + sizeof(Shared));
}

SharedText::~SharedText() { munmap(shared_, bytes_); }

void SharedText::write(std::string_view text) {
  if (text.size() > words_ * kWord) return;
  const std::uint64_t number = shared_->done.load(std::memory_order_relaxed) + 1;
  shared_->begun.store(number, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  Word* to = texts_ + number % 2 * words_;
  for (std::size_t at = 0; at < text.size(); at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(kWord, text.size() - at));
    (to++)->store(word, std::memory_order_relaxed);
  }
  shared_->sizes[number % 2].store(text.size(), std::memory_order_relaxed);
  shared_->done.store(number, std::memory_order_release);
}

std::string SharedText::read() const {
  for (;;) {
    const std::uint64_t number = shared_->done.load(std::memory_order_acquire);
    const Word* from = texts_ + number % 2 * words_;
    const std::uint64_t size = shared_->sizes[number % 2].load(std::memory_order_relaxed);
    std::string text(std::min<std::uint64_t>(size, words_ * kWord), '\0');
    for (std::size_t at = 0; at < text.size(); at += kWord) {
      const std::uint64_t word = (from++)->load(std::memory_order_relaxed);
      std::memcpy(text.data() + at, &word, std::min(kWord, text.size() - at));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    // The memory of this text is used again from the second text after it.
    if (shared_->begun.load(std::memory_order_relaxed) < number + 2) return text;
  }
}

}  // namespace fenceline::run
