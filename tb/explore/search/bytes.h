#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace fenceline::explore {

/// Puts numbers and texts into bytes, for another process or a later one of the same program.
class Writer {
 public:
  template <typename Number>
  void number(Number value) {
    const auto wide = static_cast<std::uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  /// The number of items of `list`, and each by `write(item)`.
  template <typename List, typename Write>
  void list(const List& list, const Write& write) {
    number(list.size());
    for (const auto& item : list) write(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Takes back what a Writer put. Throws std::runtime_error where the bytes end too early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename Number = std::uint64_t>
  Number number() {
    std::uint64_t wide = 0;
    std::memcpy(&wide, take(sizeof wide).data(), sizeof wide);
    return static_cast<Number>(wide);
  }
  std::string text() { return std::string(take(number())); }
  /// Calls `read()` as often as there are items.
  template <typename Read>
  void list(const Read& read) {
    for (std::uint64_t left = number(); left > 0; --left) read();
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("the bytes end too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace fenceline::explore
