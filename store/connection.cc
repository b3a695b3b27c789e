#include "store/connection.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "store/blob_text.h"
#include "store/fault.h"
#include "store/migration.h"
#include "store/newest_tried.h"
#include "store/patience.h"
#include "store/records/io_error.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

// How long who has no patience waits for another's transaction.
constexpr int kBusyTimeoutMs = 5'000;
constexpr int kPauseMs = 10;            // Where SQLite does not wait by itself.
constexpr off_t kLeastRoom = 64 << 10;  // A file system with less is full.

int OpenFlags(Access access) {
  switch (access) {
    case Access::kReadOnly:
    case Access::kGlance:
    case Access::kWatch:
      return SQLite::OPEN_READONLY;
    case Access::kReadWrite:
      return SQLite::OPEN_READWRITE;
    case Access::kCreate:
      return SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  }
  return SQLite::OPEN_READONLY;
}

// A file in a directory that we may not write cannot have its shared memory
// file; if nobody left a log beside it, it may be read as it lies.
std::string ImmutableUri(const std::string& path) {
  // Without an authority of its own, "//x.db" would have one.
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      uri += '%';
      uri += kDigits[static_cast<unsigned char>(c) >> 4];
      uri += kDigits[c & 15];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

bool HasLog(const std::string& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path + "-wal", ignored);
  return !ignored && size > 0;
}

// Reads the file as it lies, without its log and without a trace.
SQLite::Database OpenAsItLies(const std::string& path) {
  return SQLite::Database(ImmutableUri(path),
                          SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                          kBusyTimeoutMs);
}

SQLite::Database OpenSqlite(const std::string& path, Access access,
                            Waiting& waiting) {
  if (access == Access::kGlance) {
    return HasLog(path) ? SQLite::Database(path, OpenFlags(access))
                        : OpenAsItLies(path);
  }
  SQLite::Database database(path, OpenFlags(access));
  waiting.Watch(database);
  if (access != Access::kReadOnly) return database;
  try {
    database.execAndGet("PRAGMA schema_version");
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode();
    const bool is_denied = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if (!is_denied || HasLog(path)) throw;
    return OpenAsItLies(path);
  }
  return database;
}

std::int64_t Pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt64();
}

bool Writes(Access access) {
  return access == Access::kReadWrite || access == Access::kCreate;
}

bool IsEmpty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() ==
             0 &&
         Pragma(database, "application_id") == 0;
}

// Two processes that create one file at once get in each other's way here, and
// SQLite does not wait by itself: neither would give way.
Result<std::string> SwitchToLog(SQLite::Database& sqlite, Waiting& waiting) {
  for (int waited_ms = 0;; waited_ms += kPauseMs) {
    try {
      return sqlite.execAndGet("PRAGMA journal_mode = WAL").getString();
    } catch (const SQLite::Exception& exception) {
      Error error = waiting.ErrorOf(exception, sqlite.getHandle());
      if (error.code != Errc::kBusy ||
          (waited_ms >= kBusyTimeoutMs && !waiting.WaitOut(error))) {
        return tl::unexpected<Error>(std::move(error));
      }
    }
    sqlite3_sleep(kPauseMs);
  }
}

Result<void> CreateSchema(Connection& connection, Waiting& waiting) {
  SQLite::Database& sqlite = connection.sqlite();
  TRY(mode, SwitchToLog(sqlite, waiting));
  if (mode != "wal") {
    return connection.FailHere(
        Errc::kUnavailable,
        "this file system has no shared memory for SQLite's log: use a local "
        "disk");
  }
  return connection.Write([&]() -> Result<void> {
    if (!IsEmpty(sqlite)) return {};  // Somebody was faster.
    sqlite.exec(kSchemaSql);
    connection.seals().MakeAnew();
    return {};
  });
}

Result<void> RefuseStrange(SQLite::Database& sqlite, const std::string& path) {
  if (IsEmpty(sqlite)) return {};
  const std::int64_t program = Pragma(sqlite, "application_id");
  if (program == kEarlierApplicationId) {
    return Fail(Errc::kUsage, path +
                                  ": written before coppice's first format, by "
                                  "a program that was never released: begin a "
                                  "new file");
  }
  if (program != kApplicationId) {
    return Fail(Errc::kUsage,
                path + ": a database of another program: give another path");
  }
  const std::int64_t version = Pragma(sqlite, "user_version");
  if (version > kFormatVersion) {
    return Fail(Errc::kUsage, path + ": format " + std::to_string(version) +
                                  " is newer than this program's " +
                                  std::to_string(kFormatVersion) +
                                  ": use a newer coppice");
  }
  if (version < kFirstFormatVersion) {
    return Fail(Errc::kCorrupt, path + ": damaged: format " +
                                    std::to_string(version) +
                                    " is none that there was: restore a "
                                    "backup");
  }
  return {};
}

