#include "tb/reference/contents.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

constexpr std::uint64_t kWord = 8;

/// A write to an allocation, by the operation that makes it.
struct WriteAt {
  Ref at;
  const Write* write = nullptr;

  bool covers(std::uint64_t offset) const {
    return write->offset < offset + 8 && offset < write->offset + write->size;
  }
  bool covers_all(std::uint64_t offset) const {
    return write->offset <= offset && offset + 8 <= write->offset + write->size;
  }
};

/// Values of 64-bit words at any point of a run.
class Words {
 public:
  explicit Words(const Analysis& analysis)
      : analysis_(analysis), writes_(analysis.program.allocations.size()) {
    for (const Ref ref : analysis.possible.sequence)
      for (const Write& write : analysis.program.at(ref).writes)
        writes_[write.allocation].push_back({ref, &write});
    find_words();
  }

  const std::map<Id, std::set<std::uint64_t>>& written() const { return written_; }

  /// Value when `reader` takes effect; none: at the end.
  Allowed value(Id allocation, std::uint64_t offset, const std::optional<Ref>& reader) {
    Allowed allowed;
    bool fresh = true;
    for (const WriteAt& it : writes_[allocation]) {
      if (!it.covers(offset) || is_self(it, reader) || comes_later(it, reader)) continue;
      if (replaced(it, allocation, offset, reader) && !abi::mutant(abi::Mutant::kReplacedStays))
        continue;
      add(it, offset, allowed);
    }
    for (const WriteAt& it : writes_[allocation])
      fresh = fresh && !(it.covers_all(offset) && surely_before(it, reader));
    if (fresh && !abi::mutant(abi::Mutant::kNeverFresh)) allowed.values.insert(0);
    return allowed;
  }

 private:
  /// Words of writes and those next to them, and the words of sources in all allocations to which
  /// some of their bytes are copied. So a write that goes too far is seen.
  void find_words() {
    for (std::size_t round = 0; round <= writes_.size(); ++round)
      for (Id allocation = 0; allocation < writes_.size(); ++allocation)
        for (const WriteAt& it : writes_[allocation]) {
          if (it.write->kind == Write::Kind::kValue)
            for (const std::uint64_t offset : {-kWord, std::uint64_t{0}, kWord})
              note(allocation, it.write->offset + offset);
          if (it.write->kind != Write::Kind::kCopy) continue;
          const std::set<std::uint64_t> source = written_[it.write->source];
          for (const std::uint64_t offset : source) note(allocation, offset);
        }
  }
  /// A difference below 0 is a high offset.
  void note(Id allocation, std::uint64_t offset) {
    const std::uint64_t size = analysis_.program.allocations[allocation].size;
    if (offset < size && size - offset >= kWord) written_[allocation].insert(offset);
  }

  static bool is_self(const WriteAt& it, const std::optional<Ref>& reader) {
    return reader && it.at == *reader;
  }
  bool comes_later(const WriteAt& it, const std::optional<Ref>& reader) const {
    return reader && analysis_.order.before(*reader, it.at) &&
           !abi::mutant(abi::Mutant::kLaterIsSeen);
  }
  bool surely_before(const WriteAt& it, const std::optional<Ref>& reader) const {
    if (!reader) return analysis_.ends(seen_after(it)) == Happens::kAlways;
    return !is_self(it, reader) && is_there(it, *reader);
  }
  /// The operation after which all see the write.
  Ref seen_after(const WriteAt& it) const {
    if (!it.write->by_cpu) return it.at;
    const auto last = static_cast<Id>(analysis_.program.lanes[it.at.lane].ops.size() - 1);
    return {it.at.lane, it.write->there.value_or(last)};
  }
  /// A store stays in its core for a time, where its own thread sees it.
  bool is_there(const WriteAt& it, Ref reader) const {
    const bool stays = !abi::mutant(abi::Mutant::kStoreLeavesCore) && it.write->by_cpu &&
                       !it.write->there && it.at.lane != reader.lane;
    return !stays &&
           analysis_.order.before(it.at.lane == reader.lane ? it.at : seen_after(it), reader);
  }

  /// Another write of the word is always between this one and the reader.
  bool replaced(const WriteAt& it, Id allocation, std::uint64_t offset,
                const std::optional<Ref>& reader) const {
    const std::vector<WriteAt>& all = writes_[allocation];
    return std::any_of(all.begin(), all.end(), [&](const WriteAt& later) {
      return later.covers_all(offset) && surely_before(later, reader) && is_there(it, later.at);
    });
  }

  void add(const WriteAt& it, std::uint64_t offset, Allowed& allowed) {
    const bool whole = it.covers_all(offset) || abi::mutant(abi::Mutant::kPartIsWhole);
    if (it.write->kind == Write::Kind::kUnknown || !whole) {
      allowed.open = true;
    } else if (it.write->kind == Write::Kind::kValue) {
      allowed.open = allowed.open || it.write->offset != offset;
      allowed.values.insert(it.write->value);
    } else {
      const Allowed copied = copied_value(it, offset);
      allowed.open = allowed.open || copied.open;
      allowed.values.insert(copied.values.begin(), copied.values.end());
    }
  }

  /// Two copies that feed each other leave an unknown value.
  Allowed copied_value(const WriteAt& it, std::uint64_t offset) {
    const std::pair<std::pair<Id, Id>, std::uint64_t> key{{it.at.lane, it.at.op}, offset};
    const auto found = copied_.find(key);
    if (found != copied_.end()) return found->second;
    copied_[key] = {true, {}};
    return copied_[key] = value(it.write->source, offset, it.at);
  }

  const Analysis& analysis_;
  std::vector<std::vector<WriteAt>> writes_;  ///< by allocation
  std::map<Id, std::set<std::uint64_t>> written_;
  std::map<std::pair<std::pair<Id, Id>, std::uint64_t>, Allowed> copied_;
};

}  // namespace

namespace {

/// At the end the allocation may be gone, or it was never made.
bool may_be_gone(const Analysis& analysis, Id allocation) {
  if (analysis.program.allocations[allocation].may_be_lost) return true;
  if (abi::mutant(abi::Mutant::kDestroyedKeepsBytes)) return false;
  const std::vector<ResidencyCall>& calls = analysis.program.allocations[allocation].calls;
  return std::any_of(calls.begin(), calls.end(), [&](const ResidencyCall& call) {
    return call.kind == ResidencyCall::Kind::kDestroy ||
           (call.kind == ResidencyCall::Kind::kCreate &&
            analysis.ends(call.step) != Happens::kAlways &&
            !abi::mutant(abi::Mutant::kAllocationsAreMade));
  });
}

}  // namespace

void write_contents(const Analysis& analysis, Outcome& outcome) {
  Words words(analysis);
  for (const Lane& lane : analysis.program.lanes)
    for (Id i = 0; i < lane.ops.size(); ++i)
      if (const std::optional<Load>& load = lane.ops[i].load)
        outcome.threads.at(lane.name)[i].loaded =
            words.value(load->allocation, load->offset,
                        Ref{static_cast<Id>(&lane - analysis.program.lanes.data()), i});
  for (const auto& [allocation, offsets] : words.written()) {
    if (may_be_gone(analysis, allocation)) continue;
    for (const std::uint64_t offset : offsets)
      outcome.contents[analysis.program.allocations[allocation].name][offset] =
          words.value(allocation, offset, std::nullopt);
  }
}

}  // namespace fenceline::reference
