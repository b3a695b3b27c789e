// The open file: prepared statements, transactions, and the one place where
// SQLite's exceptions become our errors.  Private to this folder.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/blobs.h"
#include "store/database.h"
#include "store/named.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/seals.h"
#include "store/statement.h"

namespace coppice::store {

class NewestTried;
class Patience;

// "runs.db: disk full: ..."; every failure of SQLite goes through here.
Error Explain(const std::string& path, const SQLite::Exception& exception);

// Waits for locks and for room as long as its patience does, or some seconds.
class Waiting {
 public:
  Waiting(std::string path, Patience* patience)
      : path_(std::move(path)), patience_(patience) {}

  // Has SQLite ask whenever a lock is in its way.
  void Watch(SQLite::Database& database);

  // What `exception` means, which is `database`'s if that is open.  kFull:
  // there is no room.  kCancelled: a lock is not waited for any longer.
  Error ErrorOf(const SQLite::Exception& exception,
                sqlite3* database = nullptr) const;

  // Whether to try again what failed with `error`, for want of room or, where
  // SQLite does not ask, for a lock.  False: it is what the caller gets.
  bool WaitOut(Error& error);

  // What was waited for is no longer in the way.
  void Over();

  // What was tried ends by `error`.  So does the wait, unless it was given up:
  // then what is in the way still is.
  void EndBy(const Error& error) {
    if (error.code != Errc::kCancelled) Over();
  }

 private:
  static int OnBusy(void* waiting, int count);
  bool Wait(const Error& error);

  const std::string path_;
  Patience* const patience_;
  bool waits_ = false;
  bool gave_up_ = false;
};

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(
      const std::filesystem::path& path, Access access, Durability durability,
      Patience* patience = nullptr);

  Connection(SQLite::Database database, std::string path,
             std::shared_ptr<Waiting> waiting);
  ~Connection();

  // Prepared at its first use, then kept: its texts must be few.  With the
  // values bound, if there are any.
  template <class... Values>
  Statement Prepare(std::string_view sql, const Values&... values) {
    return Statement(Prepared(sql), values...);
  }
  // To its end, for what it does.
  template <class... Values>
  void Run(std::string_view sql, const Values&... values) {
    Prepare(sql, values...).Run();
  }
  // The first column of its first row; none: there is no row, or it is NULL.
  template <class Value, class... Values>
  std::optional<Value> Find(std::string_view sql, const Values&... values) {
    Statement read = Prepare(sql, values...);
    if (!read.Step()) return std::nullopt;
    return read.OptionalAs<Value>(0);
  }
  // That column as a whole number; 0: there is no row, or it is NULL.
  template <class... Values>
  std::int64_t Number(std::string_view sql, const Values&... values) {
    return Find<std::int64_t>(sql, values...).value_or(0);
  }
  // An INSERT into one of Seals::kToldOf, of values in the order of columns.
  template <class... Values>
  void Insert(std::string_view table, std::string_view sql,
              const Values&... values) {
    Run(sql, values...);
    seals_.Came(table, values...);
  }
  // All its rows, each as `row_of` makes it.
  template <class RowOf, class... Values>
  auto Rows(std::string_view sql, RowOf row_of, const Values&... values) {
    std::vector<std::invoke_result_t<RowOf, const Statement&>> rows;
    Statement read = Prepare(sql, values...);
    while (read.Step()) rows.push_back(row_of(read));
    return rows;
  }

