#pragma once

#include <cstddef>

namespace fenceline::run {

/// Lets the threads of later simulations use the stacks of deleted ones.
///
/// SystemC maps a stack for each thread, protects its lowest page against overruns, and unmaps it
/// with the thread. A small machine has 34 threads, and these calls and their page faults cost as
/// much as a short run. SystemC 2.3 has no hook for it. So the program's own `mmap`, `munmap` and
/// `mprotect` serve the calls of the SystemC library, and pass all other calls on.
///
/// A kept stack stays mapped, protected and as its last thread left it. Does nothing under a
/// sanitizer, which has its own `mmap`, and where SystemC is not a shared library.
void keep_thread_stacks();
/// True once stacks are kept.
bool keeps_thread_stacks();

/// Number of stacks that no thread uses.
std::size_t kept_thread_stacks();

}  // namespace fenceline::run
