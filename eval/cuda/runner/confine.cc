#include "eval/cuda/runner/confine.h"

#include <csignal>

#include "eval/sandbox/filter.h"
#include "eval/sandbox/limit.h"

namespace coppice::eval::cuda {

// No limit of address space: the driver reserves more than there is.
bool Confine(Watchers watchers) {
  constexpr rlim_t kData = rlim_t{8} << 30;
  constexpr rlim_t kPrinted = 64 << 10;
  std::signal(SIGXFSZ, SIG_IGN);  // A write beyond it fails instead.
  return Limit(RLIMIT_DATA, kData) && Limit(RLIMIT_FSIZE, kPrinted) &&
         Limit(RLIMIT_CORE, 0) && Limit(RLIMIT_NOFILE, 1024) &&
         InstallFilter(watchers == Watchers::kNone ? Devices::kCuda
                                                   : Devices::kSanitizedCuda);
}

}  // namespace coppice::eval::cuda
