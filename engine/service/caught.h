// What is thrown at work for one caller is an error for that one: others, and
// the process, go on.
#pragma once

#include <exception>
#include <string>
#include <type_traits>

#include "store/records/result.h"

namespace coppice::service {

// kIo for a std::exception, which is a want of memory or a fault of ours.
template <class Work>
std::invoke_result_t<Work> Caught(Work&& work) {
  try {
    return work();
  } catch (const std::exception& exception) {
    return Fail(Errc::kIo, std::string("coppice failed: ") + exception.what());
  }
}

}  // namespace coppice::service
