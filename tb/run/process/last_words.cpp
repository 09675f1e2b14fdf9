#include "tb/run/process/last_words.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

#include "models/common/event_handlers.h"
#include "tb/run/process/child_process.h"

namespace fenceline::run {

using common::At;
using os::Ddi;

const int kSayWhere = SIGXCPU;

namespace {

constexpr std::size_t kHandlerStack = 65536;

// What a signal handler finds. One simulation runs at a time.
Pulse* told_to = nullptr;
const Whereabouts* simulated = nullptr;
const char* in_driver = nullptr;
const void* driver_base = nullptr;  ///< of the library that --kmd names

/// Appends to a text of limited size without allocating.
class Text {
 public:
  Text(char* text, std::size_t size) : text_(text), left_(size - 1) { *text_ = '\0'; }
  Text& operator<<(const char* more) {
    const std::size_t count = std::min(std::strlen(more), left_);
    std::memcpy(text_, more, count);
    text_ += count;
    left_ -= count;
    *text_ = '\0';
    return *this;
  }

 private:
  char* text_;
  std::size_t left_;
};

bool in_driver_code(const void* address) {
  Dl_info where{};
  return driver_base != nullptr && dladdr(address, &where) != 0 && where.dli_fbase == driver_base;
}

/// @param in_code what runs is the driver's, whatever the simulation says.
void tell_all(bool in_code) {
  if (told_to == nullptr || told_to->words().said.exchange(true)) return;
  Pulse::Words& words = told_to->words();
  if (in_driver != nullptr) {
    Text(words.text.data(), words.text.size()) << in_driver;
    words.in_driver = true;
  } else if (simulated != nullptr) {
    words.in_driver = simulated->tell(words.text.data(), words.text.size());
  }
  if (in_code) words.in_driver = true;
}

const void* instruction(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(  // NOLINT(performance-no-int-to-ptr): a register has it
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  (void)context;
  return nullptr;
#endif
}

extern "C" void last_words_of_fault(int signal, siginfo_t* /*info*/, void* context) {
  tell_all(in_driver_code(instruction(context)));
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

extern "C" void last_words_when_asked(int /*signal*/, siginfo_t* /*info*/, void* context) {
  tell_all(in_driver_code(instruction(context)));
  ::_exit(0);
}

/// Nothing of fenceline ends a process that simulates: a driver from outside has done it.
void last_words_at_exit() { tell_all(driver_base != nullptr); }

}  // namespace

Whereabouts::Whereabouts(const common::Simulation& simulation) : simulation_(simulation) {
  simulated = this;
}

Whereabouts::~Whereabouts() { simulated = nullptr; }

void Whereabouts::attach(common::EventStream& events) {
  events.subscribe(*this, common::Handlers<Whereabouts>::kinds());
}

void Whereabouts::on_event(const common::Event& event) {
  common::Handlers<Whereabouts>::hand(*this, event);
}

void Whereabouts::on(const At<event::DdiCall>& event) {
  if (calls_.size() <= event.agent) calls_.resize(event.agent + 1U);
  calls_[event.agent].push_back({static_cast<Ddi>(event.ddi), event.adapter});
}

void Whereabouts::on(const At<event::DdiReturn>& event) {
  if (calls_.size() > event.agent && !calls_[event.agent].empty()) calls_[event.agent].pop_back();
}

bool Whereabouts::tell(char* text, std::size_t size) const {
  Text out(text, size);
  const common::AgentId agent = simulation_.steps.current();
  const auto& name = simulation_.steps.name(agent);
  if (agent >= calls_.size() || calls_[agent].empty()) {
    out << "agent " << name.c_str();
    return false;
  }
  const Call& call = calls_[agent].back();
  const auto& adapter = simulation_.events.name(common::ObjectKind::kAdapter, call.adapter);
  out << os::ddi_info(call.ddi).name << " of " << adapter.c_str() << ", called in " << name.c_str();
  return true;
}

InDriver::InDriver(const char* what) { in_driver = what; }
InDriver::~InDriver() { in_driver = nullptr; }

void set_driver_code(const void* function) {
  Dl_info where{};
  driver_base = function != nullptr && dladdr(function, &where) != 0 ? where.dli_fbase : nullptr;
}

void leave_last_words(Pulse& pulse) {
  static std::array<char, kHandlerStack> stack;  // a stack that has run over has no room
  told_to = &pulse;
  const stack_t own{stack.data(), 0, stack.size()};
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  action.sa_sigaction = last_words_of_fault;
  for (const int fault : kFaults) ::sigaction(fault, &action, nullptr);
  action.sa_sigaction = last_words_when_asked;
  ::sigaction(kSayWhere, &action, nullptr);
  std::atexit(last_words_at_exit);
}

}  // namespace fenceline::run
