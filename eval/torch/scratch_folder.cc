#include "eval/torch/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "eval/host/folder_lock.h"
#include "eval/sandbox/compile_cache.h"
#include "store/records/io_error.h"

namespace coppice::eval::torch {
namespace {

constexpr char kPrefix[] = ".built-";

// A candidate may have made folders that nobody may write to.
void RemoveAll(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    if (!fs::is_directory(entry->symlink_status(gone))) continue;
    fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add,
                    gone);  // Before it is looked into.
  }
  fs::remove_all(folder, error);
}

void RemoveOwnerless(const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::directory_iterator entry(parent, error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    const std::filesystem::path folder = entry->path();
    if (!folder.filename().string().starts_with(kPrefix)) continue;
    if (const UniqueFd lock = LockFolder(folder); lock.valid())
      RemoveAll(folder);
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::Create(
    const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return UnusableCache(parent, error);
  RemoveOwnerless(parent);
  // Another process may find the folder before it is locked, and remove it.
  for (;;) {
    std::string name = parent / (std::string(kPrefix) + "XXXXXX");
    if (mkdtemp(name.data()) == nullptr) {
      return Fail(IoErrc(errno), parent.string() + ": " + std::strerror(errno));
    }
    ScratchFolder made;
    made.path_ = name;
    made.lock_ = LockFolder(name);
    if (made.lock_.valid() && std::filesystem::exists(name, error)) return made;
  }
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) RemoveAll(path_);
}

std::uintmax_t BytesIn(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::uintmax_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(
      folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    if (!fs::is_regular_file(entry->symlink_status(gone))) continue;
    const std::uintmax_t size = entry->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace coppice::eval::torch
