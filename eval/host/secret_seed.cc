#include "eval/host/secret_seed.h"

#include <sys/random.h>

namespace coppice::eval {

Result<std::uint64_t> SecretSeed(std::optional<std::uint64_t> given) {
  if (given) return *given;
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    return Fail(Errc::kUnavailable, "getrandom: no random numbers");
  }
  return seed;
}

}  // namespace coppice::eval
