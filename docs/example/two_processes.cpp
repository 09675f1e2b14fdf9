// A program without a scenario: two simulated processes pass a fence to each other through the
// D3DKMT calls, and a thread is woken by work on the GPU.
//
// The machine has one GPU with native fences. `game` submits work to a context that the operating
// system feeds, which signals a monitored fence; it shares a native fence with `compositor`.
#include <cstdio>
#include <systemc>

#include "models/abi/packets.h"
#include "tb/user/d3dkmt.h"

namespace user = fenceline::user;
namespace abi = fenceline::abi;
namespace common = fenceline::common;

namespace {

constexpr UINT kCompute = 1;  ///< node ordinal of compute0
constexpr UINT64 kFrames = 3;

HANDLE shared_fence = nullptr;  ///< NT handle, as it is passed on Windows by the program's own means
int failures = 0;

/// Says what a call returned if that is not what was expected.
void check(const char* call, NTSTATUS status, NTSTATUS expected = STATUS_SUCCESS) {
  if (status == expected) return;
  std::printf("%s returned %08x\n", call, static_cast<unsigned>(status));
  ++failures;
}

D3DKMT_HANDLE create_device() {
  D3DKMT_ADAPTERINFO adapter{};
  D3DKMT_ENUMADAPTERS2 adapters{1, &adapter};
  check("D3DKMTEnumAdapters2", D3DKMTEnumAdapters2(&adapters));
  D3DKMT_CREATEDEVICE device{};
  device.hAdapter = adapter.hAdapter;
  check("D3DKMTCreateDevice", D3DKMTCreateDevice(&device));
  return device.hDevice;
}

void wait_for(D3DKMT_HANDLE fence, UINT64 value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
  wait.ObjectCount = 1;
  wait.ObjectHandleArray = &fence;
  wait.FenceValueArray = &value;
  check("D3DKMTWaitForSynchronizationObjectFromCpu",
        D3DKMTWaitForSynchronizationObjectFromCpu(&wait));
}

void signal(D3DKMT_HANDLE fence, UINT64 value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal{};
  signal.ObjectCount = 1;
  signal.ObjectHandleArray = &fence;
  signal.FenceValueArray = &value;
  check("D3DKMTSignalSynchronizationObjectFromCpu",
        D3DKMTSignalSynchronizationObjectFromCpu(&signal));
}

/// 20 us of work, then the monitored fence is written and the CPU interrupted.
void submit_frame(D3DKMT_HANDLE context, const user::Memory& buffer,
                  D3DGPU_VIRTUAL_ADDRESS fence, UINT64 value) {
  struct {
    abi::WorkPacket work;
    abi::FenceWritePacket done;
  } packets{};
  packets.work.header = {abi::Opcode::kDispatch, 0, sizeof packets.work};
  packets.work.duration = 20 * common::kMicrosecond;
  packets.done = {
      {abi::Opcode::kFenceWrite, abi::kNotify, sizeof packets.done}, fence, value};
  user::store(buffer.cpu_address, &packets, sizeof packets);
  D3DKMT_SUBMITCOMMAND submit{};
  submit.Commands = buffer.gpu_address;
  submit.CommandLength = sizeof packets;
  submit.BroadcastContextCount = 1;
  submit.BroadcastContext[0] = context;
  check("D3DKMTSubmitCommand", D3DKMTSubmitCommand(&submit));
}

void game() {
  const D3DKMT_HANDLE device = create_device();
  D3DKMT_CREATENATIVEFENCE frames{};
  frames.hDevice = device;
  frames.Info.Flags.Value = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kShared |
                            D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNtSecuritySharing;
  check("D3DKMTCreateNativeFence", D3DKMTCreateNativeFence(&frames));
  check("D3DKMTShareObjects",
        D3DKMTShareObjects(1, &frames.hSyncObject, nullptr, 0, &shared_fence));

  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 rendered{};
  rendered.hDevice = device;
  rendered.Info.Type = D3DDDI_MONITORED_FENCE;
  check("D3DKMTCreateSynchronizationObject2", D3DKMTCreateSynchronizationObject2(&rendered));
  D3DKMT_CREATECONTEXTVIRTUAL context{};
  context.hDevice = device;
  context.NodeOrdinal = kCompute;
  check("D3DKMTCreateContextVirtual", D3DKMTCreateContextVirtual(&context));
  const user::Memory buffer = user::allocate_memory(device, 4096);

  for (UINT64 frame = 1; frame <= kFrames; ++frame) {
    submit_frame(context.hContext, buffer,
                 rendered.Info.MonitoredFence.FenceValueGPUVirtualAddress, frame);
    wait_for(rendered.hSyncObject, frame);
    std::printf("%8.3f us  game has rendered frame %llu\n",
                static_cast<double>(user::Machine::current().now()) / common::kMicrosecond,
                static_cast<unsigned long long>(frame));
    signal(frames.hSyncObject, frame);
  }
}

void compositor() {
  const D3DKMT_HANDLE device = create_device();
  while (shared_fence == nullptr) user::sleep(10 * common::kMicrosecond);
  D3DKMT_OPENNATIVEFENCEFROMNTHANDLE open{};
  open.hNtHandle = shared_fence;
  open.hDevice = device;
  check("D3DKMTOpenNativeFenceFromNtHandle", D3DKMTOpenNativeFenceFromNtHandle(&open));
  for (UINT64 frame = 1; frame <= kFrames; ++frame) {
    wait_for(open.hSyncObject, frame);
    std::printf("%8.3f us  compositor shows frame %llu\n",
                static_cast<double>(user::Machine::current().now()) / common::kMicrosecond,
                static_cast<unsigned long long>(frame));
  }
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{open.hSyncObject};
  check("D3DKMTDestroySynchronizationObject", D3DKMTDestroySynchronizationObject(&destroy));
}

}  // namespace

int sc_main(int /*argc*/, char* /*argv*/[]) {
  user::Machine machine{fenceline::top::PlatformConfig{}};
  machine.add_thread("game", machine.add_process("game"), game);
  machine.add_thread("compositor", machine.add_process("compositor"), compositor);
  const bool done = machine.run();
  if (!done) std::puts("somebody still waits");
  return done && failures == 0 ? 0 : 1;
}
