#include "engine/process/installation.h"

#include <string>
#include <system_error>

namespace coppice::engine {
namespace fs = std::filesystem;

Result<Installation> FindInstallation(const fs::path& executable) {
  const fs::path here = executable.parent_path();
  const fs::path prefix = here.parent_path();
  const Installation built{here / "data", here / "coppice-runner",
                           here / "docs"};
  const Installation installed{
      prefix / "share" / "coppice",
      prefix / "libexec" / "coppice" / "coppice-runner",
      prefix / "share" / "doc" / "coppice" / "docs"};
  std::error_code ignored;
  for (const Installation& found : {built, installed}) {
    if (fs::exists(found.data, ignored) && fs::exists(found.runner, ignored)) {
      return found;
    }
  }
  return Fail(Errc::kUnavailable,
              executable.string() +
                  ": its data and coppice-runner are neither "
                  "beside it nor in " +
                  installed.data.string() + "; build or install it again");
}

std::string PythonFor(const std::optional<std::string>& named,
                      const fs::path& runner) {
  if (named) return *named;
  const fs::path beside =
      runner.parent_path().parent_path() / "python" / "bin" / "python3";
  std::error_code error;
  return fs::exists(beside, error) ? beside.string() : "python3";
}

std::string PythonHere(const std::optional<std::string>& named) {
  const auto installation = FindInstallation(ExecutablePath());
  return PythonFor(named, installation ? installation->runner : fs::path());
}

fs::path ExecutablePath() {
  std::error_code failed;
  fs::path path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path("coppice") : path;
}

}  // namespace coppice::engine
