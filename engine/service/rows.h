// The rows of the table of operations (operations.cc).
#pragma once

#include "engine/service/operation.h"

namespace coppice::service {

Operation ListTasksOperation();

}  // namespace coppice::service
