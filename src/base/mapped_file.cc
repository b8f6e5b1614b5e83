#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace planish {
namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_file(const std::string& path, std::string message) {
  throw Error(ErrorCode::kIo, std::move(message)).in_file(path);
}

// Says what a path is when it is not a regular file; null when it is one.
const char* not_regular(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "is a directory, not a file";
  if (S_ISFIFO(mode)) return "is a pipe, not a regular file";
  if (S_ISSOCK(mode)) return "is a socket, not a regular file";
  return "is a device, not a regular file";
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_to_read(const std::string& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes would wait for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) fail_file(path, fmt::format("cannot open: {}", error_text(errno)));
  return fd;
}

// The temporaries that a signal handler must be able to find: fixed memory, atomics only. It is
// global because signals are; nothing but AtomicFile and the handler touches it.
constexpr int kSlots = 64;           // open writers at once; one more is merely not cleaned up
constexpr size_t kPathBytes = 4096;  // PATH_MAX
struct Slot {
  std::atomic<pid_t> owner{0};  // 0: free; -1: being filled
  std::array<char, kPathBytes> path{};
};
static_assert(std::atomic<pid_t>::is_always_lock_free);

std::array<Slot, kSlots>& slots() {
  static constinit std::array<Slot, kSlots> all{};
  return all;
}

int register_temporary(const std::string& absolute) {
  if (absolute.size() >= kPathBytes) return -1;
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots()[static_cast<size_t>(i)];
    pid_t expected = 0;
    if (slot.owner.compare_exchange_strong(expected, -1)) {
      std::memcpy(slot.path.data(), absolute.c_str(), absolute.size() + 1);
      slot.owner.store(::getpid());  // a forked child does not remove its parent's files
      return i;
    }
  }
  return -1;
}

void unregister_temporary(int slot) {
  if (slot >= 0) slots()[static_cast<size_t>(slot)].owner.store(0);
}

extern "C" void remove_temporaries_and_die(int signal) {
  const pid_t self = ::getpid();
  for (Slot& slot : slots()) {
    if (slot.owner.load() == self) ::unlink(slot.path.data());
  }
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  ::raise(signal);  // blocked until this handler returns
}

bool all_zero(std::span<const std::byte> bytes) {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace

MappedFile MappedFile::open(const std::string& path) { return adopt(open_to_read(path), path); }

MappedFile MappedFile::adopt(int fd, const std::string& path) {
  const Descriptor file(fd);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    fail_file(path, fmt::format("cannot read its size: {}", error_text(errno)));
  }
  if (const char* what = not_regular(status.st_mode)) fail_file(path, what);
  MappedFile mapped;
  mapped.path_ = path;
  mapped.size_ = static_cast<size_t>(status.st_size);
  if (mapped.size_ == 0) return mapped;  // an empty map is refused by the system
  void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    mapped.size_ = 0;
    fail_file(path, fmt::format("cannot map {} bytes: {}", status.st_size, error_text(error)));
  }
  mapped.data_ = static_cast<const std::byte*>(data);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    if (const char* what = not_regular(status.st_mode)) fail_file(path, what);
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (!error) target_ = real.string();
  }
  static std::atomic<uint32_t> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    // The process id and a counter make the name unique; what a crashed process of the same id left
    // is stepped over.
    temporary_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), counter.fetch_add(1));
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0 || errno != EEXIST) break;
  }
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail_file(path, fmt::format("cannot create: {}", error_text(error)));
  }
  std::error_code ignored;
  slot_ = register_temporary(std::filesystem::absolute(temporary_, ignored).string());
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unregister_temporary(slot_);
}

void AtomicFile::raise(std::string_view what, int error) {
  fail_file(path_, fmt::format("cannot {}: {}", what, error_text(error)));
}

