#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/run_report.h"
#include "tb/report/record/timeline.h"
#include "tb/report/writers/page_shell.h"

namespace fenceline::report {

/// Runs that end later are not shown: the page's numbers are exact up to 2^53 [ps].
constexpr std::uint64_t kPageEndTime = std::uint64_t{1} << 53;

/// Version of the data in a page, and how its columns are packed: see packed().
constexpr int kPageFormat = 2;
constexpr const char* kPageCodec = "deflate-raw";

/// Spans of a page, its events, and the values of its charts.
constexpr std::size_t kMostPageItems = 1'000'000;

/// Bytes of a scenario that a page holds.
constexpr std::size_t kMostPageText = std::size_t{1} << 20;

/// The reason why this run has no page; empty if it has one.
std::string missing_page_reason(const RunReport& report);

/// Writes report.html: one file for a browser, without any other file. The same run gives the same
/// bytes with the same zlib. @param page see run_page() @param most slices, and
/// instants: of a larger run some are left out, see thinned()
void write_page(const PageKind& page, const Timeline& whole, const RunReport& report,
                const Names& names, Output& out, std::size_t most = kMostPageItems);

/// Adds the name and the text of the scenario of a run or a search.
void add_scenario(const RunReport& report, nlohmann::ordered_json& meta);

/// Fills the shell of a page. @param meta gets the format and the kind, and is packed here
/// @param columns one or more texts of packed()
void fill_page(const PageKind& page, const std::string& title, nlohmann::ordered_json meta,
               const std::string& columns, Output& out);

}  // namespace fenceline::report
