#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace fenceline::report {

/// Bytes could not be written; the message names the file and the reason.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where bytes go. What is not closed may be incomplete.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Writes all bytes, or throws WriteError.
  virtual void write(const char* data, std::size_t size) = 0;
  /// Ends the file; throws WriteError if the system reports a late failure, e.g. a full disk.
  virtual void close() = 0;
};

/// A new file.
class FileSink final : public Sink {
 public:
  /// Creates or truncates `path`; throws WriteError.
  explicit FileSink(const std::filesystem::path& path);
  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(const char* data, std::size_t size) override;
  void close() override;

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int file_ = -1;
};

/// Collects bytes in memory.
class StringSink final : public Sink {
 public:
  void write(const char* data, std::size_t size) override { text.append(data, size); }
  void close() override {}

  std::string text;
};

/// Buffered text onto a sink; finish() must be called, or the end is lost.
class Output {
 public:
  explicit Output(Sink& sink) : sink_(sink) {}

  void text(std::string_view piece) {
    buffer_.append(piece.data(), piece.data() + piece.size());
    if (buffer_.size() >= kFlushAt) flush();
  }
  void put(char c) { buffer_.push_back(c); }
  void number(std::uint64_t value) {
    const fmt::format_int digits(value);
    buffer_.append(digits.data(), digits.data() + digits.size());
  }
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  /// Hands what is buffered to the sink.
  void flush();
  /// Flushes and closes the sink; throws WriteError.
  void finish();

 private:
  static constexpr std::size_t kFlushAt = 64 * 1024;

  Sink& sink_;
  fmt::memory_buffer buffer_;
};

}  // namespace fenceline::report
