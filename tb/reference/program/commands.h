#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tb/reference/program/expression.h"
#include "tb/reference/program/unrolling.h"

namespace fenceline::reference {

/// The commands of one submission to a hardware queue or context.
class Submission {
 public:
  /// Submitter: its name, the step that submits (none: at time 0), the process of the names, and
  /// the JSON pointer of the step.
  struct By {
    std::string name;
    std::optional<Ref> step;
    std::string process;
    std::string pointer;
  };

  Submission(Unrolling& unrolling, const Name& target, By by);

  /// Adds a list of commands, repeats unrolled.
  void add(const nlohmann::json& commands, const std::string& pointer, const Counters& counters);
  /// The parts of a context's work that the OS does itself give no command on the node.
  enum class Doer : std::uint8_t { kNode, kOs };
  void add_wait(const std::string& fence, std::uint64_t value, const std::string& pointer,
                Doer doer = Doer::kNode);
  void add_signal(const std::string& fence, std::uint64_t value, const std::string& pointer,
                  Doer doer = Doer::kNode);
  /// The submission ends: its progress fence is signalled.
  void end();

  /// NTSTATUS names that the call may return.
  std::vector<std::string> statuses() const;
  /// Handles of the commands that are left out.
  const std::vector<Id>& refused() const { return refused_; }
  std::optional<Ref> last() const { return last_; }

 private:
  void add_one(const std::string& verb, const nlohmann::json& value, const std::string& pointer,
               const Counters& counters);
  void add_bad_packet(const std::string& kind, const std::string& pointer);
  void add_work(const nlohmann::json& value, Op op);
  Id use(const std::string& name, Op& op);
  /// A command that the call cannot take is left out.
  void refuse(const std::string& status) { mistakes_.insert(status); }
  /// The same for a handle that is there.
  void refuse(const std::string& status, Id handle) {
    refuse(status);
    refused_.push_back(handle);
  }
  void refuse_unknown(const std::string& fence, const std::string& pointer);
  static void skip(Op& op);
  void put(Op op);
  bool is_context() const { return queue().node.has_value(); }
  const Queue& queue() const { return unrolling_.program().queues[queue_]; }
  Id open_lane();
  void next_buffer();
  void end_buffer();

  Unrolling& unrolling_;
  const By by_;
  const Id queue_;
  const Id lane_;
  std::optional<Ref> last_;
  std::set<std::string> mistakes_;  ///< statuses of the commands that are left out
  std::vector<Id> refused_;
  std::uint64_t room_ = 0;  ///< taken in the queue by this lane so far
  bool given_up_ = false;   ///< the buffer has a packet behind which its node does nothing
};

}  // namespace fenceline::reference
