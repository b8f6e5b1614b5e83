// Files in and out: a read-only memory map, and a writer that never leaves half a file behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planish {

// A whole regular file, mapped read-only and shared with every other process that maps it. Pages
// are read when touched, so opening costs the same for a kilobyte and for 100 GB. Move only; the
// bytes stay where they are when the object moves. Any number of threads may read. The file must
// not shrink while mapped: touching a page past the new end raises SIGBUS.
class MappedFile {
 public:
  // kIo, with the path and the system's reason; also for directories, FIFOs, sockets and devices,
  // which it never waits for.
  static MappedFile open(const std::string& path);
  // The same for a file descriptor (closed by the call, also on error); `path` is for messages.
  static MappedFile adopt(int fd, const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  int64_t size() const { return static_cast<int64_t>(size_); }
  const std::string& path() const { return path_; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::string path_;
};

// Writes a file under a temporary name in the same folder and renames it on commit(), so that the
// final name holds either the old file or the complete new one, also after a crash. Without
// commit() the temporary is removed. Long runs of zeros become holes where the file system has
// them. Errors are kIo and name the final path. Not thread safe.
class AtomicFile {
 public:
  // An existing symbolic link is followed; a directory or device under that name is refused.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // At position(), which moves on.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  // Zeros up to a multiple of `alignment`.
  void pad_to(int64_t alignment);
  int64_t position() const { return position_; }
  // At any offset; position() stays. A gap reads as zeros.
  void write_at(int64_t offset, std::span<const std::byte> bytes);

  // Flushes to the disk and renames. Once; nothing may be written afterwards.
  void commit();

 private:
  void flush();
  void write_through(int64_t offset, std::span<const std::byte> bytes);
  void write_raw(int64_t offset, std::span<const std::byte> bytes);
  [[noreturn]] void raise(std::string_view what, int error);

  std::string path_;       // as given
  std::string target_;     // what the rename replaces
  std::string temporary_;  // empty once committed or removed
  int slot_ = -1;          // place in the registry of temporaries
  int fd_ = -1;
  int64_t position_ = 0;
  int64_t end_ = 0;  // no byte at or past it has been written
  std::vector<std::byte> buffer_;
};

// From now on SIGINT, SIGTERM and SIGHUP remove the temporaries of all AtomicFiles of this process
// and then act as if they had not been caught. Signals that are ignored (nohup) stay ignored. For
// the command line, not for libraries.
void remove_temporaries_on_signal();

// A file's whole text, for small files (kIo past `limit` bytes). Works on files without a size such
// as those of /proc.
std::string read_text_file(const std::string& path, int64_t limit = int64_t{1} << 26);

}  // namespace planish
