// The seed of all that a candidate must not foresee.
#pragma once

#include <cstdint>
#include <optional>

#include "store/records/result.h"

namespace coppice {
class RandomStream;
}

namespace coppice::eval {

// `given`, or what nobody knows.  kUnavailable if the system has no random
// numbers.
Result<std::uint64_t> SecretSeed(std::optional<std::uint64_t> given);

// A seed that a command line takes.
std::uint64_t DrawSeed(RandomStream& stream);

}  // namespace coppice::eval
