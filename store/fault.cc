#include "store/fault.h"

#include <utility>

namespace coppice::store {
namespace {

std::function<void(CommitPoint)>& Hook() {
  static std::function<void(CommitPoint)> hook;
  return hook;
}

}  // namespace

void SetCommitHook(std::function<void(CommitPoint)> hook) {
  Hook() = std::move(hook);
}

void ReachCommitPoint(CommitPoint point) {
  if (Hook()) Hook()(point);
}

}  // namespace coppice::store
