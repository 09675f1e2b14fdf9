#include "tb/explore/search/snapshot.h"

#include <csignal>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace fenceline::explore {

namespace {
constexpr std::size_t kChunk = 128;  ///< [bytes] unit of comparison and copying

Image* active = nullptr;
struct sigaction before;

/// True if two chunks differ; both are aligned.
bool differ(const char* a, const char* b) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kChunk; i += sizeof(std::uint64_t)) {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
    std::memcpy(&one, a + i, sizeof one);
    std::memcpy(&other, b + i, sizeof other);
    all |= one ^ other;
  }
  return all != 0;
}
}  // namespace

Image::Image(const Arena& arena, const common::Steps& steps)
    : arena_(arena),
      steps_(steps),
      page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      protected_(arena.used() / page_ * page_) {
  if (active != nullptr) throw std::logic_error("one exploration at a time");
  content_.assign(arena.begin(), arena.begin() + arena.used());
  hot_.resize(protected_ / page_);
  for (std::size_t id = 1; id < steps.agent_count(); ++id) {
    const auto agent = static_cast<common::AgentId>(id);
    const common::Steps::StackRange range = steps.stack(agent);
    if (range.low == nullptr) continue;
    stacks_.push_back({agent, range.low, static_cast<std::size_t>(range.high - range.low),
                       std::vector<char>(range.low, range.high), steps.runs(agent)});
  }
  active = this;
  struct sigaction action {};
  action.sa_sigaction = &Image::on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
  mprotect(arena_.begin(), protected_, PROT_READ);
}

Image::~Image() {
  mprotect(arena_.begin(), protected_, PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &before, nullptr);
  active = nullptr;
}

void Image::on_fault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  if (active->note_write(static_cast<char*>(info->si_addr))) return;
  // Not a protected page: the fault repeats with the previous handler.
  sigaction(SIGSEGV, &before, nullptr);
}

bool Image::note_write(char* address) {
  if (address < arena_.begin() || address >= arena_.begin() + protected_) return false;
  const auto page = static_cast<std::size_t>(address - arena_.begin()) / page_;
  hot_[hot_count_++] = static_cast<std::uint32_t>(page);
  return mprotect(arena_.begin() + page * page_, page_, PROT_READ | PROT_WRITE) == 0;
}

std::size_t Image::hot_bytes() const { return hot_count_ * page_ + arena_.used() - protected_; }

/// Writes only chunks that differ: most of a page is equal and stays clean in the caches.
void Image::restore_pages() {
  for (std::size_t i = 0; i < hot_count_; ++i)
    for (std::size_t at = hot_[i] * page_; at < (hot_[i] + 1) * page_; at += kChunk)
      if (differ(arena_.begin() + at, content_.data() + at))
        std::memcpy(arena_.begin() + at, content_.data() + at, kChunk);
}

void Image::restore_stack(const Stack& stack) const {
  std::memcpy(stack.low, stack.content.data(), stack.bytes);
}

void Image::restore() {
  for (const Stack& stack : stacks_)
    if (steps_.runs(stack.agent) != stack.runs) restore_stack(stack);
  restore_pages();
  std::memcpy(arena_.begin() + protected_, content_.data() + protected_,
              content_.size() - protected_);
}

void Snapshot::take(const Image& image) {
  const Arena& arena = image.arena_;
  chunks_.clear();
  for (std::size_t i = 0; i < image.hot_count_; ++i)
    for (std::size_t at = image.hot_[i] * image.page_; at < (image.hot_[i] + 1) * image.page_;
         at += kChunk)
      if (differ(arena.begin() + at, image.content_.data() + at))
        chunks_.push_back(static_cast<std::uint32_t>(at / kChunk));
  tail_ = arena.used() - image.protected_;
  stacks_.clear();
  std::size_t bytes = chunks_.size() * kChunk + tail_;
  for (std::size_t i = 0; i < image.stacks_.size(); ++i) {
    const Image::Stack& stack = image.stacks_[i];
    if (image.steps_.runs(stack.agent) == stack.runs) continue;
    const common::Steps::StackRange range = image.steps_.stack(stack.agent);
    stacks_.push_back({i, range.low, static_cast<std::size_t>(range.high - range.low)});
    bytes += stacks_.back().bytes;
  }
  bytes_.resize(bytes);
  char* to = bytes_.data();
  const auto copy = [&to](const char* from, std::size_t count) {
    std::memcpy(to, from, count);
    to += count;
  };
  for (const std::uint32_t chunk : chunks_) copy(arena.begin() + chunk * kChunk, kChunk);
  copy(arena.begin() + image.protected_, tail_);
  for (const Stack& stack : stacks_) copy(stack.low, stack.bytes);
}

void Snapshot::restore(Image& image) const {
  // Agents that ran since the snapshot and had not run before it go back to the start.
  std::size_t next = 0;
  for (std::size_t i = 0; i < image.stacks_.size(); ++i) {
    if (next < stacks_.size() && stacks_[next].index == i)
      ++next;
    else if (image.steps_.runs(image.stacks_[i].agent) != image.stacks_[i].runs)
      image.restore_stack(image.stacks_[i]);
  }
  const char* from = bytes_.data();
  const auto copy = [&from](char* to, std::size_t count) {
    std::memcpy(to, from, count);
    from += count;
  };
  image.restore_pages();
  for (const std::uint32_t chunk : chunks_) copy(image.arena_.begin() + chunk * kChunk, kChunk);
  copy(image.arena_.begin() + image.protected_, tail_);
  for (const Stack& stack : stacks_) copy(stack.low, stack.bytes);
}

}  // namespace fenceline::explore
