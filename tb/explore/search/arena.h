#pragma once

#include <cstddef>

namespace fenceline::explore {

/// Memory whose whole content can be copied and restored.
///
/// While a Scope is open, `operator new` allocates in the arena. So all memory of a simulation lies
/// in one range. Copying back that range and the stacks of its processes returns the simulation to
/// an earlier state, without any code in its classes. The range includes the book-keeping of the
/// arena.
///
/// One process, one thread. Under a sanitizer `operator new` is not replaced and `available` is
/// false.
class Arena {
 public:
  /// @param bytes address space to reserve; memory is used as it is touched.
  explicit Arena(std::size_t bytes = std::size_t{1} << 30);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static bool available();

  char* begin() const { return begin_; }
  /// [bytes] from begin() that have ever been handed out.
  std::size_t used() const;
  /// Forgets everything. @pre nothing in it is used any more.
  void clear();

  /// `operator new` takes from this arena until the scope ends.
  class Scope {
   public:
    explicit Scope(Arena& arena);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena* before_;
  };
  /// `operator new` takes from the heap until the scope ends.
  class Outside {
   public:
    Outside();
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    Arena* before_;
  };

  // For operator new and delete.
  void* allocate(std::size_t bytes);
  static void release(void* block);
  static Arena* current();

 private:
  struct Book;
  Book& book() const;

  char* begin_;
  std::size_t bytes_;
};

}  // namespace fenceline::explore
