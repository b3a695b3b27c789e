#include "store/write/verdict_cache.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace coppice::store {
namespace {

namespace fs = std::filesystem;

// Says whose file it is.
constexpr int kFormat = 0x636f7031;
constexpr int kPatience_ms = 200;

// 0: there is none.
ino_t InodeOf(const fs::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

// A full disk, a lock and a lack of descriptors are none: these end.
bool IsDamage(const SQLite::Exception& exception) {
  const int code = exception.getErrorCode() & 0xff;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

void Bind(SQLite::Statement& statement, const Digest& key) {
  statement.bind(1, static_cast<const void*>(key.data()),
                 static_cast<int>(key.size()));
}

}  // namespace

struct VerdictCache::Open {
  explicit Open(const fs::path& file)
      : database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                 kPatience_ms) {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    const int format = database.execAndGet("PRAGMA user_version").getInt();
    if (format != 0 && format != kFormat) {
      throw SQLite::Exception("another format");
    }
    database.exec(
        "CREATE TABLE IF NOT EXISTS verdict ("
        " verdict_id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
        " text TEXT NOT NULL);"
        " PRAGMA user_version = " +
        std::to_string(kFormat));
    find.emplace(database, "SELECT text FROM verdict WHERE key = ?");
    keep.emplace(database,
                 "INSERT INTO verdict (key, text) VALUES (?, ?)"
                 " ON CONFLICT (key) DO UPDATE SET text = excluded.text");
    trim.emplace(database,
                 "DELETE FROM verdict WHERE verdict_id <="
                 " (SELECT max(verdict_id) FROM verdict) - ?");
  }

  SQLite::Database database;
  std::optional<SQLite::Statement> find;
  std::optional<SQLite::Statement> keep;
  std::optional<SQLite::Statement> trim;
};

VerdictCache::VerdictCache(fs::path file, std::int64_t most)
    : file_(std::move(file)), most_(most) {
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  Begin();
}

void VerdictCache::Begin() {
  for (int attempt = 0; attempt < 2 && open_ == nullptr; ++attempt) {
    inode_ = InodeOf(file_);
    try {
      open_ = std::make_unique<Open>(file_);
      if (inode_ == 0) inode_ = InodeOf(file_);
    } catch (const SQLite::Exception& exception) {
      if (!IsDamage(exception)) return;
      PutAside();
    }
  }
}

// Unless another process has put it aside already.  It is renamed: processes
// that have it open keep what they know of it, and SQLite sees by its name that
// its log is no longer theirs to delete.  The log goes after it, for that of a
// file which is new and empty is not read.
void VerdictCache::PutAside() {
  open_.reset();
  const int turn = open((file_.string() + ".lock").c_str(),
                        O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (turn < 0) return;
  if (flock(turn, LOCK_EX) == 0 && InodeOf(file_) == inode_) {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::rename(file_.string() + end, file_.string() + ".broken" + end,
                 ignored);
    }
  }
  close(turn);
}

VerdictCache::~VerdictCache() = default;

std::optional<std::string> VerdictCache::Find(const Digest& key) {
  const std::lock_guard lock(mutex_);
  if (open_ == nullptr) return std::nullopt;
  try {
    SQLite::Statement& find = *open_->find;
    find.tryReset();
    Bind(find, key);
    std::optional<std::string> text;
    if (find.executeStep()) text = find.getColumn(0).getString();
    find.tryReset();
    return text;
  } catch (const SQLite::Exception& exception) {
    if (!IsDamage(exception)) return std::nullopt;
  }
  PutAside();
  Begin();
  return std::nullopt;
}

void VerdictCache::Keep(const Digest& key, const std::string& verdict) {
  const std::lock_guard lock(mutex_);
  if (open_ == nullptr) return;
  try {
    SQLite::Statement& keep = *open_->keep;
    keep.tryReset();
    Bind(keep, key);
    keep.bind(2, verdict);
    keep.exec();
    open_->trim->tryReset();
    open_->trim->bind(1, most_);
    open_->trim->exec();
    return;
  } catch (const SQLite::Exception& exception) {
    if (!IsDamage(exception)) return;  // It is judged again, then.
  }
  PutAside();
  Begin();
}

}  // namespace coppice::store
