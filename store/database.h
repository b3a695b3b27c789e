// One SQLite file that holds campaigns: the tree memory.  Opening it applies
// pragmas and forward migrations; a file of a newer format is refused.
//
// Not thread-safe: one Database per thread.  Several processes may open the
// same file; a reader never blocks a writer (WAL).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "store/records/result.h"

namespace coppice::store {

class Patience;

enum class Access {
  kReadOnly,   // The file must exist and be ours.
  kGlance,     // Likewise; leaves no log beside it and waits for nobody.
  kWatch,      // Likewise, and sees what others write later: never as it lies.
  kReadWrite,  // Likewise.
  kCreate,     // Created if absent.
};

// What a commit survives.  kFull: power loss.  kNormal: a crash of ours only.
enum class Durability { kFull, kNormal };

class Connection;  // store/connection.h, private to this folder.

class Database {
 public:
  // Without `patience`, which outlives the database, a lock is waited for some
  // seconds, and then is an error, kBusy; a full disk is one at once, kFull.
  static Result<Database> Open(const std::filesystem::path& path, Access access,
                               Durability durability = Durability::kFull,
                               Patience* patience = nullptr);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  Connection& connection() { return *connection_; }

  // From now on statements end with kTimeout once `is_over` says so, which is
  // asked every few thousand steps of theirs.  Empty: they end by themselves.
  void GiveUpWhen(std::function<bool()> is_over);

 private:
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<std::function<bool()>> is_over_;  // At a fixed place.
};

}  // namespace coppice::store
