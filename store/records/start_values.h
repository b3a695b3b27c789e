// What outputs hold when a C++ kernel is called, where it may work in them: a
// tag starts:y=y_before says that y holds what the input y_before holds.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {

// Maps each output that the tags speak of to its input's place among the
// inputs.  kUsage says what is wrong with a tag: no such tensors, or unlike
// ones.
Result<std::map<std::string, std::size_t>> StartValues(
    const Definition& definition);

}  // namespace coppice
