#include "engine/cli/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/process/clock.h"
#include "eval/host/unique_fd.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

constexpr std::size_t kTokenDigits = 64;

tl::unexpected<Error> Refused(const std::filesystem::path& path) {
  return Fail(Errc::kIo, path.string() + ": " + std::strerror(errno));
}

Result<std::string> Make(const std::filesystem::path& path, int file) {
  std::string token = FreshToken();
  const std::string line = token + "\n";
  if (::write(file, line.data(), line.size()) !=
      static_cast<ssize_t>(line.size())) {
    const auto refused = Refused(path);
    ::unlink(path.c_str());
    return refused;
  }
  return token;
}

}  // namespace

std::string FreshToken() {
  std::string token;
  for (int i = 0; i < 4; ++i) {
    token += Formatted("%016llx",
                       static_cast<unsigned long long>(engine::FreshSecret()));
  }
  return token;
}

Result<std::string> TokenIn(const std::filesystem::path& path) {
  const eval::UniqueFd fresh(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fresh.get() >= 0) return Make(path, fresh.get());
  if (errno != EEXIST) return Refused(path);
  const eval::UniqueFd known(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (known.get() < 0 || ::fstat(known.get(), &status) != 0) {
    return Refused(path);
  }
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077U) != 0 ||
      status.st_uid != ::geteuid()) {
    return Fail(Errc::kUsage,
                path.string() +
                    ": others may read it, so it is no secret: chmod 600 " +
                    path.string() + ", or give another file");
  }
  std::array<char, kTokenDigits + 2> bytes{};
  const ssize_t count = ::read(known.get(), bytes.data(), bytes.size());
  std::string token(bytes.data(),
                    count < 0 ? 0 : static_cast<std::size_t>(count));
  if (token.ends_with('\n')) token.pop_back();
  if (token.size() != kTokenDigits ||
      token.find_first_not_of("0123456789abcdef") != token.npos) {
    return Fail(Errc::kUsage, path.string() +
                                  ": holds no token of coppice's: give a file "
                                  "that is not there, and it is made");
  }
  return token;
}

}  // namespace coppice::cli
