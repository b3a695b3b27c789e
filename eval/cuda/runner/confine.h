// Gives up every right that a runner will not need once its context is made.
#pragma once

namespace coppice::eval::cuda {

// Tools that watch beside us in this process.
enum class Watchers { kNone, kSanitizer, kProfiler };

bool Confine(Watchers watchers);  // False if the kernel refused.

}  // namespace coppice::eval::cuda
