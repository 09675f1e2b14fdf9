#include "tb/report/record/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace fenceline::report {

FileSink::FileSink(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot create", errno);
}

FileSink::~FileSink() {
  if (file_ < 0) return;
  ::close(file_);
  remove();
}

void FileSink::write(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file_, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", errno);
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void FileSink::close() {
  const int file = std::exchange(file_, -1);
  if (file < 0 || ::close(file) == 0) return;
  const int error = errno;
  remove();
  fail("cannot finish", error);
}

/// Devices stay.
void FileSink::remove() const noexcept {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
}

void FileSink::fail(const char* what, int error) const {
  throw WriteError(fmt::format("{} {}: {}", what, path_.string(), std::strerror(error)));
}

void Output::flush() {
  if (used_ > 0) sink_.write(buffer_.get(), used_);
  used_ = 0;
}

void Output::make_room(std::size_t size) {
  const std::size_t whole = used_ - used_ % kBlock;
  if (whole > 0) sink_.write(buffer_.get(), whole);
  used_ -= whole;
  if (capacity_ - used_ >= size) {
    std::memmove(buffer_.get(), buffer_.get() + whole, used_);
    return;
  }
  capacity_ = std::max(used_ + size, kBlock + kSpare);
  std::unique_ptr<char[]> larger(new char[capacity_]);
  if (used_ > 0) std::memcpy(larger.get(), buffer_.get() + whole, used_);
  buffer_ = std::move(larger);
}

void Output::finish() {
  flush();
  sink_.close();
}

}  // namespace fenceline::report
