#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace fenceline::common {

/// Stores each hash with the hash before it and the added word. Together they form the whole
/// states. Two states with the same hash are detected at the first word where they differ. Holds
/// the newest kPlaces words in memory that a search does not copy back.
///
/// Not covered: sums of hashes of unordered parts.
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

  /// Records that `word` turned `before` into `hash`. Throws std::logic_error if the hash is stored
  /// with another origin.
  void keep(std::uint64_t hash, std::uint64_t before, std::uint64_t word) {
    Word& place = words_[hash % kPlaces];
    if (place.used && place.hash == hash && (place.before != before || place.word != word))
      throw std::logic_error("two states have the hash " + std::to_string(hash));
    if (!place.used) ++kept_;
    place = {hash, before, word, true};
  }
  /// Number of places in use.
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
/// Null until states are kept.
inline KeptStates* kept_states = nullptr;
#else
constexpr bool kCanKeepStates = false;
inline KeptStates* kept_states = nullptr;
#endif

}  // namespace fenceline::common
