// Several writes as one: all of them are durable, or none.
#pragma once

#include <functional>

#include "store/database.h"
#include "store/records/result.h"

namespace coppice::store {

// Runs `body`, whose calls of this folder are then parts of one transaction; an
// error of any of them undoes it as a whole.  Where the disk was full, and is
// waited for, `body` is run again from its beginning.
Result<void> InSharedTransaction(Database& database,
                                 const std::function<Result<void>()>& body);

}  // namespace coppice::store
