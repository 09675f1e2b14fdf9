#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// I110 COMMANDS: each command that user mode submits runs once, in its place, with its own bytes.
///
/// A command of a hardware queue is identified by its end in the ring; a command of a context's
/// buffer by the recording thread, which also submits the buffer.
class SubmissionChecks : public Checks<SubmissionChecks> {
 public:
  explicit SubmissionChecks(World& world) : Checks(world) {}

  void on(const common::At<event::Submission>& event);
  void on(const common::At<event::CommandRecorded>& event);
  void on(const common::At<event::CommandDone>& event);
  void on(const common::At<event::CommandsDropped>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::ContextGiven>& event);
  void on(const common::At<event::ContextEnded>& event);
  void on(const common::At<event::PartGiven>& event);
  void on(const common::At<event::BufferBegin>& event);
  void on(const common::At<event::BufferFaulted>& event);
  void on(const common::At<event::BufferEnd>& event);
  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  struct Command {
    std::uint64_t hash;
    std::uint64_t end;  ///< end in the ring of a hardware queue [bytes]
    common::AgentId agent;
  };
  struct Queue {
    std::deque<Command> commands;  ///< not completed, in the order of recording
    std::uint64_t done = 0;        ///< end of the last completed command
  };
  /// Commands that one thread has recorded for one buffer of a context. All parts of a split buffer
  /// share one Call.
  struct Call {
    std::deque<std::uint64_t> hashes;  ///< of commands that are not completed
    bool handed_over = false;
    bool judged = true;
  };
  struct Buffer {
    std::shared_ptr<Call> call;
    std::uint64_t place = 0;  ///< `place` of its last submission to a node
    bool begun = false;
  };
  struct Context {
    std::map<common::AgentId, std::shared_ptr<Call>> recorded;  ///< last call of each thread
    std::map<std::uint64_t, Buffer> buffers;                    ///< by number, until they end
    std::vector<std::shared_ptr<Call>> left;  ///< calls with commands left when a buffer ended
    bool ended = false;
  };
  struct Given {
    std::uint32_t context = 0;
    std::uint64_t number = 0;
  };
  /// Packs adapter, engine and submission id.
  static std::uint64_t place(std::uint64_t adapter, std::uint64_t engine, std::uint64_t id) {
    return adapter << 48 | engine << 32 | id;
  }
  static bool is_under_way(const Context& context, const Call& call);
  void done_in_ring(const common::At<event::CommandDone>& event);
  void done_in_buffer(const common::At<event::CommandDone>& event);
  /// The buffer of a submission, null if unknown.
  Buffer* buffer_at(std::uint64_t place);
  void fail(std::uint32_t queue, const std::string& what);

  std::map<std::uint32_t, Queue> queues_;
  std::map<std::uint32_t, Context> contexts_;
  std::map<std::uint64_t, Given> given_;  ///< by place
};

}  // namespace fenceline::check
