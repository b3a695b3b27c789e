// A file that appears under its name only when it is whole, and stays then,
// even without power.  Private to this folder.
#pragma once

#include <filesystem>

#include "store/records/result.h"

namespace coppice::store {

class PartialFile {
 public:
  // kUsage if `path` exists: nothing is ever overwritten.  kBusy while another
  // writes it; what one left that was killed is begun anew.
  static Result<PartialFile> Begin(const std::filesystem::path& path);

  // Removes what was written, unless it was finished.
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  Result<void> Finish();

 private:
  explicit PartialFile(const std::filesystem::path& path);

  Result<void> Take();

  std::filesystem::path final_;
  std::filesystem::path partial_;
  int file_ = -1;  // The partial one, locked; -1: it is not ours.
  bool is_finished_ = false;
};

}  // namespace coppice::store
