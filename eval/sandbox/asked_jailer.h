// For programs that try one jail and then the other, instead of the chosen one.
#pragma once

#include <optional>

#include "eval/sandbox/sandbox.h"

namespace coppice::eval {

// REQUIRES: nothing was sandboxed yet.
void UseJailer(Jailer jailer);

// None: nobody asked for one.
std::optional<Jailer> AskedJailer();

}  // namespace coppice::eval
