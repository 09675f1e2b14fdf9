#include <catch2/catch.hpp>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "tb/report/record/output.h"
#include "tb/report/writers/narrative.h"
#include "tb/report/writers/pbf_message.h"

namespace fenceline::report_tests::test_output {

namespace report = fenceline::report;

namespace {

/// Keeps the pieces apart that it is given.
class Pieces final : public report::Sink {
 public:
  void write(const char* data, std::size_t size) override { pieces.emplace_back(data, size); }
  void close() override {}

  std::vector<std::string> pieces;
};

}  // namespace

TEST_CASE("text of all sizes reaches the sink in order and in whole blocks", "[report][output]") {
  constexpr std::size_t kBlock = 128 * 1024;
  Pieces sink;
  report::Output out(sink);
  std::string expected;
  for (std::size_t size = 0; size < 400'000; size = size * 3 + 1) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    for (int i = 0; i < 5; ++i) {
      out.text(piece);
      out.put('.');
      out.number(size);
      out.print(" {:>3} ", i);
      expected += piece + "." + std::to_string(size) + "   " + std::to_string(i) + " ";
    }
  }
  out.finish();
  std::string text;
  for (std::size_t i = 0; i < sink.pieces.size(); ++i) {
    if (i + 1 < sink.pieces.size()) CHECK(sink.pieces[i].size() % kBlock == 0);
    text += sink.pieces[i];
  }
  CHECK(sink.pieces.size() > 5);
  CHECK(text == expected);
}

TEST_CASE("numbers of any length are printed whole", "[report][output]") {
  report::StringSink sink;
  report::Output out(sink);
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10}, std::uint64_t{100},
        std::numeric_limits<std::uint64_t>::max()}) {
    out.number(number);
    out.put(' ');
  }
  out.finish();
  CHECK(sink.text == "0 9 10 100 18446744073709551615 ");
}

TEST_CASE("exact times keep every picosecond", "[report][narrative]") {
  CHECK(report::exact_time(0) == "0.000 ns");
  CHECK(report::exact_time(7) == "0.007 ns");
  CHECK(report::exact_time(999'999) == "999.999 ns");
  CHECK(report::exact_time(1'000'000) == "1.000000 us");
  CHECK(report::exact_time(2'000'000'000'010) == "2000000.000010 us");
  CHECK(report::exact_time(std::numeric_limits<std::uint64_t>::max()) ==
        "18446744073709.551615 us");
}

TEST_CASE("nested messages of any length are read back", "[report][perfetto]") {
  for (const std::size_t fields : {0u, 12u, 13u, 2000u}) {  // 127 bytes are reached with 13
    std::vector<char> room((fields + 8) * report::PbfMessage::kMaxField);
    report::PbfMessage message(room.data());
    const auto outer = message.open(1);
    const auto inner = message.open(2047);
    for (std::size_t i = 0; i < fields; ++i) message.fixed64(47, i);
    message.close(inner);
    message.varint(3, std::numeric_limits<std::uint64_t>::max());
    message.close(outer);

    protozero::pbf_reader file(room.data(), static_cast<std::size_t>(message.end() - room.data()));
    REQUIRE(file.next(1));
    protozero::pbf_reader packet = file.get_message();
    CHECK_FALSE(file.next());
    REQUIRE(packet.next(2047));
    protozero::pbf_reader event = packet.get_message();
    std::size_t found = 0;
    while (event.next(47)) CHECK(event.get_fixed64() == found++);
    CHECK(found == fields);
    REQUIRE(packet.next(3));
    CHECK(packet.get_uint64() == std::numeric_limits<std::uint64_t>::max());
  }
}

}  // namespace fenceline::report_tests::test_output
