// Linked with main.cc it makes coppice-mortal: the program, but that it kills
// itself at a commit point of its own, the n-th of those counted from 0, if
// COPPICE_TEST_DIE_AT_COMMIT says n.
#include <csignal>
#include <cstdlib>

#include "store/fault.h"

namespace coppice {
namespace {

const bool kIsArmed = [] {
  const char* const number = std::getenv("COPPICE_TEST_DIE_AT_COMMIT");
  if (number == nullptr) return false;
  store::SetCommitHook([left = std::atoll(number)](store::CommitPoint) mutable {
    if (left-- == 0) std::raise(SIGKILL);
  });
  return true;
}();

}  // namespace
}  // namespace coppice
