#include "store/database.h"

#include <utility>

#include "store/connection.h"

namespace coppice::store {

Result<Database> Database::Open(const std::filesystem::path& path,
                                Access access, Durability durability,
                                Patience* patience) {
  TRY(connection, Connection::Open(path, access, durability, patience));
  return Database(std::move(connection));
}

Database::Database(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

}  // namespace coppice::store
