#include "engine/cli/output.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "engine/documents/row_sheet.h"

namespace coppice::cli {
namespace {

// All of somebody's campaigns may be in it.
bool HoldsDatabase(const std::filesystem::path& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

}  // namespace

Result<void> MakeDirectory(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (!failed) return {};
  return Fail(Errc::kIo, path.string() + ": " + failed.message());
}

Result<void> WriteFile(const std::filesystem::path& path,
                       std::string_view text) {
  if (HoldsDatabase(path)) {
    return Fail(Errc::kUsage,
                path.string() + ": holds a database: give another path");
  }
  namespace fs = std::filesystem;
  const auto fail = [&] {
    return Fail(Errc::kIo, path.string() + ": cannot be written");
  };
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(path, error)) {  // What it leads to may not be there yet.
    target = fs::weakly_canonical(
        path.parent_path() / fs::read_symlink(path, error), error);
  }
  const fs::file_status before = fs::status(target, error);
  // A device or a pipe is written to as it lies.
  const bool is_file = !fs::exists(before) || fs::is_regular_file(before);
  fs::path written = target;
  if (is_file) written += "." + std::to_string(getpid()) + ".new";
  std::ofstream file(written, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!is_file) return file ? Result<void>() : fail();
  if (file && fs::exists(before)) {
    fs::permissions(written, before.permissions(), error);
  }
  if (file) fs::rename(written, target, error);
  if (file && !error) return {};
  std::error_code ignored;
  fs::remove(written, ignored);
  return fail();
}

Result<void> WriteCsv(const RowSheet& sheet,
                      const std::filesystem::path& directory) {
  std::ostringstream text;
  PrintCsv(sheet, text);
  return WriteFile(directory / (sheet.name + ".csv"), text.str());
}

}  // namespace coppice::cli