// A reader leaves a log beside the file.  Not beside one that we cannot use: a
// first look, at what is not in its own log, is enough to tell.
Result<void> RefuseStrangeUntouched(const std::string& path) {
  try {
    SQLite::Database sqlite = OpenAsItLies(path);
    return RefuseStrange(sqlite, path);
  } catch (const SQLite::Exception&) {
    return {};  // Missing, damaged or being written: opening it will tell.
  }
}

Result<void> CheckFormat(Connection& connection) {
  if (IsEmpty(connection.sqlite())) {
    return connection.FailHere(Errc::kNotFound,
                               "empty, no campaign was run in it: give another "
                               "path");
  }
  return RefuseStrange(connection.sqlite(), connection.path());
}

Result<void> BringForward(Connection& connection, Access access) {
  const std::int64_t version = Pragma(connection.sqlite(), "user_version");
  if (version == kFormatVersion) return {};
  if (Writes(access)) return Migrate(connection, Migrations());
  return ReadForward(connection, Migrations());
}

// A file may be a stranger's.  Our format has no triggers, so that one could
// only change what we write: only those of the connection's own run.  And
// nobody writes to its schema but by statements for that.
void Distrust(SQLite::Database& sqlite) {
  sqlite3_db_config(sqlite.getHandle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0,
                    nullptr);
  sqlite3_db_config(sqlite.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

void Configure(SQLite::Database& sqlite, Access access, Durability durability) {
  if (access == Access::kWatch) {
    sqlite.exec("PRAGMA query_only = ON");
    sqlite.exec("PRAGMA cache_size = -8192");  // KiB; there are several.
    sqlite3_db_config(sqlite.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                      nullptr);
    return;
  }
  sqlite.exec("PRAGMA foreign_keys = ON");
  sqlite.exec("PRAGMA cache_size = -65536");  // KiB.
  sqlite.exec("PRAGMA temp_store = MEMORY");
  sqlite.exec(durability == Durability::kFull ? "PRAGMA synchronous = FULL"
                                              : "PRAGMA synchronous = NORMAL");
}

// SQLite does not say so.
bool HasNoDescriptorLeft() {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == EMFILE || errno == ENFILE;
  close(file);
  return false;
}

// SQLite does not always tell this either.
bool HasNoRoom(const std::string& path) {
  std::error_code unknown;
  const auto folder = std::filesystem::absolute(path, unknown).parent_path();
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return IoErrc(errno) == Errc::kFull;
  const int why = posix_fallocate(file, 0, kLeastRoom);
  close(file);
  return IoErrc(why) == Errc::kFull;
}

}  // namespace

Error Explain(const std::string& path, const SQLite::Exception& exception) {
  const std::string text = exception.what();
  const auto error = [&path](Errc code, const std::string& what) {
    return Error{code, path + ": " + what};
  };
  switch (exception.getErrorCode()) {
    case SQLITE_FULL:
      return error(Errc::kFull, "disk full: free some space and try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return error(Errc::kIo,
                   "may not be written: change its permissions or those of "
                   "its directory (" +
                       text + ")");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error(Errc::kBusy,
                   "locked by another process: try again when that is done");
    case SQLITE_CORRUPT:
      return error(Errc::kCorrupt,
                   "damaged: restore a backup, or save what is left with "
                   "`sqlite3 FILE .recover` (" +
                       text + ")");
    case SQLITE_NOTADB:
      return error(Errc::kUsage, "not a SQLite file: give another path");
    case SQLITE_CANTOPEN:
      if (HasNoDescriptorLeft()) {
        return error(Errc::kIo, "cannot be opened: Too many open files");
      }
      return error(Errc::kIo,
                   "cannot be opened: check that its directory "
                   "exists and may be written");
    case SQLITE_NOMEM:
      return error(Errc::kIo, std::strerror(ENOMEM));
    case SQLITE_IOERR:
      return error(Errc::kIo, "the disk failed: " + text);
    case SQLITE_INTERRUPT:
      return error(Errc::kTimeout, "the question took longer than it may");
    case SQLITE_CONSTRAINT:
      return error(Errc::kUsage, text);
    default:
      return error(Errc::kIo, text);
  }
}

void Waiting::Watch(SQLite::Database& database) {
  if (patience_ == nullptr) {
    database.setBusyTimeout(kBusyTimeoutMs);
  } else {
    sqlite3_busy_handler(database.getHandle(), &OnBusy, this);
  }
}

int Waiting::OnBusy(void* waiting, int /*count*/) {
  auto& self = *static_cast<Waiting*>(waiting);
  return self.Wait({Errc::kBusy, self.path_ + ": locked by another process"});
}

bool Waiting::Wait(const Error& error) {
  if (patience_ == nullptr) return false;
  waits_ = true;
  gave_up_ = !patience_->Wait(error);
  return !gave_up_;
}

bool Waiting::WaitOut(Error& error) {
  if (Wait(error)) return true;
  if (gave_up_) error.code = Errc::kCancelled;
  return false;
}

void Waiting::Over() {
  if (!std::exchange(waits_, false)) return;
  gave_up_ = false;
  patience_->GoOn();
}

Error Waiting::ErrorOf(const SQLite::Exception& exception,
                       sqlite3* database) const {
  Error error = Explain(path_, exception);
  if (error.code == Errc::kBusy && gave_up_) error.code = Errc::kCancelled;
  const int code = exception.getErrorCode();
  if (code != SQLITE_IOERR && code != SQLITE_CANTOPEN) return error;
  const int why = database == nullptr ? 0 : sqlite3_system_errno(database);
  if (IoErrc(why) == Errc::kFull || HasNoRoom(path_)) {
    return Explain(path_, SQLite::Exception(exception.what(), SQLITE_FULL));
  }
  return error;
}

Result<std::unique_ptr<Connection>> Connection::Open(
    const std::filesystem::path& path, Access access, Durability durability,
    Patience* patience) {
  const std::string name = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(Errc::kUsage, name + ": a directory: give a file");
  }
  const bool exists = std::filesystem::exists(path, ignored);
  if (access != Access::kCreate && !exists) {
    return Fail(Errc::kNotFound, name + ": no such file");
  }
  // Opening a FIFO would wait for somebody who writes.
  if (exists && !std::filesystem::is_regular_file(path, ignored)) {
    return Fail(Errc::kUsage, name + ": not a plain file: give another path");
  }
  TRY_DONE(RefuseStrangeUntouched(name));
  const auto waiting = std::make_shared<Waiting>(name, patience);
  for (;;) {
    auto opened = TryOpen(name, access, durability, waiting);
    if (opened) {
      waiting->Over();
      return opened;
    }
    Error& error = opened.error();
    if (error.code == Errc::kFull && waiting->WaitOut(error)) continue;
    waiting->EndBy(error);
    return opened;
  }
}

