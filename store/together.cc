#include "store/together.h"

#include "store/connection.h"

namespace coppice::store {

Result<void> Together(Database& database,
                      const std::function<Result<void>()>& body) {
  return database.connection().Write(body);
}

}  // namespace coppice::store
