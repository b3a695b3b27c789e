#include <SQLiteCpp/Backup.h>
#include <sqlite3.h>

#include "store/care/maintenance.h"
#include "store/connection.h"
#include "store/partial_file.h"

namespace coppice::store {

Result<void> Backup(Database& database, const std::filesystem::path& to) {
  TRY(file, PartialFile::Begin(to));
  try {
    SQLite::Database copy(file.path().string(),
                          SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    // All pages in one step: one snapshot, which writers do not wait for.
    SQLite::Backup backup(copy, database.connection().sqlite());
    // Being locked out is no exception to SQLiteCpp, but the copy is not whole.
    const int code = backup.executeStep(-1);
    if (code != SQLITE_DONE) throw SQLite::Exception("backup", code);
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
    // Its first column is 1, and nothing is thrown, if it had to give up.
    if (sqlite.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() != 0) {
      throw SQLite::Exception("checkpoint", SQLITE_BUSY);
    }
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(connection.path(), exception));
  }
  return {};
}

}  // namespace coppice::store
