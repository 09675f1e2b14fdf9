#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fenceline::run {

/// A text in memory that processes share. One process writes it, others read the latest whole text,
/// also after the writer has died. Neither waits for the other.
class SharedText {
 public:
  /// @param most [bytes] of one text
  explicit SharedText(std::size_t most);
  ~SharedText();
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  /// Replaces the text. Drops a text that is too long.
  void write(std::string_view text);
  /// The latest text; empty before the first.
  std::string read() const;

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free, "others have no meaning between processes");

  /// Two texts: while one is written the other one stays whole.
  struct Shared {
    Word begun;  ///< number of texts whose writing has begun
    Word done;   ///< number of whole texts; the latest is number `done`
    Word sizes[2];
  };

  const std::size_t words_;  ///< of one text
  const std::size_t bytes_;
  Shared* shared_;
  Word* texts_;  ///< behind `shared_`
};

}  // namespace fenceline::run
