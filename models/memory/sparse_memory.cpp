#include "models/memory/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace fenceline::memory {

SparseMemory::Page* SparseMemory::find(std::uint64_t address) const {
  const std::uint64_t number = address / kPageBytes;
  if (number == last_number_) return last_page_;
  const auto it = pages_.find(number);
  if (it == pages_.end()) return nullptr;
  last_number_ = number;
  last_page_ = it->second.get();
  return last_page_;
}

SparseMemory::Page& SparseMemory::touch(std::uint64_t address) {
  if (Page* page = find(address)) return *page;
  auto& page = pages_[address / kPageBytes];
  page = std::make_unique<Page>();
  page->fill(0);
  return *page;
}

void SparseMemory::read(std::uint64_t address, void* data, std::size_t bytes) const {
  auto* out = static_cast<unsigned char*>(data);
  while (bytes > 0) {
    const std::uint64_t offset = address % kPageBytes;
    const std::size_t piece = std::min<std::size_t>(bytes, kPageBytes - offset);
    if (const Page* page = find(address))
      std::memcpy(out, page->data() + offset, piece);
    else
      std::memset(out, 0, piece);
    out += piece;
    address += piece;
    bytes -= piece;
  }
}

void SparseMemory::write(std::uint64_t address, const void* data, std::size_t bytes) {
  const auto* in = static_cast<const unsigned char*>(data);
  while (bytes > 0) {
    const std::uint64_t offset = address % kPageBytes;
    const std::size_t piece = std::min<std::size_t>(bytes, kPageBytes - offset);
    std::memcpy(touch(address).data() + offset, in, piece);
    in += piece;
    address += piece;
    bytes -= piece;
  }
}

std::uint64_t SparseMemory::word(std::uint64_t address) const {
  std::uint64_t value = 0;
  read(address & ~7ULL, &value, sizeof value);
  return value;
}

}  // namespace fenceline::memory
