#include "store/partial_file.h"

#include <string>
#include <system_error>
#include <utility>

namespace coppice::store {

Result<PartialFile> PartialFile::Begin(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return Fail(Errc::kUsage,
                path.string() + ": exists already: give another path");
  }
  PartialFile file(path);
  std::filesystem::remove(file.partial_, ignored);
  return file;
}

PartialFile::PartialFile(const std::filesystem::path& path)
    : final_(path), partial_(path.string() + ".partial") {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : final_(std::move(other.final_)),
      partial_(std::exchange(other.partial_, {})) {}

PartialFile::~PartialFile() {
  if (partial_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

Result<void> PartialFile::Finish() {
  std::error_code error;
  std::filesystem::rename(partial_, final_, error);
  if (error) {
    return Fail(Errc::kIo, final_.string() + ": " + error.message());
  }
  partial_.clear();
  return {};
}

}  // namespace coppice::store
