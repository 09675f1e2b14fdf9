#pragma once

#include "tb/generate/plan.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::generate {

// A rule for each step and command. Rule<A>::plan adds the word to the plan, with what makes it
// legal and its outcome determined. It returns false if the word has no place now; the plan stays
// legal. A word without a rule does not compile.

template <class A>
struct Rule;

/// Default weight of a word among the steps or commands [%].
template <std::uint32_t kPercent, WordsOf kOf = WordsOf::kAny, InError kAllowed = InError::kNever>
struct Weighs {
  static constexpr InError kInError = kAllowed;
  static constexpr std::uint32_t kWeight = kPercent;
  static constexpr WordsOf kWordsOf = kOf;
  static constexpr const char* kLeftOut = nullptr;
};

/// A step that is legal in a process whose device is in error, too.
template <std::uint32_t kPercent>
using WeighsInError = Weighs<kPercent, WordsOf::kAny, InError::kLegal>;

/// A word that is not drawn, with the reason.
struct LeftOut : Weighs<0> {
  static bool plan(Plan&, AgentId) { return false; }
};

// Steps of threads.
template <>
struct Rule<scenario::WaitStep> : WeighsInError<60> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::WaitEventStep> : Weighs<30, WordsOf::kEvents, InError::kLegal> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SignalStep> : WeighsInError<50> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::PollStep> : Weighs<8, WordsOf::kAny, InError::kMayMeet> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SubmitStep> : Weighs<40, WordsOf::kAny, InError::kMayMeet> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::DelayStep> : WeighsInError<10> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::ComputeStep> : WeighsInError<10> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::PaceStep> : WeighsInError<4> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::MarkStep> : WeighsInError<5> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::CreateFenceStep> : Weighs<10> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::DestroyFenceStep> : WeighsInError<25> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SetLogBuffersStep> : Weighs<8> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::CaptureLogsStep> : Weighs<12> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::AccessStep> : Weighs<5> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::ConnectDoorbellStep> : Weighs<18> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::TouchLogStep> : Weighs<3> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SignalElsewhereStep> : Weighs<6> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::QueryAdapterStep> : Weighs<3> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::GpuWaitStep> : Weighs<15> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::GpuSignalStep> : Weighs<15> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::RepeatStep> : Weighs<20> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SuspendContextStep> : Weighs<10> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::SetSchedulingStep> : Weighs<6> {
  static bool plan(Plan& plan, AgentId thread);
};

// Steps for allocations that the memory manager moves.
template <>
struct Rule<scenario::CreateAllocationStep> : Weighs<10, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::DestroyAllocationStep> : Weighs<8, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::MakeResidentStep> : Weighs<40, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::EvictStep> : Weighs<30, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::LockStep> : Weighs<50, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::UnlockStep> : Weighs<10, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::StoreStep> : Weighs<40, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::LoadStep> : Weighs<30, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};

template <>
struct Rule<scenario::MapStep> : Weighs<30, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::UnmapStep> : Weighs<20, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::InvalidateCacheStep> : Weighs<10, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::MemoryStressStep> : Weighs<4, WordsOf::kMemory> {
  static bool plan(Plan& plan, AgentId thread);
};

// Steps for events that the driver sets.
template <>
struct Rule<scenario::CreateCpuEventStep> : Weighs<10, WordsOf::kEvents> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::UseCpuEventStep> : Weighs<20, WordsOf::kEvents> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::PassHandleStep> : Weighs<4, WordsOf::kEvents> {
  static bool plan(Plan& plan, AgentId thread);
};

// Steps for devices: that a process has one already, or still needs it.
template <>
struct Rule<scenario::CreateDeviceStep> : Weighs<2> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::DestroyDeviceStep> : Weighs<2> {
  static bool plan(Plan& plan, AgentId thread);
};

// Steps that put devices in error.
template <>
struct Rule<scenario::FailDeviceStep> : Weighs<25, WordsOf::kErrors> {
  static bool plan(Plan& plan, AgentId thread);
};
template <>
struct Rule<scenario::ResetEngineStep> : Weighs<25, WordsOf::kErrors> {
  static bool plan(Plan& plan, AgentId thread);
};

// Steps for power states of adapters, and for displays.
template <>
struct Rule<scenario::SetPowerStep> : Weighs<12, WordsOf::kPower, InError::kLegal> {
  static bool plan(Plan& plan, AgentId thread);
};

template <>
struct Rule<scenario::PresentStep> : Weighs<20, WordsOf::kDisplay> {
  static bool plan(Plan& plan, AgentId thread);
};

// Commands of queues and contexts.
template <>
struct Rule<scenario::SignalCommand> : Weighs<40> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::WaitCommand> : Weighs<30> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::WriteCommand> : Weighs<15> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::CopyCommand> : Weighs<10> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::DispatchCommand> : Weighs<20> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::DrawCommand> : Weighs<20> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::BarrierCommand> : Weighs<4> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::FlushCommand> : Weighs<4> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::BadPacketCommand> : Weighs<4> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::RepeatCommands> : Weighs<10> {
  static bool plan(Plan& plan, AgentId queue);
};
template <>
struct Rule<scenario::SplitCommand> : Weighs<10> {
  static bool plan(Plan& plan, AgentId queue);
};

template <>
struct Rule<scenario::ResumeContextStep> : LeftOut {
  static constexpr const char* kLeftOut = "each suspension has its own";
};

/// Whether the step is legal in a process whose device is in error.
InError in_error(const scenario::Step& step);

/// Plans a step of the thread, drawn by the weights of the constraints.
bool plan_step(Plan& plan, AgentId thread);
/// Plans a command of the queue or context.
bool plan_command(Plan& plan, AgentId queue);
/// Default weights of all steps, and of all commands.
Weights step_weights();
Weights command_weights();
/// Words that are not drawn, with the reasons.
std::map<std::string, std::string> words_left_out();

}  // namespace fenceline::generate
