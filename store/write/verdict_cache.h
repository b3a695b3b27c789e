// What judging came to, by a hash of all that it depends on, so that a kernel
// which comes again costs nothing.  A SQLite file of its own, apart from all
// histories, which several processes may use: whoever deletes it loses time.
//
// It never stands in the way: what cannot be read or written is not there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/digest.h"

namespace coppice::store {

class VerdictCache {
 public:
  // How its file is called.  The number is that of the format, so that programs
  // of other versions, which keep something else, have files of their own.
  static constexpr std::string_view kFileName = "verdicts-1.db";

  // Creates the file and its folder.  One that is damaged, or no database, is
  // put aside as FILE.broken, now or when that shows.  The oldest go when there
  // are more than `most` verdicts.
  VerdictCache(std::filesystem::path file, std::int64_t most);
  ~VerdictCache();

  // By any thread.
  std::optional<std::string> Find(const Digest& key);
  void Keep(const Digest& key, const std::string& verdict);

 private:
  struct Open;
  // REQUIRES, of those that follow: mutex_ is held, or nobody else is there.
  void Begin();
  void PutAside();

  const std::filesystem::path file_;
  const std::int64_t most_;
  std::mutex mutex_;
  ino_t inode_ = 0;             // Of the file that was opened last; 0: of none.
  std::unique_ptr<Open> open_;  // Null: it cannot be used.
};

}  // namespace coppice::store
