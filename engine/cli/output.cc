#include "engine/cli/output.h"

#include <fstream>
#include <string>

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

Result<void> WriteFile(const std::filesystem::path& path,
                       std::string_view text) {
  if (HoldsDatabase(path)) {
    return Fail(Errc::kUsage,
                path.string() + ": holds a database: give another path");
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Errc::kIo, path.string() + ": cannot be written");
  return {};
}

}  // namespace coppice::cli
