// A file that appears under its name only when it is whole.  Private to this
// folder.
#pragma once

#include <filesystem>

#include "store/records/result.h"

namespace coppice::store {

class PartialFile {
 public:
  // kUsage if `path` exists: nothing is ever overwritten.
  static Result<PartialFile> Begin(const std::filesystem::path& path);

  // Removes what was written, unless it was finished.
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  Result<void> Finish();

 private:
  explicit PartialFile(const std::filesystem::path& path);

  std::filesystem::path final_;
  std::filesystem::path partial_;  // Empty once finished.
};

}  // namespace coppice::store
