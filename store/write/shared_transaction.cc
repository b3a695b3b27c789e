#include "store/write/shared_transaction.h"

#include "store/connection.h"

namespace coppice::store {

Result<void> InSharedTransaction(Database& database,
                                 const std::function<Result<void>()>& body) {
  return database.connection().Write(body);
}

}  // namespace coppice::store
