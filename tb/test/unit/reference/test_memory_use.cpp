// Allocations of the memory manager.
#include "tb/test/unit/reference/predicted.h"

namespace fenceline::reference::test_memory_use {

namespace {

/// A process with a context, a queue that can be suspended, managed allocations M, N (not resident
/// at the start) and V (in VRAM only), and a fixed one X.
Outcome managed(const std::string& programs, const std::string& platform = "") {
  return predicted(R"("platform": {"os": {"context_scheduling": {"enabled": true})" + platform +
                   R"(}}, "processes": [{"name": "app",
      "fences": [{"name": "F"}, {"name": "M", "monitored": true}],
      "queues": [{"name": "q", "engine": "compute0"}],
      "contexts": [{"name": "c", "engine": "compute1"}],
      "allocations": [{"name": "A", "segments": ["vram", "sysmem"]},
                      {"name": "N", "segments": ["sysmem"], "resident": false},
                      {"name": "V", "segments": ["vram"], "cpu_visible": false, "resident": false,
                       "size": "64KiB"}, {"name": "X"}]}],
      "programs": [)" +
                   programs + "]");
}

std::string call(const std::string& verb, const std::string& allocation) {
  return "{\"" + verb + R"(": {"allocations": [")" + allocation + "\"]}}";
}
std::string on(const std::string& verb, const std::string& allocation,
               const std::string& more = "") {
  return "{\"" + verb + R"(": {"allocation": ")" + allocation + "\"" + more + "}}";
}
std::string write(const std::string& allocation, const std::string& value) {
  return R"({"write": {"allocation": ")" + allocation + R"(", "value": )" + value + "}}";
}
std::string store(const std::string& value) { return on("store", "A", R"(, "value": )" + value); }
const std::string kLock = on("lock", "A");
const std::string kLoad = on("load", "A");
const std::string kDelay = R"({"delay": "1us"})";

}  // namespace

TEST_CASE("a load returns the last store of its thread or what work has written", "[reference]") {
  const Outcome own =
      managed(thread("t", kLock + "," + store("1") + "," + store("2") + "," + kLoad));
  CHECK(reason(own).empty());
  CHECK(own.threads.at("t")[3].loaded.values == Values{2});
  for (const StepOutcome& step : own.threads.at("t"))
    CHECK(step.statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(own.contents.at("app/A").at(0).values == Values{2});
  const Outcome other =
      managed(thread("t", submit("q", write("A", "7") + "," + point("signal", "F", "1")) + "," +
                              point("wait", "F", "1") + "," + kLock + "," + kLoad));
  CHECK(other.threads.at("t")[3].loaded.values == Values{7});
}

TEST_CASE("a store may stay in its core until its thread sleeps or submits work", "[reference]") {
  const std::string reader = thread("u", kLock + "," + point("wait", "F", "1") + "," + kLoad);
  const auto loaded = [&](const std::string& between, const std::string& host) {
    const Outcome outcome =
        managed(thread("t", kLock + "," + store("1") + between + "," + point("signal", "F", "1")) +
                    "," + reader,
                "}, \"host\": {" + host);
    return outcome.threads.at("u")[2].loaded.values;
  };
  const std::string barriers = R"("write_combining": {"sent_by": "barriers"})";
  CHECK(loaded("", barriers) == Values{0, 1});
  CHECK(loaded("," + kDelay, barriers) == Values{1});
  CHECK(loaded("," + submit("q", R"({"barrier": {}})"), barriers) == Values{1});
  CHECK(loaded(R"(, {"gpu_signal": {"queue": "q", "fence": "F", "value": 0}})", barriers) ==
        Values{1});
  CHECK(loaded("", R"("write_combining": {"sent_by": "serializing"})") == Values{1});
}

TEST_CASE("a store to cached memory is there before the next signal of its thread", "[reference]") {
  const auto loaded = [](const std::string& settings) {
    return predicted(R"("platform": {)" + settings + R"(}, "processes": [{"name": "app",
        "fences": [{"name": "F"}],
        "allocations": [{"name": "A", "segments": ["sysmem"], "cached": true}]}],
        "programs": [)" +
                     thread("t", kLock + "," + store("1") + "," + point("signal", "F", "1")) + "," +
                     thread("u", kLock + "," + point("wait", "F", "1") + "," + kLoad) + "]")
        .threads.at("u")[2]
        .loaded.values;
  };
  const std::string host =
      R"("host": {"write_combining": {"sent_by": "barriers"}, "memory_model": )";
  const std::string lockless = R"(, "ordering": {"os.lockless_signal": true})";
  CHECK(loaded(host + R"("strong"})" + lockless) == Values{1});
  CHECK(loaded(host + R"("tso"})") == Values{1});
  CHECK(loaded(host + R"("tso"})" + lockless) == Values{0, 1});
}

TEST_CASE("work uses memory after it was made resident", "[reference]") {
  CHECK(reason(managed(thread("t", submit("q", write("N", "1"))))) ==
        "a use of memory that may not be resident");
  const Outcome outcome =
      managed(thread("t", call("make_resident", "N") + "," + submit("q", write("N", "1"))));
  CHECK(reason(outcome).empty());
  CHECK(outcome.threads.at("t")[0].statuses == std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(outcome.contents.at("app/N").at(0).values == Values{1});
}

TEST_CASE("the OS waits for work of contexts before it evicts memory", "[reference]") {
  const std::string evict = call("evict", "A");
  CHECK(
      reason(managed(thread("t", submit_to_context("c", write("A", "1")) + "," + evict))).empty());
  CHECK(reason(managed(thread("t", submit("q", write("A", "1")) + "," + evict))) ==
        "a use of memory that may not be resident");
  CHECK(reason(managed(thread("t", submit("q", write("A", "1") + "," + point("signal", "F", "1")) +
                                       "," + point("wait", "F", "1") + "," + evict)))
            .empty());
  CHECK(reason(managed(thread("t", evict + "," + submit_to_context("c", write("A", "1"))))) ==
        "a use of memory that may not be resident");
  CHECK(reason(managed(thread("t", evict + "," + call("make_resident", "A") + "," +
                                       submit_to_context("c", write("A", "1")))))
            .empty());
  CHECK(reason(managed(thread("t", evict + "," + evict))) ==
        "calls for an allocation that may not be there");
}

TEST_CASE("a destroyed allocation has no content and takes no calls", "[reference]") {
  const std::string destroy = on("destroy_allocation", "A");
  const Outcome outcome =
      managed(thread("t", submit_to_context("c", write("A", "1")) + "," + destroy));
  CHECK(reason(outcome).empty());
  CHECK(outcome.contents.count("app/A") == 0);
  CHECK(reason(managed(thread("t", kLock + "," + destroy + "," + kLoad))) ==
        "a call or an access for memory that may not exist");
  CHECK(reason(managed(thread("t", destroy + "," + call("make_resident", "A")))) ==
        "calls for an allocation that may not be there");
  const std::string at_once = on("destroy_allocation", "A", R"(, "assume_not_in_use": true)");
  const std::string work =
      submit_to_context("c", write("A", "1") + "," + point("signal", "F", "1")) + ",";
  CHECK(reason(managed(thread("t", work + at_once))) == "a use of memory that may not be resident");
  CHECK(reason(managed(thread("t", work + point("wait", "F", "1") + "," + at_once))).empty());
  CHECK(reason(managed(thread("t", on("destroy_allocation", "A", R"(, "synchronous": true)")))) ==
        "a destruction that waits for all work of its process");
}

TEST_CASE("an allocation that a step creates is there after the step", "[reference]") {
  const std::string create = R"({"create_allocation": {"name": "D", "segments": ["sysmem"]}})";
  const std::string use = submit_to_context("c", write("D", "1"));
  CHECK(reason(managed(thread("t", create + "," + use))).empty());
  CHECK(reason(managed(thread("t", create) + "," + thread("u", use))) ==
        "a use of memory that may not be resident");
  CHECK(reason(managed(thread("t", create + "," + create))) == "several allocations of one name");
}

TEST_CASE("nothing is said of the bytes of an allocation that may never be made", "[reference]") {
  const std::string made =
      R"({"create_allocation": {"name": "D", "segments": ["sysmem"]}}, {"lock": {"allocation": "D"}},
         {"store": {"allocation": "D", "value": 1}})";
  const auto has_bytes = [&](const std::string& before) {
    const Outcome outcome =
        managed(thread("t", before + made) + "," + thread("u", point("signal", "F", "1")) + "," +
                thread("v", point("signal", "F", "0")));
    CHECK(reason(outcome).empty());
    return outcome.contents.count("app/D") != 0;
  };
  CHECK(has_bytes(""));
  CHECK_FALSE(has_bytes(point("wait", "F", "1") + ","));  // the value may be gone
}

TEST_CASE("two threads map an allocation one after the other", "[reference]") {
  const std::string map = on("map", "A");
  const std::string unmap = R"({"unmap": "A"})";
  const auto reason_of = [&](const std::string& first, const std::string& second) {
    return reason(managed(thread("t", first) + "," + thread("u", second)));
  };
  const std::string silent = "a map of memory that another thread may have mapped";
  CHECK(reason_of(map + "," + unmap, map) == silent);
  const std::string tells = point("signal", "F", "1");
  const std::string later = point("wait", "F", "1") + "," + map;
  CHECK(reason_of(map + "," + unmap + "," + tells, later).empty());
  CHECK(reason_of(map + "," + tells + "," + unmap, later) == silent);
}

TEST_CASE("memory that must be in VRAM has to fit", "[reference]") {
  const std::string bring = thread("t", call("make_resident", "V"));
  CHECK(managed(bring, R"(, "video_memory": "64KiB")").threads.at("t")[0].statuses ==
        std::set<std::string>{"STATUS_SUCCESS"});
  CHECK(managed(bring, R"(, "video_memory": "60KiB")").threads.at("t")[0].statuses ==
        std::set<std::string>{"STATUS_NO_MEMORY"});
}

TEST_CASE("locks with bits that are reserved are refused", "[reference]") {
  const Outcome outcome = managed(
      thread("t", on("lock", "A", R"(, "reserved": 2, "status": "STATUS_INVALID_PARAMETER")")));
  CHECK(outcome.threads.at("t")[0].statuses == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
  CHECK(reason(outcome).empty());
}

TEST_CASE("nothing is said of locks and accesses without a sure way to the memory", "[reference]") {
  CHECK(reason(managed(thread("t", on("lock", "V")))) == "locks that may be refused");
  CHECK(reason(managed(thread("t", on("lock", "N")))) ==
        "a use of memory that may not be resident");
  CHECK(reason(managed(thread("t", kLoad))) == "accesses to memory that the thread has not locked");
  CHECK(reason(managed(thread("t", kLock + "," + on("unlock", "A") + "," + kLoad))) ==
        "accesses to memory that the thread has not locked");
  CHECK(reason(managed(thread("t", on("unlock", "A")))) ==
        "an unlock without a lock of its thread");
  CHECK(reason(managed(thread("t", kDelay), R"(, "allocation_lists": true)")) ==
        "locks that wait for work");
}

TEST_CASE("nothing is said of waits in buffers while memory moves", "[reference]") {
  CHECK(reason(managed(thread("t", submit_to_context("c", point("wait", "F", "0"))))) ==
        "waits in buffers while memory moves");
  CHECK(reason(managed(thread("t", submit_to_context("c", point("wait", "M", "0"))))).empty());
}

TEST_CASE("contexts of an adapter without memory that moves may wait in buffers", "[reference]") {
  const auto with = [](const std::string& room) {
    return reason(predicted(R"("platform": {"adapters": [{"name": "gpu0"}, {"name": "gpu1"}],
        "os": {"video_memory": ")" +
                            room + R"("}},
        "processes": [{"name": "app", "allocations": [{"name": "A", "segments": ["sysmem"]}]},
                      {"name": "other", "adapter": "gpu1", "fences": [{"name": "F"}],
                       "contexts": [{"name": "c", "engine": "compute0"}]}],
        "programs": [{"thread": "t", "process": "other", "steps": [)" +
                            submit_to_context("c", point("wait", "F", "0")) + "]}]"));
  };
  CHECK(with("0B").empty());
  CHECK(with("1MiB") == "waits in buffers while memory moves");
}

TEST_CASE("nothing is said of memory whose place is not sure", "[reference]") {
  const auto with = [](const std::string& allocation, const std::string& platform = "") {
    return reason(predicted(R"("platform": {"os": {)" + platform +
                            R"(}}, "processes": [{"name": "app", "allocations": [{"name": "A", )" +
                            allocation + R"(}]}], "programs": [)" + thread("t", kDelay) + "]"));
  };
  CHECK(with(R"("segments": ["sysmem"], "cached": true)").empty());
  CHECK(with(R"("segments": ["sysmem"], "cached": true, "cpu_visible": false)") ==
        "an allocation whose creation may fail");
  CHECK(reason(managed(thread("t", R"({"create_allocation": {"name": "D", "segments": []}})"))) ==
        "an allocation whose creation may fail");
  CHECK(with(R"("segments": ["vram"])") == "memory for the CPU that must be in VRAM");
  const std::string in_vram = R"("cpu_visible": false, "segments": ["vram"], )";
  CHECK(with(in_vram + R"("accessed_physically": true)") ==
        "contiguous memory that must be in VRAM");
  CHECK(with(in_vram + R"("size": "1GiB")") == "more memory than VRAM has room for");
  CHECK(with(in_vram + R"("size": "64KiB")", R"("video_memory": "4KiB")") ==
        "an allocation that has no room");
}

TEST_CASE("a stress of memory may take the room of what has to be in VRAM", "[reference]") {
  const auto with = [](const std::string& largest) {
    return reason(predicted(
        R"("platform": {"os": {"video_memory": "16KiB"}}, "processes": [{"name": "app",
           "allocations": [{"name": "A", "cpu_visible": false, "segments": ["vram"],
                            "size": "8KiB"}]}], "programs": [)" +
        thread("t", R"({"memory_stress": {"operations": 3, "allocations": 2, "largest": ")" +
                        largest + "\"}}") +
        "]"));
  };
  CHECK(with("4KiB").empty());
  CHECK(with("8KiB") == "more memory than VRAM has room for");
}

