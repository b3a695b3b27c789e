// What judging came to, by a hash of all that it depends on, so that a kernel
// which comes again costs nothing.  A SQLite file of its own, apart from all
// histories, which several processes may use: whoever deletes it loses time.
//
// It never stands in the way: what cannot be read or written is not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "store/digest.h"

namespace coppice::store {

class VerdictCache {
 public:
  // Creates the file and its folder; one that is no such file is replaced.  The
  // oldest go when there are more than `most` verdicts.
  VerdictCache(const std::filesystem::path& file, std::int64_t most);
  ~VerdictCache();

  // By any thread.
  std::optional<std::string> Find(const Digest& key);
  void Keep(const Digest& key, const std::string& verdict);

 private:
  struct Open;
  std::mutex mutex_;
  std::unique_ptr<Open> open_;  // Null: it cannot be used.
  const std::int64_t most_;
};

}  // namespace coppice::store
