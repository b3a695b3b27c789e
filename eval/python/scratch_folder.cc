#include "eval/python/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace coppice::eval::python {

Result<ScratchFolder> ScratchFolder::Create(
    const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  std::string name = parent / ".built-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    return Fail(Errc::kIo, parent.string() + ": " + std::strerror(errno));
  }
  ScratchFolder made;
  made.path_ = name;
  return made;
}

ScratchFolder::~ScratchFolder() {
  std::error_code gone;
  if (!path_.empty()) std::filesystem::remove_all(path_, gone);
}

}  // namespace coppice::eval::python
