// The databases that a server shows, and the connections to them on loan.
//
// A connection only reads, waits for nobody, and sees what others write later.
// Whoever borrows one copies what was asked for and gives it back before a byte
// is sent: a transaction that is held open keeps the writer's log from being
// cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/result.h"

namespace coppice::inspector {

class Files {
 public:
  // Given back when it goes.
  class Loan {
   public:
    Loan(Loan&& other) noexcept;
    Loan& operator=(Loan&&) = delete;
    ~Loan();
    store::Database& operator*() { return *database_; }
    // Whether it is still the file by that name.
    bool IsOfTheFile() const;
    // Whether it sees what others write from now on.
    bool SeesLater() const { return is_kept_; }

   private:
    friend class Files;
    Loan(Files& files, std::size_t file, std::uint64_t identity,
         store::Database database, bool is_kept);
    Files* files_;
    std::size_t file_;
    std::uint64_t identity_;
    std::optional<store::Database> database_;
    bool is_kept_;  // And lent again.
  };

  explicit Files(std::vector<std::filesystem::path> paths);

  // kNotFound: there is no file of that number, or it is gone.  Questions end
  // once `is_over` says so.
  Result<Loan> Borrow(std::size_t file, std::function<bool()> is_over);

  // Whether what others write to it is seen only by a new connection: its
  // directory may not be written, so that SQLite shares no memory there.
  Result<bool> IsReadAsItLies(std::size_t file);

  const std::vector<std::filesystem::path>& paths() const { return paths_; }

 private:
  struct Idle {
    std::uint64_t identity = 0;  // Of the file, which may be replaced.
    std::vector<store::Database> databases;
  };
  void GiveBack(std::size_t file, std::uint64_t identity,
                store::Database database);

  const std::vector<std::filesystem::path> paths_;
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

}  // namespace coppice::inspector
