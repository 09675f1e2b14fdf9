// Calls that several threads of a process make at the same time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/abi/packets.h"
#include "tb/check/checkers.h"
#include "tb/user/d3dkmt.h"

namespace fenceline::system_tests::test_user_threads {

namespace {

namespace abi = fenceline::abi;
namespace common = fenceline::common;
namespace os = fenceline::os;
namespace user = fenceline::user;
using fenceline::check::Checkers;

constexpr UINT kCompute = 1;
constexpr std::size_t kThreads = 4;

D3DKMT_HANDLE create_device() {
  D3DKMT_ADAPTERINFO infos[4]{};
  D3DKMT_ENUMADAPTERS2 adapters{4, infos};
  REQUIRE(D3DKMTEnumAdapters2(&adapters) == STATUS_SUCCESS);
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = infos[0].hAdapter;
  REQUIRE(D3DKMTCreateDevice(&args) == STATUS_SUCCESS);
  return args.hDevice;
}

D3DKMT_HANDLE create_context(D3DKMT_HANDLE device) {
  D3DKMT_CREATECONTEXTVIRTUAL args{};
  args.hDevice = device;
  args.NodeOrdinal = kCompute;
  REQUIRE(D3DKMTCreateContextVirtual(&args) == STATUS_SUCCESS);
  return args.hContext;
}

/// The operating system's own view of a context of the calling process.
const os::ContextQueue& queue_of(D3DKMT_HANDLE context) {
  const os::ContextQueue* const queue = user::device_of(context)->context(context);
  REQUIRE(queue != nullptr);
  return *queue;
}

/// Highest number of buffers that a context had queued.
class MostBuffers final : public common::EventSink {
 public:
  explicit MostBuffers(common::EventStream& events) {
    events.subscribe(*this, {common::kKindOf<fenceline::event::ContextPacket>});
  }
  void on_event(const common::Event&) override {
    if (of == nullptr) return;
    ++packets;
    most = std::max(most, of->buffers);
  }
  const os::ContextQueue* of = nullptr;
  std::size_t most = 0;
  std::size_t packets = 0;
};

}  // namespace

TEST_CASE("threads that submit at once never queue more buffers than a context takes", "[user]") {
  fenceline::top::PlatformConfig platform;
  platform.host.cores = kThreads + 2;
  user::Machine machine(platform);
  Checkers checkers(machine.simulation().events);
  MostBuffers seen(machine.simulation().events);
  constexpr std::size_t kEach = 12;
  D3DKMT_SUBMITCOMMAND args{};
  args.BroadcastContextCount = 1;
  const std::size_t process = machine.add_process("app");
  machine.add_thread("main", process, [&] {
    const D3DKMT_HANDLE device = create_device();
    args.BroadcastContext[0] = create_context(device);
    const user::Memory buffer = user::allocate_memory(device, 4096);
    abi::WorkPacket work{};
    work.header = {abi::Opcode::kDispatch, 0, abi::kShapelessWork};
    work.duration = 20 * common::kMicrosecond;
    user::store(buffer.cpu_address, &work, work.header.bytes);
    user::memory_barrier();
    args.Commands = buffer.gpu_address;
    args.CommandLength = work.header.bytes;
    seen.of = &queue_of(args.BroadcastContext[0]);
  });
  for (std::size_t i = 0; i < kThreads; ++i)
    machine.add_thread("T" + std::to_string(i), process, [&] {
      user::sleep(common::kMillisecond);  // the set-up is over
      for (std::size_t n = 0; n < kEach; ++n) REQUIRE(D3DKMTSubmitCommand(&args) == STATUS_SUCCESS);
    });
  CHECK(machine.run());
  checkers.finish();
  CHECK(checkers.violations().empty());
  CHECK(seen.packets == kThreads * kEach);
  CHECK(seen.most == os::ContextSubmission::kMaxQueued);
}

}  // namespace fenceline::system_tests::test_user_threads
