// `.npz`: the zip archives of NumPy, through libzip, in memory.
#include <zip.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "io/npy.h"

namespace planish::io {
namespace {

constexpr zip_int64_t kMaxEntries = 1 << 16;
// Deflate shrinks at most 1032:1, so an entry that claims more is a lie that would cost memory.
constexpr uint64_t kMaxRatio = 1032;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

template <class... Args>
[[noreturn]] void invalid(fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorCode::kInvalidInput, "not a readable .npz archive: {}",
       fmt::format(format, std::forward<Args>(args)...));
}

std::string text_of(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

Archive open_archive(std::span<const std::byte> bytes) {
  if (bytes.size() < 22) invalid("{} bytes are less than any zip archive", bytes.size());
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) invalid("{}", text_of(error));
  Archive archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    invalid("{}", text_of(error));
  }
  zip_error_fini(&error);
  return archive;
}

std::vector<std::byte> read_entry(zip_t* archive, zip_uint64_t index, const std::string& name) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0 ||
      (stat.valid & ZIP_STAT_COMP_SIZE) == 0) {
    invalid("entry '{}': {}", name, zip_strerror(archive));
  }
  if (stat.size / kMaxRatio > stat.comp_size + 64) {
    invalid("entry '{}' claims {} bytes from {} compressed ones", name, stat.size, stat.comp_size);
  }
  const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) invalid("entry '{}': {}", name, zip_strerror(archive));
  std::vector<std::byte> bytes;
  // Grown as data arrive, so that a claim alone costs nothing.
  constexpr size_t kStep = 16 << 20;
  while (bytes.size() < stat.size) {
    const size_t have = bytes.size();
    bytes.resize(have + std::min<size_t>(std::max(kStep, have), stat.size - have));
    size_t filled = have;
    while (filled < bytes.size()) {
      const zip_int64_t n = zip_fread(file.get(), bytes.data() + filled, bytes.size() - filled);
      if (n <= 0)
        invalid("entry '{}': {}", name, n == 0 ? "it ends early" : zip_file_strerror(file.get()));
      filled += static_cast<size_t>(n);
    }
  }
  // The read that meets the end checks the checksum.
  std::byte extra;
  if (zip_fread(file.get(), &extra, 1) != 0)
    invalid("entry '{}': {}", name, zip_file_strerror(file.get()));
  return bytes;
}

}  // namespace

NamedTensors read_npz(std::span<const std::byte> bytes, const std::map<std::string, DType>* meant) {
  const Archive archive = open_archive(bytes);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxEntries) invalid("{} entries", count);
  NamedTensors tensors;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* raw = zip_get_name(archive.get(), index, 0);
    if (raw == nullptr) invalid("entry {} has no name", i);
    std::string name = raw;
    if (!name.ends_with(".npy")) continue;  // NumPy skips other files too
    name.resize(name.size() - 4);
    DType dtype = DType::kUndefined;
    if (meant != nullptr) {
      const auto it = meant->find(name);
      const auto other = meant->find("");
      if (it != meant->end()) {
        dtype = it->second;
      } else if (other != meant->end()) {
        dtype = other->second;
      }
    }
    try {
      if (!tensors.emplace(name, read_npy(read_entry(archive.get(), index, name), dtype)).second) {
        invalid("two entries are called '{}'", name);
      }
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("array '{}': {}", name, e.message()));
    }
  }
  return tensors;
}

NamedTensors read_npz_file(const std::string& path, const std::map<std::string, DType>* meant) {
  const MappedFile file = MappedFile::open(path);
  try {
    return read_npz(file.bytes(), meant);
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

void write_npz_file(const std::string& path, const NamedTensors& tensors, bool compress) {
  const auto check = [&](bool ok, const char* what, zip_t* archive) {
    if (!ok)
      throw Error(ErrorCode::kIo, fmt::format("cannot {}: {}", what, zip_strerror(archive)))
          .in_file(path);
  };
  AtomicFile file(path);  // first: a bad path should not cost the compression
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (target == nullptr) throw Error(ErrorCode::kOutOfMemory, text_of(error)).in_file(path);
  Archive archive(zip_open_from_source(target, ZIP_TRUNCATE, &error));
  if (archive == nullptr) {
    zip_source_free(target);
    throw Error(ErrorCode::kIo, text_of(error)).in_file(path);
  }
  zip_source_keep(target);  // closing the archive gives it up
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> keep(target, zip_source_free);

  std::vector<std::string> contents;  // libzip reads them when the archive is closed
  contents.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    contents.push_back(serialize_npy(tensor));
    zip_source_t* source =
        zip_source_buffer(archive.get(), contents.back().data(), contents.back().size(), 0);
    check(source != nullptr, "make an archive", archive.get());
    const zip_int64_t index =
        zip_file_add(archive.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    check(index >= 0, "add an array", archive.get());
    const auto i = static_cast<zip_uint64_t>(index);
    check(zip_set_file_compression(archive.get(), i, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) ==
              0,
          "set the compression", archive.get());
    // The first moment that zip can express, so that the clock leaves no trace.
    constexpr zip_uint16_t kDate1980 = (1 << 5) | 1;
    check(zip_file_set_dostime(archive.get(), i, 0, kDate1980, 0) == 0, "set the date",
          archive.get());
  }
  zip_t* unclosed = archive.release();  // closing frees it, but only when it succeeds
  if (zip_close(unclosed) != 0) {
    archive.reset(unclosed);
    check(false, "write the archive", unclosed);
  }

  zip_stat_t stat;
  zip_stat_init(&stat);
  bool ok = zip_source_stat(target, &stat) == 0 && zip_source_open(target) == 0;
  std::vector<std::byte> bytes(ok ? stat.size : 0);
  ok = ok && zip_source_read(target, bytes.data(), bytes.size()) ==
                 static_cast<zip_int64_t>(bytes.size());
  if (!ok) throw Error(ErrorCode::kIo, "cannot read back the archive that was made").in_file(path);
  zip_source_close(target);
  file.append(bytes);
  file.commit();
}

}  // namespace planish::io
