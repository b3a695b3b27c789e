#include "store/database.h"

#include <sqlite3.h>

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

void Database::GiveUpWhen(std::function<bool()> is_over) {
  // Some 5 us, but functions of long values take a millisecond each.
  constexpr int kSteps = 200;
  sqlite3* handle = connection_->sqlite().getHandle();
  sqlite3_progress_handler(handle, 0, nullptr, nullptr);
  is_over_.reset();
  if (!is_over) return;
  is_over_ = std::make_unique<std::function<bool()>>(std::move(is_over));
  sqlite3_progress_handler(
      handle, kSteps,
      [](void* asked) {
        return (*static_cast<std::function<bool()>*>(asked))() ? 1 : 0;
      },
      is_over_.get());
}

// The connection goes first: it may ask until then.
Database::~Database() { connection_.reset(); }
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&& other) noexcept {
  connection_ = std::move(other.connection_);
  is_over_ = std::move(other.is_over_);
  return *this;
}

}  // namespace coppice::store
