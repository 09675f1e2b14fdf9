// The entry point of every test program. Each selected case runs in a child process of its own,
// since SystemC has one simulation a process; a single case runs here, as ctest starts it.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <systemc>
#include <unistd.h>
#include <vector>

#ifdef FENCELINE_COVERAGE
extern "C" void __gcov_dump();
#endif

namespace {

/// Ends a child without running the destructors of what it shares with its parent.
[[noreturn]] void leave(int code) {
  std::fflush(nullptr);
#ifdef FENCELINE_COVERAGE
  __gcov_dump();  // _exit drops the counts
#endif
  _exit(code);
}

std::string exact_filter(const std::string& name) {
  std::string filter;
  for (const char c : name) {
    if (std::strchr("\\,[\"", c) != nullptr) filter += '\\';
    filter += c;
  }
  return filter;
}

/// Runs one test case in a forked child; true when it ran and passed.
bool run_isolated(Catch::Session& session, const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    session.configData().testsOrTags = {exact_filter(name)};
    session.configData().filenamesAsTags = false;  // the cases have them, and it takes long
    session.configData().warnings =
        Catch::WarnAbout::NoTests;  // a filter that misses must not pass
    session.useConfigData(session.configData());
    leave(session.run() == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  if (WIFSIGNALED(status)) std::printf("%s: killed by signal %d\n", name.c_str(), WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Runs all, or with --abort up to the first that fails.
int run_each(Catch::Session& session, const std::vector<Catch::TestCase>& cases) {
  const bool stops = session.configData().abortAfter > 0;
  std::size_t failed = 0;
  for (const Catch::TestCase& test : cases) {
    failed += run_isolated(session, test.name) ? 0 : 1;
    if (stops && failed != 0) break;
  }
  std::printf("%zu of %zu test cases failed\n", failed, cases.size());
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);  // so it fails

  Catch::Session session;
  if (const int error = session.applyCommandLine(argc, argv); error != 0) return error;
  const Catch::Config& config = session.config();
  const bool only_lists = config.listTests() || config.listTestNamesOnly() || config.listTags() ||
                          config.listReporters() || session.configData().showHelp;
  if (only_lists) return session.run();
  if (session.configData().filenamesAsTags) Catch::applyFilenamesAsTags(config);
  const auto selected =
      Catch::filterTests(Catch::getAllTestCasesSorted(config), config.testSpec(), config);
  if (selected.empty()) {  // Catch2 2.13: a filter that matches nothing exits 0
    std::puts("no test case matched");
    return EXIT_FAILURE;
  }
  return selected.size() == 1 ? session.run() : run_each(session, selected);
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // a banner a child, otherwise
  return sc_core::sc_elab_and_sim(argc, argv);
}
