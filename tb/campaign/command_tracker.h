#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/campaign/progress.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::campaign {

/// Follows the commands of hardware queues and contexts from their recording to their end.
///
/// A command is a packet of user mode in a ring or in a DMA buffer, as in reference::Outcome. Its
/// pointer is that of the command of the program, or of the step if the step itself makes it: a GPU
/// wait or signal, or the signal of a progress fence at the end of a submission. A wait or signal
/// that the operating system performs for a context is no command.
class CommandTracker {
 public:
  explicit CommandTracker(Progress& progress) : progress_(progress) {}

  void start(run::ScenarioMachine& machine) {
    machine_ = &machine;
    add_names();
  }
  /// @param name of the thread, or JSON pointer of the program of a queue
  void add_submitter(common::AgentId agent, const std::string& name) { submitters_[agent] = name; }
  /// The thread begins a step, or the program of a queue. @param pointer of it in the scenario
  void begin_step(common::AgentId agent, const std::string& pointer) {
    places_[agent] = {pointer, std::nullopt};
  }
  /// Moves what it has seen to `commands`, by "process/queue" or "process/context".
  void hand_over(std::map<std::string, std::vector<CommandSeen>>& commands);

  /// @param pointer of the command in the scenario.
  void begin_command(const common::At<event::ThreadCommand>& event, const std::string& pointer);
  void on(const common::At<event::SignalQueued>& event);
  void on(const common::At<event::CommandRecorded>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::ContextGiven>& event);
  void on(const common::At<event::BufferBegin>& event);
  void on(const common::At<event::BufferEnd>& event);
  void on(const common::At<event::BufferStopped>& event);
  void on(const common::At<event::CommandDone>& event);
  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::CurrentValueIssued>& event);

 private:
  /// A command of a stream; `stream` null: none.
  struct Stream;
  struct Command {
    Stream* stream = nullptr;
    std::size_t index = 0;
  };
  /// Packet of a queue or context: its object, and the end in the ring or the number.
  using Packet = std::pair<std::uint32_t, std::uint64_t>;
  /// The commands of one submitter, by their places in a stream.
  struct Part {
    std::size_t agent = 0;
    std::vector<std::size_t> commands;
    std::size_t effective = 0;  ///< of them, from the first
  };
  /// The commands of one queue, or of all contexts of one name.
  struct Stream {
    std::string name;
    std::size_t agent = 0;
    bool queue = true;
    std::uint64_t progress = 0;  ///< handle of the progress fence of a queue, 0: it has none
    std::vector<CommandSeen> commands;
    std::vector<bool> effective;            ///< by command: others can see its effect
    std::map<std::string, Part> parts;      ///< by submitter
    std::uint64_t finished = 0;             ///< commands that were done
    std::map<Packet, std::size_t> in_ring;  ///< commands, by the packet's end
  };
  /// Point of a program that a thread has reached.
  struct Place {
    std::string step;
    std::optional<std::string> command;  ///< whose packet is next
  };
  /// Packets that one thread records for one call; the parts of a split buffer share it.
  struct Call {
    std::vector<Command> packets;
    std::size_t next = 0;  ///< that runs next
    bool handed_over = false;
  };
  struct Buffer {
    std::shared_ptr<Call> call;
    std::size_t first = 0;  ///< packet with which it began
    bool begun = false;
  };

  static std::uint64_t place(std::uint64_t adapter, std::uint64_t engine, std::uint64_t id) {
    return adapter << 48 | engine << 32 | id;
  }
  /// Null for a queue that is not of the scenario.
  Stream* stream_of(std::uint32_t object);
  void add_names();
  Command add_command(common::AgentId agent, Stream& stream);
  Part& part_of(Stream& stream, const std::string& submitter);
  /// The last packet of this call for the context writes its usage fence: it is no command.
  void drop_usage(std::uint32_t context, Call& call);
  void drop_refused();
  /// The effect of the command can be seen.
  void take_effect(const Command& command);
  void finish(const Command& command);
  /// The command that signals.
  Command signal_of(const common::At<event::SignalBegin>& event);
  Buffer* buffer_at(std::uint64_t place);
  static void begin_anew(const Buffer& buffer);

  Progress& progress_;
  run::ScenarioMachine* machine_ = nullptr;
  std::map<std::string, Stream> streams_;  ///< by name
  std::map<std::uint32_t, Stream*> by_object_;
  std::map<common::AgentId, Place> places_;            ///< by thread
  std::map<common::AgentId, std::string> submitters_;  ///< by thread
  std::map<std::pair<std::uint32_t, common::AgentId>, std::shared_ptr<Call>> calls_;
  std::map<Packet, Buffer> buffers_;                  ///< by context and number
  std::map<std::uint64_t, Packet> given_;             ///< by place
  std::map<common::AgentId, std::uint64_t> running_;  ///< place of the buffer, by front end
  std::map<std::uint64_t, Command> signals_;  ///< that have begun and are not issued, by number
};

}  // namespace fenceline::campaign
