// Limits of this process that judging would meet somewhere in the middle, told
// before it begins and with what to do about them.
#pragma once

#include <string>

#include "store/records/result.h"

namespace coppice::eval {

// Raises our limit of open descriptors as far as judging needs and the system
// lets us; kUnavailable if that is not enough.
Result<void> MakeRoomForDescriptors();

// kUnavailable if our address space is limited, which the address sanitizer
// cannot bear: it reserves some 20 TB, most of which is never touched.
Result<void> CheckAddressSpace();

// Why the kernel gives this process no user name space, as far as it can be
// told, and what helps: "..., since ...: ...".
std::string WhyNoUserNamespace();

}  // namespace coppice::eval
