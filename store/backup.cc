#include <SQLiteCpp/Backup.h>

#include "store/connection.h"
#include "store/maintenance.h"
#include "store/partial_file.h"

namespace coppice::store {

Result<void> Backup(Database& database, const std::filesystem::path& to) {
  TRY(file, PartialFile::Begin(to));
  try {
    SQLite::Database copy(file.path().string(),
                          SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    // All pages in one step: one snapshot, which writers do not wait for.
    SQLite::Backup backup(copy, database.connection().sqlite());
    backup.executeStep(-1);
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(to.string(), exception));
  }
  return file.Finish();
}

Result<void> Compact(Database& database) {
  Connection& connection = database.connection();
  try {
    SQLite::Database& sqlite = connection.sqlite();
    sqlite.exec("VACUUM");
    sqlite.exec("PRAGMA optimize");
    sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(connection.path(), exception));
  }
  return {};
}

}  // namespace coppice::store
