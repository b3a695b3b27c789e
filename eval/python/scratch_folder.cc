#include "eval/python/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace coppice::eval::python {
namespace {

constexpr char kPrefix[] = ".built-";

// Held while its owner lives.
UniqueFd Lock(const std::filesystem::path& folder) {
  UniqueFd lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return UniqueFd();
  }
  return lock;
}

void RemoveOwnerless(const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::directory_iterator entry(parent, error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    const std::filesystem::path folder = entry->path();
    if (!folder.filename().string().starts_with(kPrefix)) continue;
    std::error_code gone;
    if (const UniqueFd lock = Lock(folder); lock.valid()) {
      std::filesystem::remove_all(folder, gone);
    }
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::Create(
    const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) {
    return Fail(Errc::kIo, parent.string() + ": " + error.message());
  }
  RemoveOwnerless(parent);
  // Another process may find the folder before it is locked, and remove it.
  for (;;) {
    std::string name = parent / (std::string(kPrefix) + "XXXXXX");
    if (mkdtemp(name.data()) == nullptr) {
      return Fail(Errc::kIo, parent.string() + ": " + std::strerror(errno));
    }
    ScratchFolder made;
    made.path_ = name;
    made.lock_ = Lock(name);
    if (made.lock_.valid() && std::filesystem::exists(name, error)) return made;
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code gone;
  if (!path_.empty()) std::filesystem::remove_all(path_, gone);
}

}  // namespace coppice::eval::python
