// A folder of a name that nobody else has, gone with its owner.  What a killed
// owner left is removed when the next one is made beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

class ScratchFolder {
 public:
  static Result<ScratchFolder> Create(const std::filesystem::path& parent);

  ScratchFolder() = default;
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  UniqueFd lock_;
};

// Adds up the files in the folder; links are not followed.  What cannot be
// looked into counts nothing.
std::uintmax_t BytesIn(const std::filesystem::path& folder);

}  // namespace coppice::eval::torch
