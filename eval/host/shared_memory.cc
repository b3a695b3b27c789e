#include "eval/host/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace coppice::eval {
namespace {

// Linux 5.1; absent from Debian 12's <fcntl.h> unless _GNU_SOURCE's newer
// headers are in use.
#ifndef F_SEAL_FUTURE_WRITE
constexpr int F_SEAL_FUTURE_WRITE = 0x0010;
#endif

tl::unexpected<Error> Refused(const char* name) {
  return Fail(Errc::kIo,
              std::string(name) + ": shared memory: " + std::strerror(errno));
}

}  // namespace

Result<SharedMemory> SharedMemory::Create(const char* name, std::size_t bytes,
                                          Sharing sharing) {
  SharedMemory memory;
  memory.fd_ = UniqueFd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.fd_.valid()) return Refused(name);
  if (ftruncate(memory.fd(), static_cast<off_t>(bytes)) != 0) {
    return Refused(name);
  }
  const int populate = sharing == Sharing::kReadOnly ? MAP_POPULATE : 0;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | populate, memory.fd(), 0);
  if (data == MAP_FAILED) return Refused(name);
  memory.data_ = static_cast<std::byte*>(data);
  memory.size_ = bytes;
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (sharing == Sharing::kReadOnly) seals |= F_SEAL_FUTURE_WRITE;
  if (fcntl(memory.fd(), F_ADD_SEALS, seals) != 0) return Refused(name);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<UniqueFd> SharedMemory::OpenToRead() const {
  const std::string path = "/proc/self/fd/" + std::to_string(fd());
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Refused(path.c_str());
  return file;
}

Result<UniqueFd> CreateMemoryFile(const char* name) {
  UniqueFd file(memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) return Refused(name);
  return file;
}

std::string ReadMemoryFile(const UniqueFd& file, std::size_t limit) {
  std::string text(limit, '\0');
  const ssize_t got = pread(file.get(), text.data(), limit, 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace coppice::eval
