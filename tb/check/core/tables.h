#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/dense.h"

namespace fenceline::check {

using common::Dense;

/// The slot of an adapter; a new one if it has none.
template <class Slot>
Slot& slot_of(std::vector<Slot>& slots, std::uint64_t adapter) {
  for (Slot& known : slots) {
    if (known.adapter == adapter) return known;
  }
  Slot& added = slots.emplace_back();
  added.adapter = static_cast<std::uint32_t>(adapter);
  return added;
}

/// A queue that is also a history: entries keep the absolute index of their arrival (0, 1, ...).
/// It grows up to `Max` entries (a power of two); then each new one displaces the oldest.
template <class T, std::size_t Max>
class Ring {
  static_assert(Max != 0 && (Max & (Max - 1)) == 0, "the capacity is a power of two");

 public:
  std::uint64_t first_index() const { return begin_; }
  std::uint64_t end_index() const { return end_; }
  std::uint64_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  /// @pre first_index() <= index < end_index()
  T& operator[](std::uint64_t index) { return slots_[index & (slots_.size() - 1)]; }
  const T& operator[](std::uint64_t index) const { return slots_[index & (slots_.size() - 1)]; }
  T& front() { return (*this)[begin_]; }
  const T& front() const { return (*this)[begin_]; }
  T& back() { return (*this)[end_ - 1]; }
  const T& back() const { return (*this)[end_ - 1]; }

  void push(const T& value) {
    if (size() == slots_.size()) make_room();
    slots_[end_++ & (slots_.size() - 1)] = value;
  }
  /// @pre not empty
  void pop_front() { ++begin_; }

  /// Removes the entry at `index`; later ones move up by one. @pre first_index() <= index <
  /// end_index()
  void erase(std::uint64_t index) {
    for (; index + 1 < end_; ++index) (*this)[index] = (*this)[index + 1];
    --end_;
  }
  void clear() { begin_ = end_ = 0; }

 private:
  void make_room() {
    if (slots_.size() == Max) {
      ++begin_;
      return;
    }
    std::vector<T> larger(slots_.empty() ? 4 : slots_.size() * 2);
    for (std::uint64_t i = begin_; i != end_; ++i) larger[i & (larger.size() - 1)] = (*this)[i];
    slots_.swap(larger);
  }

  std::vector<T> slots_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// Records numbered 1, 2, ... over a run, few of them live at a time. The number picks the slot; a
/// live record in the way moves to a spill list of at most `kSpill`, which forgets its oldest
/// record. `T` has a member `number`, 0 when free.
template <class T>
class NumberTable {
 public:
  /// Starts a new record for `number`. @pre number is not 0
  T& open(std::uint64_t number) {
    T& slot = slots_[number & (kSlots - 1)];
    if (slot.number != 0 && slot.number != number) spill(slot);
    slot = T{};
    slot.number = number;
    used_[number % kSlots / 64] |= bit(number);
    return slot;
  }
  /// The live record of `number`, or null.
  const T* find(std::uint64_t number) const {
    const T& slot = slots_[number & (kSlots - 1)];
    if (number == 0) return nullptr;
    if (slot.number == number) return &slot;
    for (const T& spilled : spilled_) {
      if (spilled.number == number) return &spilled;
    }
    return nullptr;
  }
  T* find(std::uint64_t number) {
    return const_cast<T*>(static_cast<const NumberTable*>(this)->find(number));
  }
  /// Visits all live records, in no defined order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t word = 0; word < used_.size(); ++word) {
      for (std::uint64_t left = used_[word]; left != 0; left &= left - 1)
        visit(slots_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(left))]);
    }
    for (const T& spilled : spilled_) visit(spilled);
  }
  /// Ends a record that find() or open() returned. The reference becomes invalid.
  void close(T& record) {
    if (&record == &slots_[record.number & (kSlots - 1)]) {
      used_[record.number % kSlots / 64] &= ~bit(record.number);
      record.number = 0;
    } else {
      spilled_.erase(spilled_.begin() + (&record - spilled_.data()));
    }
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kSpill = 4096;

  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % 64; }
  void spill(const T& record) {
    if (spilled_.size() == kSpill) spilled_.erase(spilled_.begin());
    spilled_.push_back(record);
  }

  std::vector<T> slots_ = std::vector<T>(kSlots);
  std::vector<T> spilled_;
  std::array<std::uint64_t, kSlots / 64> used_{};  ///< one bit per slot: it is live
};

/// A list that stays off the heap while it has at most `N` items.
template <class T, std::size_t N>
class Few {
 public:
  void push(const T& item) {
    if (size_ == N && more_.empty()) more_.assign(few_.begin(), few_.end());
    if (size_ < N) {
      few_[size_] = item;
    } else {
      more_.push_back(item);
    }
    ++size_;
  }
  std::size_t size() const { return size_; }
  T* begin() { return more_.empty() ? few_.data() : more_.data(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return more_.empty() ? few_.data() : more_.data(); }
  const T* end() const { return begin() + size_; }

 private:
  std::array<T, N> few_{};
  std::vector<T> more_;  ///< all items, once there are more than N
  std::size_t size_ = 0;
};

}  // namespace fenceline::check
