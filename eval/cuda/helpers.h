// The source of the trusted kernels (device/helpers.cu), for the toolchain.
#pragma once

#include <string>

namespace coppice::eval::cuda {

std::string HelpersSource();

}  // namespace coppice::eval::cuda
