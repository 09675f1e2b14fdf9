#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fenceline::reference {

/// A name in a process: process, name.
using Name = std::pair<std::string, std::string>;

/// Objects that the name of a fence may stand for, by the steps that create, destroy and use it.
class NameUses {
 public:
  enum class Kind : std::uint8_t {
    kFixed,   ///< the same object from start to end
    kLocal,   ///< one thread alone creates, destroys and uses it
    kOnce,    ///< several threads use it, but only one object ever has it
    kUnclear  ///< several threads, and several objects
  };

  explicit NameUses(const nlohmann::json& scenario);

  Kind kind(const Name& name) const;
  /// A step closes it.
  bool is_destroyed(const Name& name) const {
    const auto found = uses_.find(name);
    return found != uses_.end() && found->second.destroyed;
  }
  /// A name that may stand for fences of several kinds. None of a clear name is one.
  bool is_mixed() const;
  /// The fence of the first step that creates it, for kOnce and kUnclear; null without such a step.
  const nlohmann::json* creation(const Name& name) const;
  /// Names that a step creates, in the order of the programs.
  const std::vector<Name>& created() const { return created_; }

 private:
  struct Uses {
    bool declared = false;
    bool repeated = false;  ///< a step that creates it may run more than once
    bool destroyed = false;
    std::vector<const nlohmann::json*> creations;
    // Of the fences that the name stands for:
    std::set<std::string> limits;  ///< flags
    std::set<bool> monitored;
    std::set<std::string> users;  ///< programs and other processes

    void note_kind(const nlohmann::json& fence);
  };

  void read_steps(const nlohmann::json& steps, bool repeated);
  void read_uses(const nlohmann::json& value);
  void use(const std::string& process, const std::string& name);
  void use_elsewhere(const std::string& name);

  std::map<Name, Uses> uses_;
  std::vector<Name> created_;
  std::string process_;  ///< of the program that is read
  std::string program_;
  bool several_threads_ = false;
};

}  // namespace fenceline::reference