Result<std::unique_ptr<Connection>> Connection::TryOpen(
    const std::string& name, Access access, Durability durability,
    const std::shared_ptr<Waiting>& waiting) {
  try {
    auto connection = std::make_unique<Connection>(
        OpenSqlite(name, access, *waiting), name, waiting);
    Distrust(connection->sqlite());
    if (access == Access::kCreate && IsEmpty(connection->sqlite())) {
      TRY_DONE(CreateSchema(*connection, *waiting));
    }
    TRY_DONE(CheckFormat(*connection));
    Configure(connection->sqlite(), access, durability);
    TRY_DONE(BringForward(*connection, access));
    RegisterBlobText(*connection);
    if (Writes(access)) {
      connection->sqlite().exec(kKeptSql);
      connection->seals().Keep();
    }
    return connection;
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(waiting->ErrorOf(exception));
  }
}

Connection::Connection(SQLite::Database database, std::string path,
                       std::shared_ptr<Waiting> waiting)
    : waiting_(std::move(waiting)),
      database_(std::move(database)),
      path_(std::move(path)),
      blobs_(*this),
      seals_(*this),
      newest_tried_(std::make_unique<NewestTried>(*this)) {}

Connection::~Connection() = default;

Error Connection::ErrorOf(const SQLite::Exception& exception) const {
  return waiting_->ErrorOf(exception, database_.getHandle());
}

SQLite::Statement& Connection::Prepared(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    std::string text(sql);
    auto prepared = std::make_unique<SQLite::Statement>(database_, text);
    found = statements_.emplace(std::move(text), std::move(prepared)).first;
  }
  return *found->second;
}

std::int64_t Connection::LastRowId() const {
  return database_.getLastInsertRowid();
}

int Connection::Changes() const { return database_.getChanges(); }

Connection::Snapshot::Snapshot(Connection& connection)
    : connection_(connection),
      is_outermost_(sqlite3_get_autocommit(connection.database_.getHandle()) !=
                    0) {
  if (is_outermost_) connection_.Run("BEGIN");
}

// A reader has nothing to commit, and giving up cannot fail.
Connection::Snapshot::~Snapshot() {
  if (is_outermost_) connection_.database_.tryExec("ROLLBACK");
}

void Connection::Commit() {
  seals_.Write();
  ReachCommitPoint(CommitPoint::kBefore);
  Prepare("COMMIT").Run();
  ReachCommitPoint(CommitPoint::kAfter);
}

void Connection::RollBack() noexcept {
  blobs_.Forget();
  seals_.Forget();
  newest_tried_->Forget();
  // SQLite has rolled back by itself if the disk was full.
  if (sqlite3_get_autocommit(database_.getHandle()) == 0) {
    database_.tryExec("ROLLBACK");
  }
}

}  // namespace coppice::store
