#include "tb/explore/process/checkpoint.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>
#include <zstd.h>

#include "models/common/hash.h"
#include "tb/explore/search/bytes.h"

namespace fenceline::explore {

template <class Archive>
void serialize(Archive& archive, Checkpoint& it) {
  archive(it.scenario, it.kmd, it.keep_holds, it.about, it.state);
}

namespace {

const std::string kMagic = "fenceline checkpoint 1\n";

/// Hash of what a file holds.
std::uint64_t hash_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("cannot read " + path);
  common::Hasher hasher;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    std::fill(buffer.begin(), buffer.end(), '\0');
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const std::streamsize got = file.gcount();
    if (got == 0) return hasher.value();
    hasher.add(static_cast<std::uint64_t>(got)).add_words(buffer.data(), buffer.size());
  }
}

std::uint64_t program_hash() { return hash_of("/proc/self/exe"); }
std::uint64_t driver_hash(const std::string& kmd) { return kmd.empty() ? 0 : hash_of(kmd); }

std::string compress(const std::string& bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("cannot compress a checkpoint");
  packed.resize(size);
  return packed;
}

/// Throws std::runtime_error unless `packed` is one whole frame.
std::string decompress(std::string_view packed) {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::vector<char> block(ZSTD_DStreamOutSize());
  std::string bytes;
  std::size_t left = 1;
  do {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    left = ZSTD_decompressStream(context, &out, &in);
    if (ZSTD_isError(left) != 0) break;
    bytes.append(block.data(), out.pos);
    if (in.pos == in.size && out.pos < out.size) break;
  } while (left != 0);
  ZSTD_freeDCtx(context);
  if (left != 0 || in.pos != in.size) throw std::runtime_error("not a whole frame");
  return bytes;
}

}  // namespace

std::string Checkpoint::file() const {
  return kMagic + compress(to_bytes(program_hash()) + to_bytes(driver_hash(kmd), *this));
}

Checkpoint Checkpoint::of(const std::string& file) {
  Checkpoint checkpoint;
  std::uint64_t program = 0;
  std::uint64_t driver = 0;
  try {
    if (file.compare(0, kMagic.size(), kMagic) != 0) throw std::runtime_error("no such file");
    const std::string bytes = decompress(std::string_view(file).substr(kMagic.size()));
    from_bytes(bytes.substr(0, sizeof program), program);
    // Another program may lay out the rest differently.
    if (program == program_hash()) from_bytes(bytes.substr(sizeof program), driver, checkpoint);
  } catch (const std::runtime_error&) {
    throw std::invalid_argument("is no checkpoint, or a damaged one");
  }
  if (program != program_hash()) throw std::invalid_argument("was written by another fenceline");
  if (driver != driver_hash(checkpoint.kmd))
    throw std::invalid_argument("was written with another driver than " + checkpoint.kmd + " is");
  return checkpoint;
}

}  // namespace fenceline::explore
