// A limit of the calling process.
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace coppice::eval {

// To `value`, or to what the user may have at most where that is less (ulimit).
// False, with errno, if the kernel refuses.
inline bool Limit(__rlimit_resource resource, rlim_t value) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = std::min(limit.rlim_max, value);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0;
}

}  // namespace coppice::eval
