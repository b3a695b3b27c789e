// What a shared object brings with it when it is loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::eval::cuda {

// "kernel.so: ..." if loading it would load more than the C and C++ run times,
// the CUDA driver and run time, and `libraries` ("cublas": any libcublas.so.N),
// or would look for them where it says itself.  Empty otherwise.
//
// It follows from the linker's flags, which are ours, and is checked on what
// they made.  What the code opens when it runs, only the sandbox can keep away.
std::string CheckLinkage(std::string_view object,
                         const std::vector<std::string>& libraries);

}  // namespace coppice::eval::cuda
