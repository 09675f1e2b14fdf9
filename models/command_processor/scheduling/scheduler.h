#pragma once

#include <cstdint>

#include "models/command_processor/scheduling/context_ranks.h"
#include "models/command_processor/scheduling/save_areas.h"
#include "models/command_processor/scheduling/suspensions.h"
#include "models/command_processor/scheduling/turns.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// Decides which queue each node runs, and for how long.
///
/// Without CommandProcessorConfig::schedules the queues of a node take turns. With it, user-mode
/// queues belong to contexts: a queue leaves its node for a context of higher priority or at the
/// end of a quantum, and its state goes to the save area of its context. Source: WDDM,
/// DxgkDdiSetContextSchedulingProperties.
class Scheduler {
 public:
  /// Parts of the command processor that it uses.
  struct Uses {
    ContextRanks& ranks;
    Suspensions& suspensions;
    SaveAreas& areas;
    Turns& turns;
  };
  Scheduler(Shared& shared, const Uses& uses, common::RegisterFile& registers);

  /// Next queue of the node; null if none can run.
  HardwareQueue* next(Node& node);
  /// The queue comes to its node.
  void begin_turn(Node& node, HardwareQueue& queue);
  /// Starts the quantum when the queue runs its first packet: the context switch does not count,
  /// and even a short quantum runs one packet.
  void begin_quantum(Node& node, const HardwareQueue& queue);
  /// The queue leaves its node.
  void end_turn(Node& node, HardwareQueue& queue);
  /// Ends the turn at the node by a reset: drops the work of its user-mode queue.
  void reset_turn(Node& node);

  /// The queue may have become ready: wakes its front end. The queue at the node may have to make
  /// room.
  void become_ready(const HardwareQueue& queue);
  /// Removes the queue from the run list, or puts it back.
  void put_in_run_list(HardwareQueue& queue, bool in);
  /// Ends all work of a disabled queue. A queue at its node leaves it first, after its packet.
  void end_work(HardwareQueue& queue);
  /// Body of the agent that makes queues leave in time and reports suspensions.
  void run();
  void add_to(common::Hasher& hasher) const;

 private:
  void add_context_registers(common::RegisterFile& registers);
  void add_node_registers(common::RegisterFile& registers);
  ScheduledContext& context_of(const HardwareQueue& queue) const;
  bool at_node(const HardwareQueue& queue) const;
  void drop_work(HardwareQueue& queue);
  bool may_run(const HardwareQueue& queue) const;
  HardwareQueue* next_by_rank(Node& node);
  bool outranks(const HardwareQueue& queue, const HardwareQueue& other) const;
  void save_state(Node& node, HardwareQueue& queue);
  void update_due(Node& node);
  common::Time next_due() const;
  void release(Node& node);

  Shared& shared_;
  const Uses uses_;
};

}  // namespace fenceline::command_processor
