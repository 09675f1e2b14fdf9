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

/// Destination of bytes. Without close() it may be incomplete.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Writes all bytes, or throws WriteError.
  virtual void write(const char* data, std::size_t size) = 0;
  /// Ends the file; throws WriteError if the system reports a late failure, e.g. a full disk.
  virtual void close() = 0;
  /// Writes all of the text and ends the file.
  void write_whole(const std::string& text) {
    write(text.data(), text.size());
    close();
  }
};

/// A new file. It is removed again unless close() succeeds: half a file must not look like a whole
/// one.
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
  void remove() const noexcept;

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

/// Text written to reserved room, without checks.
class Room {
 public:
  static constexpr std::size_t kMaxDigits = 20;  ///< of a number

  explicit Room(char* begin) : at_(begin) {}

  void text(std::string_view piece) { at_ += piece.copy(at_, piece.size()); }
  void put(char c) { *at_++ = c; }
  void number(std::uint64_t value) {
    if (value < 10) return put(static_cast<char>('0' + value));
    const fmt::format_int digits(value);
    text({digits.data(), digits.size()});
  }
  char* end() const { return at_; }

 private:
  char* at_;
};

/// Buffered text for a sink. Without finish() the end is lost.
class Output {
 public:
  explicit Output(Sink& sink) : sink_(sink) {}

  void text(std::string_view piece) {
    Room room = reserve(piece.size());
    room.text(piece);
    advance(room);
  }
  void put(char c) {
    Room room = reserve(1);
    room.put(c);
    advance(room);
  }
  void number(std::uint64_t value) {
    Room room = reserve(Room::kMaxDigits);
    room.number(value);
    advance(room);
  }
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    printed_.clear();
    fmt::format_to(fmt::appender(printed_), format, std::forward<Args>(args)...);
    text({printed_.data(), printed_.size()});
  }

  /// Room for `size` bytes, for writers of many small pieces. advance() adds what was written there
  /// to the text. Valid until the next call of any other method.
  Room reserve(std::size_t size) {
    if (size > capacity_ - used_) make_room(size);
    return Room(buffer_.get() + used_);
  }
  void advance(const Room& room) { used_ = static_cast<std::size_t>(room.end() - buffer_.get()); }

  /// Hands what is buffered to the sink.
  void flush();
  /// Flushes and closes the sink; throws WriteError.
  void finish();

 private:
  /// Sinks get whole aligned blocks: file systems write these faster than odd pieces.
  static constexpr std::size_t kBlock = 128 * 1024;
  static constexpr std::size_t kSpare = 16 * 1024;  ///< a piece that crosses the end of a block

  void make_room(std::size_t size);

  Sink& sink_;
  std::unique_ptr<char[]> buffer_;  // allocated with the first byte; never initialised
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  fmt::memory_buffer printed_;
};

}  // namespace fenceline::report
