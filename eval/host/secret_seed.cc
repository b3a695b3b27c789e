#include "eval/host/secret_seed.h"

#include <sys/random.h>

#include "store/records/random.h"

namespace coppice::eval {

Result<std::uint64_t> SecretSeed(std::optional<std::uint64_t> given) {
  if (given) return *given;
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    return Fail(Errc::kUnavailable, "getrandom: no random numbers");
  }
  return seed;
}

std::uint64_t DrawSeed(RandomStream& stream) { return stream.NextU64() >> 1; }

}  // namespace coppice::eval
