// A folder of a name that nobody else has, gone with its owner.
#pragma once

#include <filesystem>
#include <utility>

#include "store/records/result.h"

namespace coppice::eval::python {

class ScratchFolder {
 public:
  static Result<ScratchFolder> Create(const std::filesystem::path& parent);

  ScratchFolder() = default;
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace coppice::eval::python
