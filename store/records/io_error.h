// What can be done about an errno.
#pragma once

#include <cerrno>

#include "store/records/result.h"

namespace coppice {

// kFull for want of room, on a disk or in a quota; else kIo.
inline Errc IoErrc(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT ? Errc::kFull
                                                          : Errc::kIo;
}

}  // namespace coppice
