// What a kernel that is called under the sanitizers needs and says.
#pragma once

#include <string>
#include <string_view>

namespace coppice::eval {

// The run time that an object of these bytes was linked with, as the loader
// finds it: what takes the place of malloc must come before all else.
std::string SanitizerRunTime(std::string_view object);

// Without the sanitizers' complaint that the sandbox has no /proc.
std::string WithoutWarnings(const std::string& printed);

}  // namespace coppice::eval
