#include "engine/sessions/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agents/provider/process.h"

namespace coppice::sessions {
namespace {

namespace fs = std::filesystem;
using agents::Descriptor;

// Step by step, so that none of them is a link.
Result<Descriptor> OpenWithin(const fs::path& folder, const fs::path& inside,
                              const std::string& name) {
  Descriptor at(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (auto part = inside.begin(); part != inside.end(); ++part) {
    if (*part == ".." || part->empty()) {
      return Fail(Errc::kUsage, "path: " + name + ": is not in your folder");
    }
    const bool is_last = std::next(part) == inside.end();
    const int flags = is_last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
    at = Descriptor(
        openat(at.get(), part->c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    if (!at.open()) {
      return Fail(Errc::kUsage, "path: " + name + ": " +
                                    (errno == ELOOP ? "is a symbolic link"
                                                    : std::strerror(errno)));
    }
  }
  return at;
}

}  // namespace

Result<std::string> ReadOwnFile(const fs::path& folder, const std::string& name,
                                std::size_t most) {
  fs::path inside = fs::path(name).lexically_normal();
  if (inside.is_absolute()) {
    inside = inside.lexically_relative(folder.lexically_normal());
  }
  if (inside.empty() || inside == "." || name.find('\0') != name.npos) {
    return Fail(Errc::kUsage, "path: " + name + ": is no file in your folder");
  }
  TRY(file, OpenWithin(folder, inside, name));
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return Fail(Errc::kUsage, "path: " + name + ": is no regular file");
  }
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got < 0) {
      return Fail(Errc::kUsage, "path: " + name + ": " + std::strerror(errno));
    }
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) {
      return Fail(Errc::kUsage, "path: " + name + ": has more than " +
                                    std::to_string(most) + " bytes");
    }
  }
}

}  // namespace coppice::sessions
