#include "tb/run/process/journal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "tb/report/record/output.h"
#include "tb/run/process/checksum.h"

namespace fenceline::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kKeyDigits = 16;
constexpr const char* kEnding = ".journal";
constexpr std::size_t kBlock = std::size_t{1} << 20U;  ///< [bytes] read at once

std::string host_name() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  name.resize(std::strlen(name.c_str()));
  for (char& c : name)
    if (c == '/') c = '_';
  return name;
}

/// Takes a number and the following space from the front; none if there is no number.
std::optional<std::uint64_t> take_number(std::string_view& text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length >= text.size() || text[length] != ' ') return std::nullopt;
  text.remove_prefix(length + 1);
  return value;
}

}  // namespace

std::uint64_t columns_key(const std::string& columns) { return checksum(columns); }

JournalWriter::JournalWriter(fs::path folder, std::string label)
    : folder_(std::move(folder)), label_(std::move(label)) {}

JournalWriter::~JournalWriter() {
  if (file_ >= 0) ::close(file_);
}

// The file name is unique, also across hosts and process ids that were reused.
void JournalWriter::open() {
  for (int attempt = 0; file_ < 0; ++attempt) {
    path_ =
        folder_ / fmt::format("{}-{}-{}-{}{}", label_, host_name(), ::getpid(), attempt, kEnding);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST)
      throw report::WriteError(
          fmt::format("cannot create {}: {}", path_.string(), std::strerror(errno)));
  }
}

void JournalWriter::append(const std::string& line) {
  const std::string bytes = fmt::format("{:016x} {}\n", checksum(line), line);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw report::WriteError(
          fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
    done += static_cast<std::size_t>(written);
  }
}

void JournalWriter::add(std::uint64_t run, const PackedRow& row) {
  if (file_ < 0) open();
  const std::uint64_t key = columns_key(row.columns);
  if (columns_.insert(key).second) append(fmt::format("C {:016x} {}", key, row.columns));
  append(fmt::format("R {} {:016x} {}", run, key, row.row));
}

void JournalIndex::update() {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kEnding) names.push_back(it->path().filename().string());
  if (error)
    throw std::runtime_error(fmt::format("cannot read {}: {}", folder_.string(), error.message()));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (known_.emplace(name, files_.size()).second) files_.push_back({folder_ / name, 0, {}});
  for (std::size_t i = 0; i < files_.size(); ++i) read_new(i);
}

void JournalIndex::read_new(std::size_t file) {
  File& journal = files_[file];
  std::error_code error;
  if (fs::file_size(journal.path, error) <= journal.read || error) return;
  std::ifstream stream(journal.path, std::ios::binary);
  std::string bytes(kBlock, '\0');
  for (;;) {
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(journal.read));
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto got = static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount()));
    const std::string_view text = std::string_view(bytes).substr(0, got);
    std::size_t at = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         end = text.find('\n', at)) {
      take_line(file, text.substr(at, end - at), journal.read + at);
      at = end + 1;
    }
    journal.read += at;
    if (got < bytes.size()) return;
    if (at == 0) bytes.resize(bytes.size() * 2);  // shorter than one very long line
  }
}

void JournalIndex::take_line(std::size_t file, std::string_view line, std::uint64_t offset) {
  std::string_view rest = line;
  const auto sum = take_number(rest, 16);
  if (!sum || *sum != checksum(rest) || rest.size() < 2 + kKeyDigits) return;
  const char kind = rest[0];
  rest.remove_prefix(2);
  if (kind == 'R') return take_row(file, rest, offset + (line.size() - rest.size()));
  const auto key = take_number(rest, 16);
  if (!key || columns_key(std::string(rest)) != *key) return;
  files_[file].columns.insert(*key);
  columns_.emplace(*key, rest);
}

void JournalIndex::take_row(std::size_t file, std::string_view text, std::uint64_t offset) {
  const std::size_t before = text.size();
  const auto run = take_number(text, 10);
  const auto key = take_number(text, 16);
  if (!run || !key || files_[file].columns.count(*key) == 0) return;
  const Place place{file, offset + (before - text.size()), text.size(), checksum(text), *key};
  const auto [it, fresh] = places_.emplace(*run, place);
  if (!fresh && (it->second.checksum != place.checksum || it->second.columns != place.columns))
    throw std::runtime_error(
        fmt::format("run {} was made twice and came out differently: {} and {}", *run,
                    files_[it->second.file].path.string(), files_[file].path.string()));
}

JournalIndex::~JournalIndex() {
  if (open_ >= 0) ::close(open_);
}

// Only one file is open at a time: there may be more files than a process may open.
int JournalIndex::open(std::size_t file) const {
  if (open_ >= 0 && opened_ == file) return open_;
  if (open_ >= 0) ::close(open_);
  opened_ = file;
  open_ = ::open(files_[file].path.c_str(), O_RDONLY | O_CLOEXEC);
  return open_;
}

const std::string& JournalIndex::columns_of(std::uint64_t run) const {
  return columns_.at(places_.at(run).columns);
}

std::string JournalIndex::row_of(std::uint64_t run) const {
  const Place& place = places_.at(run);
  std::string text(place.size, '\0');
  const ssize_t got =
      ::pread(open(place.file), text.data(), text.size(), static_cast<off_t>(place.offset));
  if (got != static_cast<ssize_t>(text.size()) || checksum(text) != place.checksum)
    throw std::runtime_error(fmt::format("cannot read {} again", files_[place.file].path.string()));
  return text;
}

}  // namespace fenceline::run
