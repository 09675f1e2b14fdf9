#include "tb/app/sweep/engine.h"

#include <csignal>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

#include "tb/app/sweep/command.h"

namespace fenceline::sweep {

namespace {

/// "0-3,7": list of array tasks in Slurm syntax.
std::string array_of(const Shards& shards) {
  std::string text;
  for (auto it = shards.begin(); it != shards.end();) {
    const std::uint64_t first = *it;
    std::uint64_t last = first;
    while (++it != shards.end() && *it == last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text;
}

/// True if a task in this state runs or may still run. A completing task no longer runs, even if
/// its node reports that late.
bool is_active(const std::string& state) {
  for (const char* gone :
       {"COMPLETING", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
        "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "SPECIAL_EXIT", "REVOKED"})
    if (state == gone) return false;
  return true;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string WorkerCommand::line(const std::string& shard) const {
  std::string text =
      fmt::format("{} --worker {} --jobs {} --no-progress", words, shell_word(folder), jobs);
  if (!shard.empty()) text += " --shard " + shard;
  return text;
}

void SlurmEngine::submit(const Shards& shards) {
  std::string array = array_of(shards);
  if (options_.at_once != 0) array += "%" + std::to_string(options_.at_once);
  std::string logs = options_.logs;
  replace_all(logs, "%", "%%");  // quoted for Slurm
  // Without --no-requeue a task of a lost node would wait for minutes before it starts again.
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--no-requeue",
                                 "--job-name=" + options_.job,
                                 "--array=" + array,
                                 fmt::format("--cpus-per-task={}", options_.worker.jobs),
                                 "--output=" + logs + "/%A_%a.out"};
  words.insert(words.end(), options_.options.begin(), options_.options.end());
  words.push_back("--wrap=exec " + options_.worker.line(""));
  const CommandResult result = run_command(words, options_.limit);
  if (!result.well()) throw std::runtime_error("sbatch: " + result.why());
}

std::optional<Shards> SlurmEngine::active() {
  const CommandResult result = run_command({"squeue", "--noheader", "--array", "--states=all",
                                            "--name=" + options_.job, "--format=%K %T"},
                                           options_.limit);
  if (!result.well()) {
    trouble_ = "squeue: " + result.why();
    return std::nullopt;
  }
  Shards shards;
  std::istringstream lines(result.output);
  std::uint64_t shard = 0;
  for (std::string state; lines >> shard >> state;)
    if (is_active(state)) shards.insert(shard);
  return shards;
}

void SlurmEngine::cancel() { run_command({"scancel", "--name=" + options_.job}, options_.limit); }

CommandEngine::~CommandEngine() { CommandEngine::cancel(); }

std::string CommandEngine::command_of(std::uint64_t shard) const {
  std::string command = options_.submit_template;
  replace_all(command, "{worker}",
              options_.worker.line(fmt::format("{}/{}", shard, options_.shards)));
  replace_all(command, "{shards}", std::to_string(options_.shards));
  replace_all(command, "{shard}", std::to_string(shard));
  replace_all(command, "{folder}", shell_word(options_.worker.folder));
  return command;
}

void CommandEngine::submit(const Shards& shards) {
  waiting_.insert(shards.begin(), shards.end());
  start_some();
}

void CommandEngine::start_some() {
  while (!waiting_.empty() && (options_.at_once == 0 || running_.size() < options_.at_once)) {
    const std::uint64_t shard = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    const std::string log = fmt::format("{}/{}.out", options_.logs, shard);
    running_.emplace(start_shell(command_of(shard), log), shard);
  }
}

std::optional<Shards> CommandEngine::active() {
  for (auto it = running_.begin(); it != running_.end();) {
    int status = 0;
    if (::waitpid(it->first, &status, WNOHANG) == 0) {
      ++it;
      continue;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) submitted_.insert(it->second);
    it = running_.erase(it);
  }
  start_some();
  Shards shards = submitted_;
  shards.insert(waiting_.begin(), waiting_.end());
  for (const auto& [process, shard] : running_) shards.insert(shard);
  return shards;
}

void CommandEngine::cancel() {
  waiting_.clear();
  for (const auto& [process, shard] : running_) ::kill(-process, SIGTERM);
  for (const auto& [process, shard] : running_) ::waitpid(process, nullptr, 0);
  running_.clear();
}

}  // namespace fenceline::sweep
