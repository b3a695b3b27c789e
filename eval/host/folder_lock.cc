#include "eval/host/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace coppice::eval {

UniqueFd LockFolder(const std::filesystem::path& folder) {
  UniqueFd lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return UniqueFd();
  }
  return lock;
}

}  // namespace coppice::eval
