#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tb/check/core/world.h"
#include "tb/check/fences/lost.h"
#include "tb/check/work/blocked.h"

namespace fenceline::check {

/// Preemption and recovery: I87 to I92, I96, I104, I107, I112. Follows every buffer of a context
/// from the submitting thread to its end on a node. It uses events of the hardware, not its
/// reports.
class PreemptionChecks : public Checks<PreemptionChecks> {
 public:
  PreemptionChecks(World& world, WaiterChecks& waiters, BlockedChecks& blocked)
      : Checks(world), waiters_(waiters), blocked_(blocked) {}

  void on(const common::At<event::AdapterStarted>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::ContextGiven>& event);
  void on(const common::At<event::BufferBegin>& event);
  void on(const common::At<event::BufferEnd>& event) { end(node_key(event), event.submission); }
  void on(const common::At<event::BufferComplete>& event);
  void on(const common::At<event::BufferStopped>& event);
  void on(const common::At<event::ContextSaved>& event);
  void on(const common::At<event::ContextRestored>& event);
  void on(const common::At<event::PreemptCall>& event);
  void on(const common::At<event::Preempted>& event);
  void on(const common::At<event::Recovery>& event);
  void on(const common::At<event::ContextEnded>& event);
  void on(const common::At<event::ContextMemory>& event);
  void on(const common::At<event::BufferFaulted>& event);
  void on(const common::At<event::FaultTold>& event);
  void on(const common::At<event::EngineFault>& event);
  void on(const common::At<event::HwEngineReset>& event);
  void on(const common::At<event::FenceOpen>& event);
  void on(const common::At<event::FenceClose>& event);
  void on(const common::At<event::FenceCreate>& event) {
    if ((event.flags & event::kFenceKeepsValue) != 0) kept_.insert(event.fence);
  }
  void on(const common::At<event::DeviceError>& event);
  void on(const common::At<event::ContextLost>& event) { other_reasons_.insert(event.process); }
  /// The fence is freed; no later event names it.
  void forget(std::uint32_t fence) override;
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  /// A buffer that a thread has submitted.
  struct Packet {
    std::uint64_t id = 0;     ///< current or last submission id
    std::uint64_t place = 0;  ///< address where it resumes, as the node reported when it stopped
    bool given = false;
    bool runs = false;
    bool done = false;
  };
  struct Context {
    std::map<std::uint64_t, Packet> packets;  ///< by number; completed ones are dropped
    std::uint64_t done = 0;                   ///< number of the last completed buffer
    std::uint64_t process = 0;
    bool paging = false;
    bool ended = false;
    std::set<std::uint64_t> away;  ///< context allocations that the GPU cannot reach
  };
  /// A fence that a process has opened and may have closed since.
  struct Opened {
    std::uint32_t times = 0;  ///< number of opens that are not closed
    bool by_queues = false;   ///< the process had hardware queues when it closed the fence
    std::map<std::uint64_t, std::uint64_t> submitted;  ///< context: last packet submitted by then
  };
  using NodeKey = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, engine
  /// A buffer that the node has, as far as the OS knows.
  struct Held {
    std::uint64_t id = 0, context = 0, number = 0;
    bool returned = false;  ///< behind a buffer that a reset of the engine has ended
  };
  struct Node {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>
        given;                     ///< id: context, number
    std::deque<Held> held;         ///< oldest first
    std::uint64_t completed = 0;   ///< last completed id
    std::uint64_t last_given = 0;  ///< last id given to the node
    std::uint64_t running = 0;     ///< id of the running buffer, 0: none
    std::uint64_t preemption = 0;  ///< id of the last preemption request
    bool asked = false;            ///< the request is not acknowledged yet
    bool timed_out = false;
    bool hung = false;                        ///< the engine hangs and is not reset yet
    std::set<std::uint64_t> returned_paging;  ///< ids that must be resubmitted first
    /// Buffers given up and not reported yet: id, address.
    std::deque<std::pair<std::uint64_t, std::uint64_t>> faults;
  };
  template <class E>
  static NodeKey node_key(const E& event) {
    return {event.adapter, event.engine};
  }
  /// The user buffer with this id on the node; null: none.
  Packet* find(const NodeKey& key, std::uint64_t submission);
  void end(const NodeKey& key, std::uint64_t submission);
  std::string buffer(std::uint64_t context, std::uint64_t number) const;
  void judge_memory(std::uint64_t context, std::uint64_t number);
  static void complete_through(Node& node, std::uint64_t id);
  void lose(std::uint64_t context);
  void lose_through(Node& node, std::uint64_t id);
  void lose_all(Node& node);
  void lose_held(const Held& held);
  void count_hang(const common::At<event::Recovery>& reset);
  void forget_lost();
  void lose_paging(Node& node);
  void lose_memory(std::uint64_t process);
  bool may_signal(const Opened& opened) const;
  void finish_lost();

  WaiterChecks& waiters_;
  BlockedChecks& blocked_;
  std::map<std::uint64_t, Context> contexts_;  ///< by object
  std::map<NodeKey, Node> nodes_;
  /// Saved state, by adapter, address space and address.
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> saved_;
  std::set<std::uint64_t> unaware_;  ///< adapters with a driver of the Windows 7 model
  std::set<std::uint64_t> lost_;     ///< processes with buffers that a reset has ended
  std::map<std::pair<std::uint64_t, std::uint64_t>, Opened> opened_;  ///< key: process, fence
  std::set<std::uint64_t> kept_;    ///< fences with NoSignalMaxValueOnTdr
  std::set<std::uint64_t> errors_;  ///< processes whose devices are in error
  /// Processes in error for another reason: a thread has asked for it, or a hardware context was
  /// lost.
  std::set<std::uint64_t> other_reasons_;
  std::set<std::uint64_t> failing_;  ///< processes whose devices must be put in error
};

}  // namespace fenceline::check
