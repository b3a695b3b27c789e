#include "eval/sandbox/embedded_jail.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "eval/host/unique_fd.h"

asm(".pushsection .rodata\n"
    "coppice_jail_begin: .incbin \"" COPPICE_JAIL
    "\"\n"
    "coppice_jail_end:\n"
    ".popsection\n");
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const char coppice_jail_begin[], coppice_jail_end[];

namespace coppice::eval {
namespace {

// Sealed, so that nobody who comes to hold it can change it.  Or the error.
Result<UniqueFd> Unpack() {
  UniqueFd file(memfd_create("coppice-jail", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  std::string_view rest(coppice_jail_begin, coppice_jail_end);
  while (file.valid() && !rest.empty()) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!rest.empty() ||
      fcntl(file.get(), F_ADD_SEALS,
            F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) {
    return Fail(Errc::kUnavailable,
                std::string("sandbox: memory file: ") + std::strerror(errno));
  }
  return file;
}

}  // namespace

Result<std::string> EmbeddedJail() {
  static const Result<UniqueFd> file = Unpack();
  if (!file) return tl::unexpected(file.error());
  // It cannot be /proc/self: the child closes its descriptors before it
  // executes.
  return "/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(file->get());
}

}  // namespace coppice::eval
