#include "eval/cuda/runner/requests.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {

std::string ReadAll(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) Refuse("%s", "cannot read the code");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(descriptor, text.data() + done,
                              text.size() - done, static_cast<off_t>(done));
    if (got <= 0) Refuse("%s", "cannot read the code");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

const Control& MapControl(int descriptor) {
  const void* memory =
      mmap(nullptr, sizeof(Control), PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) Refuse("%s", "cannot map its orders");
  const auto& control = *static_cast<const Control*>(memory);
  if (control.version != kProtocolVersion) {
    Refuse("%s", "is of another build than the evaluator");
  }
  return control;
}

}  // namespace coppice::eval::cuda