  // Runs `body` (which returns a Result) in one immediate transaction: all of
  // it is durable when Write returns a value, none of it when an error.  Where
  // the disk was full, and is waited for, it is run again from its beginning.
  // What `body` throws undoes all of it, too, and is thrown on.  Within another
  // Write it is a part of that one's transaction, which an error of any part
  // undoes as a whole: the first is the error of the whole.
  template <class Body>
  std::invoke_result_t<Body> Write(Body&& body) {
    if (is_writing_) {
      try {
        auto result = body();
        if (!result) UndoneBy(result.error());
        return result;
      } catch (...) {
        UndoneBy({Errc::kIo, path_ + ": a part of a transaction threw"});
        throw;
      }
    }
    const Writing writing(*this);
    for (;;) {
      bool is_begun = false;
      undone_by_.reset();
      try {
        Prepare("BEGIN IMMEDIATE").Run();
        is_begun = true;
        auto result = body();
        if (result && undone_by_) {
          result = tl::unexpected<Error>(*std::move(undone_by_));
        }
        if (!result) {
          RollBack();
          waiting_->Over();
          return result;
        }
        Commit();
        waiting_->Over();
        return result;
      } catch (const SQLite::Exception& exception) {
        Error error = ErrorOf(exception);
        if (is_begun) RollBack();
        if (error.code == Errc::kFull && waiting_->WaitOut(error)) continue;
        waiting_->EndBy(error);
        return tl::unexpected<Error>(std::move(error));
      } catch (...) {
        if (is_begun) RollBack();
        waiting_->Over();
        throw;
      }
    }
  }

  // Runs `body` on one snapshot; within another Read, on that one's.  Within a
  // Write it is a part of that, as if it were another one: that something was
  // read is no sign that what the Write waits for is over.
  template <class Body>
  std::invoke_result_t<Body> Read(Body&& body) {
    if (is_writing_) return body();
    try {
      const Snapshot snapshot(*this);
      auto result = body();
      waiting_->Over();
      return result;
    } catch (const SQLite::Exception& exception) {
      Error error = ErrorOf(exception);
      waiting_->EndBy(error);
      return tl::unexpected<Error>(std::move(error));
    }
  }

  std::int64_t LastRowId() const;
  // Rows that the last INSERT or UPDATE touched.
  int Changes() const;

  SQLite::Database& sqlite() { return database_; }
  Blobs& blobs() { return blobs_; }
  Seals& seals() { return seals_; }
  NewestTried& newest_tried() { return *newest_tried_; }
  const std::string& path() const { return path_; }
  // An error about this file: the path, then `what`.
  tl::unexpected<Error> FailHere(Errc code, const std::string& what) const {
    return Fail(code, path_ + ": " + what);
  }
  // kNotFound: "attempt 7 is missing".
  tl::unexpected<Error> Missing(const std::string& name) const {
    return FailHere(Errc::kNotFound, name + " is missing");
  }
  tl::unexpected<Error> NoSuchCampaign(CampaignId id) const {
    return Missing(Named(id));
  }

 private:
  class Snapshot {
   public:
    explicit Snapshot(Connection& connection);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

   private:
    Connection& connection_;
    bool is_outermost_;
  };
  // As long as a transaction of Write is open.
  class Writing {
   public:
    explicit Writing(Connection& connection) : connection_(connection) {
      connection_.is_writing_ = true;
    }
    ~Writing() { connection_.is_writing_ = false; }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    Connection& connection_;
  };
  static Result<std::unique_ptr<Connection>> TryOpen(
      const std::string& name, Access access, Durability durability,
      const std::shared_ptr<Waiting>& waiting);
  SQLite::Statement& Prepared(std::string_view sql);
  Error ErrorOf(const SQLite::Exception& exception) const;
  void Commit();  // REQUIRES: a transaction of Write is open.
  void RollBack() noexcept;
  void UndoneBy(const Error& error) {
    if (!undone_by_) undone_by_ = error;
  }

  const std::shared_ptr<Waiting>
      waiting_;  // Outlives the database, which asks it.
  SQLite::Database database_;
  std::string path_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>, std::less<>>
      statements_;
  Blobs blobs_;
  Seals seals_;
  const std::unique_ptr<NewestTried> newest_tried_;
  bool is_writing_ = false;
  std::optional<Error> undone_by_;  // The first of a part.
};

}  // namespace coppice::store
