// The file system that a jailed program sees.
#pragma once

#include <vector>

#include "eval/sandbox/jail/order.h"

namespace coppice::eval::jail {

// Makes a fresh tmpfs the root, with the items in it, then read-only; nothing
// of the former root can be reached any more.  For the first process of new
// mount and process name spaces.
void EnterRoot(const std::vector<Item>& items);

}  // namespace coppice::eval::jail
