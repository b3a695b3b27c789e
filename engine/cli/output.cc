#include "engine/cli/output.h"

#include <fstream>

namespace coppice::cli {

Result<void> WriteFile(const std::filesystem::path& path,
                       std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Errc::kIo, path.string() + ": cannot be written");
  return {};
}

}  // namespace coppice::cli