TEST_CASE("a map is a lock that waits for the work that uses the allocation", "[reference]") {
  const std::string map = on("map", "A", R"(, "mode": "write")");
  const std::string unmap = R"({"unmap": "A"})";
  const Outcome own = managed(thread("t", map + "," + store("1") + "," + kLoad + "," + unmap));
  CHECK(reason(own).empty());
  CHECK(own.threads.at("t")[2].loaded.values == Values{1});
  const std::string used = R"({"submit": {"context": "c", "commands": [)" + write("A", "7");
  const std::string signal = "," + point("signal", "M", "1") + "]}}";
  const Outcome over =
      managed(thread("t", used + signal + "," + point("wait", "M", "1") + "," + map + "," + unmap));
  CHECK(reason(over).empty());
  CHECK(over.contents.at("app/A").at(0).values == Values{7});
  CHECK(reason(managed(thread("t", used + "]}}," + map + "," + unmap))) ==
        "a wait for work that may wait itself");
  CHECK(reason(managed(thread("t", map + "," + unmap + "," + used + signal))).empty());
}

TEST_CASE("a map that discards leaves no known bytes and one for reading is not written",
          "[reference]") {
  const std::string before = kLock + "," + store("1") + "," + on("unlock", "A") + ",";
  const Outcome kept =
      managed(thread("t", before + on("map", "A", R"(, "mode": "read")") + "," + kLoad));
  CHECK(kept.threads.at("t")[4].loaded.values == Values{1});
  const Outcome discarded =
      managed(thread("t", before + on("map", "A", R"(, "mode": "write_discard")") + "," + kLoad));
  CHECK(discarded.threads.at("t")[4].loaded.open);
  CHECK(reason(managed(thread("t", on("map", "A", R"(, "mode": "read")") + "," + store("1")))) ==
        "accesses to memory that the thread has not locked");
  CHECK(reason(managed(thread("t", R"({"unmap": "A"})"))) ==
        "an unmap without a map of its thread");
}

TEST_CASE("an invalidation has to be within its allocation", "[reference]") {
  const auto status = [](const std::string& range) {
    return managed(thread("t", on("invalidate_cache", "A", range))).threads.at("t")[0].statuses;
  };
  using Statuses = std::set<std::string>;
  CHECK(status("") == Statuses{"STATUS_SUCCESS"});
  CHECK(status(R"(, "offset": "4KiB", "size": "8B")") == Statuses{"STATUS_INVALID_PARAMETER"});
  CHECK(status(R"(, "offset": "4088B", "size": "8B")") == Statuses{"STATUS_SUCCESS"});
}

TEST_CASE("a stress of memory waits for the contexts of its process", "[reference]") {
  const std::string stress = R"({"memory_stress": {"operations": 4}})";
  CHECK(reason(managed(thread("t", stress))).empty());
  const std::string work = R"({"submit": {"context": "c", "commands": [{"barrier": {}}]}})";
  CHECK(reason(managed(thread("t", stress + "," + work))).empty());
  CHECK(reason(managed(thread("t", work + "," + stress))) ==
        "a wait for work that may wait itself");
}

}  // namespace fenceline::reference::test_memory_use
