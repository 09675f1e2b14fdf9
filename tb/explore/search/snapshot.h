#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/steps/steps.h"
#include "tb/explore/search/arena.h"

namespace fenceline::explore {

/// Copy of the memory of a simulation at the start of an exploration: its arena and the stacks of
/// its agents. Also tracks which pages have been written since.
///
/// Pages of the arena are write-protected until their first write. Few are ever written, and only
/// these are copied. One image at a time. To be used by the controller of the exploration, while
/// all other agents stand before their next step. The stack of the controller is not part of the
/// image.
class Image {
 public:
  Image(const Arena& arena, const common::Steps& steps);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// Restores the start.
  void restore();
  /// [bytes] that a snapshot copies now, without stacks.
  std::size_t hot_bytes() const;

 private:
  friend class Snapshot;
  struct Stack {
    common::AgentId agent;
    char* low;
    std::size_t bytes;
    std::vector<char> content;
    std::uint64_t runs;  ///< Steps::runs at the start
  };
  static void on_fault(int signal, siginfo_t* info, void* context);
  bool note_write(char* address);
  void restore_pages();
  void restore_stack(const Stack& stack) const;

  const Arena& arena_;
  const common::Steps& steps_;
  std::size_t page_;                ///< [bytes]
  std::size_t protected_;           ///< [bytes] from the begin of the arena
  std::vector<char> content_;       ///< of the arena, all of it
  std::vector<std::uint32_t> hot_;  ///< pages written, in the order of their first write
  std::size_t hot_count_ = 0;
  std::vector<Stack> stacks_;
};

/// State of a simulation at one choice, as its differences from the image.
class Snapshot {
 public:
  void take(const Image& image);
  void restore(Image& image) const;

 private:
  struct Stack {
    std::size_t index;  ///< in Image::stacks_
    char* low;
    std::size_t bytes;
  };
  std::vector<std::uint32_t> chunks_;  ///< of the arena, that differ from the start
  std::size_t tail_ = 0;               ///< [bytes] of the arena past the protected part
  std::vector<char> bytes_;            ///< chunks, tail, stacks
  std::vector<Stack> stacks_;
};

}  // namespace fenceline::explore
