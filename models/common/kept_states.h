#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace fenceline::common {

/// Keeps each hash with the hash before it and the word that was added. Together these are the
/// whole states: two states with one hash are noticed at the first word in which they differ. Holds
/// the newest kPlaces words, in memory that a search does not copy back.
///
/// Not covered: sums of hashes of parts that have no order.
class KeptStates {
 public:
  static constexpr std::size_t kPlaces = std::size_t{1} << 23;

  KeptStates() {
    void* memory = mmap(nullptr, kPlaces * sizeof(Word), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory to keep states in");
    words_ = static_cast<Word*>(memory);
  }
  KeptStates(const KeptStates&) = delete;
  KeptStates& operator=(const KeptStates&) = delete;
  ~KeptStates() { munmap(words_, kPlaces * sizeof(Word)); }

  /// `hash` is what `before` became by `word`. Throws std::logic_error where it has been made of
  /// something else.
  void keep(std::uint64_t hash, std::uint64_t before, std::uint64_t word) {
    Word& place = words_[hash % kPlaces];
    if (place.used && place.hash == hash && (place.before != before || place.word != word))
      throw std::logic_error("two states have the hash " + std::to_string(hash));
    if (!place.used) ++kept_;
    place = {hash, before, word, true};
  }
  /// Places in use.
  std::size_t kept() const { return kept_; }

 private:
  struct Word {
    std::uint64_t hash;
    std::uint64_t before;
    std::uint64_t word;
    bool used;
  };
  Word* words_ = nullptr;
  std::size_t kept_ = 0;
};

#ifdef FENCELINE_KEEP_STATES
constexpr bool kCanKeepStates = true;
/// Null until states are to be kept.
inline KeptStates* kept_states = nullptr;
#else
constexpr bool kCanKeepStates = false;
inline KeptStates* kept_states = nullptr;
#endif

}  // namespace fenceline::common
