// For tests: a database in a directory of its own, and looks at it and changes
// of it by SQL.  Failures of the store end the test by an exception.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/database.h"
#include "store/read/query.h"
#include "store/records/result.h"

namespace coppice::store {

// The value, or an exception with the error's text.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::filesystem::path File(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// A new database.  It is not made to survive power loss: tests are many.
Database NewFile(const std::filesystem::path& path);

// A line each, values separated by '|', NULL as "-".
std::vector<std::string> AsLines(const std::vector<std::vector<Value>>& rows);

// All rows, likewise.
std::vector<std::string> Rows(Database& database, const std::string& sql);

// Runs SQL as what coppice itself does: the rows that it changes are sealed.
void Change(Database& database, const std::string& sql);

// Runs SQL on the file with no checks, as damage does.
void Damage(const std::filesystem::path& path, const std::string& sql);

}  // namespace coppice::store
