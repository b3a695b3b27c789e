#include "engine/cli/figures.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "engine/cli/embedded.h"

namespace coppice::cli {
namespace {

constexpr int kNoMatplotlib = 3;  // The script's exit code.

// The user's, which may have a matplotlib of its own, then the system's.
constexpr const char* kPythons[] = {"python3", "/usr/bin/python3"};

constexpr const char* kAdvice =
    "figures need python3 and matplotlib (apt-get install python3-matplotlib); "
    "the numbers are in ";

// Its exit code; none if there is no such program.
std::optional<int> Run(std::string python, std::string script,
                       std::string argument) {
  std::string command = "-c";
  char* const words[] = {python.data(), command.data(), script.data(),
                         argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words, environ) != 0) {
    return std::nullopt;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<void> DrawFigures(const std::filesystem::path& directory) {
  for (const char* python : kPythons) {
    const auto code = Run(python, kFiguresScript, directory.string());
    if (!code || code == kNoMatplotlib) continue;
    if (code == 0) return {};
    return Fail(Errc::kIo, directory.string() + ": drawing failed with code " +
                               std::to_string(*code));
  }
  return Fail(Errc::kUnavailable, kAdvice + directory.string());
}

}  // namespace coppice::cli
