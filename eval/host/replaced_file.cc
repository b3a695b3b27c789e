#include "eval/host/replaced_file.h"

#include <unistd.h>

#include <atomic>
#include <string>
#include <system_error>

#include "eval/host/whole_file.h"
#include "store/records/io_error.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

// In the same folder, and of nobody else's: the name may be as long as names
// can be.
fs::path PartBeside(const fs::path& path) {
  static std::atomic<int> parts = 0;
  return path.parent_path() / ("." + std::to_string(::getpid()) + "." +
                               std::to_string(++parts) + ".part");
}

}  // namespace

Result<void> ReplaceWhole(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  error.clear();  // Whether it can be written shows.
  const fs::path part = PartBeside(path);
  auto written = WriteWhole(part, bytes);
  if (written) {
    fs::rename(part, path, error);
    if (!error) return {};
    written =
        Fail(IoErrc(error.value()), path.string() + ": " + error.message());
  }
  std::error_code ignored;
  fs::remove(part, ignored);
  return written;
}

}  // namespace coppice::eval
