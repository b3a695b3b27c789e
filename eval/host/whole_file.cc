#include "eval/host/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "store/records/io_error.h"

namespace coppice::eval {
namespace {

auto Unreadable(const std::filesystem::path& path, const char* reason) {
  return Fail(Errc::kIo, path.string() + ": " + reason);
}

}  // namespace

Result<UniqueFd> OpenToRead(const std::filesystem::path& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Unreadable(path, std::strerror(errno));
  return file;
}

Result<std::string> ReadWhole(const std::filesystem::path& path,
                              std::uintmax_t most_bytes) {
  // Opening waits for nobody who writes to a FIFO.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    return Unreadable(path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return Unreadable(path, S_ISDIR(status.st_mode) ? std::strerror(EISDIR)
                                                    : "not a regular file");
  }
  std::string text;
  std::array<char, 1 << 16> block;
  while (text.size() <= most_bytes) {  // It may grow while it is read.
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unreadable(path, std::strerror(errno));
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return Fail(Errc::kCorrupt, path.string() + ": more than " +
                                  std::to_string(most_bytes >> 20) + " MiB");
}

Result<void> WriteWhole(const std::filesystem::path& path,
                        std::string_view bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (file) return {};
  return Fail(IoErrc(errno), path.string() + ": " + std::strerror(errno));
}

}  // namespace coppice::eval
