#include "eval/cuda/runner/confine.h"

#include <sys/resource.h>

#include <csignal>

#include "eval/runner/filter.h"

namespace coppice::eval::cuda {

// No limit of address space: the driver reserves more than there is.
bool Confine(Watchers watchers) {
  constexpr rlim_t kData = rlim_t{8} << 30;
  constexpr rlim_t kPrinted = 64 << 10;
  const auto limit = [](__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    return setrlimit(resource, &both) == 0;
  };
  std::signal(SIGXFSZ, SIG_IGN);  // A write beyond it fails instead.
  return limit(RLIMIT_DATA, kData) && limit(RLIMIT_FSIZE, kPrinted) &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 1024) &&
         InstallFilter(watchers == Watchers::kNone ? Devices::kCuda
                                                   : Devices::kSanitizedCuda);
}

}  // namespace coppice::eval::cuda
