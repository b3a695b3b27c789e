#include "store/verdict_cache.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <system_error>

namespace coppice::store {
namespace {

namespace fs = std::filesystem;

// Says whose file it is, and changes with what is kept in it.
constexpr int kFormat = 0x636f7031;
constexpr int kPatience_ms = 200;

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

VerdictCache::VerdictCache(const fs::path& file, std::int64_t most)
    : most_(most) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  for (int attempt = 0; attempt < 2 && open_ == nullptr; ++attempt) {
    try {
      open_ = std::make_unique<Open>(file);
    } catch (const SQLite::Exception& exception) {
      const int code = exception.getErrorCode();
      if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return;
      for (const char* end : {"", "-wal", "-shm"}) {
        fs::remove(file.string() + end, ignored);
      }
    }
  }
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
  } catch (const SQLite::Exception&) {
    return std::nullopt;
  }
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
  } catch (const SQLite::Exception&) {
    // It is judged again, then.
  }
}

}  // namespace coppice::store