void AtomicFile::write_raw(int64_t offset, std::span<const std::byte> bytes) {
  if (fd_ < 0) throw Error(ErrorCode::kInternal, "writing to a file after commit").in_file(path_);
  while (!bytes.empty()) {
    constexpr size_t kMost = size_t{1} << 30;  // Linux writes at most 2 GiB - 4 KiB a call
    const ssize_t n = ::pwrite(fd_, bytes.data(), std::min(bytes.size(), kMost), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise(fmt::format("write at byte {}", offset), errno);
    if (n == 0) raise(fmt::format("write at byte {}", offset), ENOSPC);
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += n;
  }
}

void AtomicFile::write_through(int64_t offset, std::span<const std::byte> bytes) {
  // A hole costs nothing only where nothing was written before, and only in whole blocks.
  constexpr int64_t kChunk = 64 << 10;
  while (!bytes.empty()) {
    const auto here = static_cast<size_t>(
        std::min<int64_t>(kChunk - offset % kChunk, static_cast<int64_t>(bytes.size())));
    if (here == kChunk && offset >= end_ && all_zero(bytes.first(here))) {
      bytes = bytes.subspan(here);
      offset += kChunk;
      continue;
    }
    // As much as there is up to the next chunk that may become a hole.
    size_t length = here;
    while (length < bytes.size()) {
      const auto next = std::min<size_t>(kChunk, bytes.size() - length);
      if (next == kChunk && all_zero(bytes.subspan(length, next))) break;
      length += next;
    }
    write_raw(offset, bytes.first(length));
    offset += static_cast<int64_t>(length);
    end_ = std::max(end_, offset);
    bytes = bytes.subspan(length);
  }
}

void AtomicFile::flush() {
  if (buffer_.empty()) return;
  write_through(position_ - static_cast<int64_t>(buffer_.size()), buffer_);
  buffer_.clear();
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  constexpr size_t kBuffer = 1 << 20;
  if (buffer_.size() + bytes.size() <= kBuffer) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    position_ += static_cast<int64_t>(bytes.size());
    return;
  }
  flush();
  write_through(position_, bytes);
  position_ += static_cast<int64_t>(bytes.size());
}

void AtomicFile::append(std::string_view text) { append(std::as_bytes(std::span(text))); }

void AtomicFile::pad_to(int64_t alignment) {
  const int64_t missing = (alignment - position_ % alignment) % alignment;
  flush();
  position_ += missing;  // a gap reads as zeros; commit() sets the size
}

void AtomicFile::write_at(int64_t offset, std::span<const std::byte> bytes) {
  flush();
  write_raw(offset, bytes);
  end_ = std::max(end_, offset + static_cast<int64_t>(bytes.size()));
}

void AtomicFile::commit() {
  flush();
  if (fd_ < 0) throw Error(ErrorCode::kInternal, "a file is committed once").in_file(path_);
  if (::ftruncate(fd_, std::max(end_, position_)) != 0) raise("set the size", errno);
  if (::fsync(fd_) != 0) raise("flush to the disk", errno);
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) raise("close", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) raise("rename into place", errno);
  temporary_.clear();
  unregister_temporary(std::exchange(slot_, -1));
  // The rename itself must survive a power cut; not every file system can flush a folder.
  auto folder = std::filesystem::path(target_).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) (void)::fsync(parent.get());
}

void remove_temporaries_on_signal() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = remove_temporaries_and_die;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

std::string read_text_file(const std::string& path, int64_t limit) {
  const Descriptor file(open_to_read(path));
  struct stat status = {};
  if (::fstat(file.get(), &status) == 0) {
    if (const char* what = not_regular(status.st_mode)) fail_file(path, what);
  }
  std::string text;
  std::array<char, 16384> chunk;
  while (true) {
    const ssize_t n = ::read(file.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_file(path, fmt::format("cannot read: {}", error_text(errno)));
    if (n == 0) return text;
    text.append(chunk.data(), static_cast<size_t>(n));
    if (static_cast<int64_t>(text.size()) > limit) {
      fail_file(path, fmt::format("is larger than {} bytes, the most expected here", limit));
    }
  }
}

}  // namespace planish
