#include "tb/run/process/pulse.h"

#include <new>
#include <sys/mman.h>

namespace fenceline::run {

Pulse::Pulse() {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared{};
}

Pulse::~Pulse() { munmap(shared_, sizeof(Shared)); }

}  // namespace fenceline::run
