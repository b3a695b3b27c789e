// A hook on every commit, for tests that must kill the process exactly there.
//
// The n-th call is the n-th commit point of the process.  A hook that ends the
// process (raise(SIGKILL)) shows that nothing acknowledged is lost (kAfter) and
// that nothing unfinished is seen (kBefore).  One hook per process; set it
// before other threads write.
#pragma once

#include <cstdint>
#include <functional>

namespace coppice::store {

enum class CommitPoint : std::uint8_t {
  kBefore,  // All statements of the transaction ran; COMMIT did not.
  kAfter,   // COMMIT returned; the caller does not know yet.
};

// An empty function removes the hook.
void SetCommitHook(std::function<void(CommitPoint)> hook);

// Called by every transaction that writes.
void ReachCommitPoint(CommitPoint point);

}  // namespace coppice::store
