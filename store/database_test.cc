#include "store/database.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/patience.h"
#include "store/records/attempt.h"
#include "store/records/outcome.h"
#include "store/records/verdict.h"
#include "store/records/window.h"
#include "store/schema.h"
#include "store/scratch.h"
#include "store/write/shared_transaction.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DatabaseTest : public ::testing::Test {
 protected:
  Error OpenError(Access access) {
    auto database = Database::Open(path_, access);
    EXPECT_FALSE(database.has_value());
    return database ? Error{} : database.error();
  }
  void WriteFile(const std::string& text) { std::ofstream(path_) << text; }
  // A new file that has no room for more, `sqlite` of which can give it some.
  Database OpenFull(SQLite::Database*& sqlite, Patience* patience = nullptr) {
    Database database = Must(
        Database::Open(path_, Access::kCreate, Durability::kFull, patience));
    sqlite = &database.connection().sqlite();
    const std::string pages =
        sqlite->execAndGet("PRAGMA page_count").getString();
    sqlite->exec("PRAGMA max_page_count = " + pages);
    return database;
  }
  static CampaignSpec LargeSpec() {
    CampaignSpec spec = SpecNamed("a");
    for (int i = 0; i < 9999; ++i) spec.task_json += std::to_string(i * i);
    return spec;
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("runs.db");
};

TEST_F(DatabaseTest, CreatesAFileOfTheNewestFormat) {
  Database database = Must(Database::Open(path_, Access::kCreate));
  EXPECT_THAT(Rows(database, "PRAGMA application_id"),
              ElementsAre(std::to_string(kApplicationId)));
  EXPECT_THAT(Rows(database, "PRAGMA user_version"),
              ElementsAre(std::to_string(kFormatVersion)));
}

TEST_F(DatabaseTest, KeepsALogAndReferences) {
  Database database = Must(Database::Open(path_, Access::kCreate));
  SQLite::Database& sqlite = database.connection().sqlite();
  EXPECT_EQ(sqlite.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(sqlite.execAndGet("PRAGMA foreign_keys").getInt(), 1);
  EXPECT_EQ(sqlite.execAndGet("PRAGMA synchronous").getInt(), 2);  // FULL.
}

TEST_F(DatabaseTest, NormalDurabilityIsAChoice) {
  Database database =
      Must(Database::Open(path_, Access::kCreate, Durability::kNormal));
  SQLite::Database& sqlite = database.connection().sqlite();
  EXPECT_EQ(sqlite.execAndGet("PRAGMA synchronous").getInt(), 1);
}

// Names in the file are those of the enums, so that views read right.
TEST_F(DatabaseTest, StoredNumbersHaveTheNamesOfTheRecords) {
  Database database = Must(Database::Open(path_, Access::kCreate));
  const auto names = [&database](const std::string& table) {
    return Rows(database, "SELECT name FROM " + table + " ORDER BY 1");
  };
  const auto in_order = [&database](const std::string& table) {
    return Rows(database, "SELECT name FROM " + table + " ORDER BY rowid");
  };
  EXPECT_EQ(in_order("verdict"), std::vector<std::string>(kVerdictNames.begin(),
                                                          kVerdictNames.end()));
  EXPECT_EQ(in_order("breach"),
            std::vector<std::string>(kBreachNames.begin(), kBreachNames.end()));
  EXPECT_THAT(in_order("stage"),
              ElementsAre(Name(Stage::kReserved), Name(Stage::kPlanned),
                          Name(Stage::kCoded), Name(Stage::kCommitted)));
  EXPECT_THAT(
      in_order("role"),
      ElementsAre(Name(Role::kPlan), Name(Role::kCode), Name(Role::kDebug)));
  EXPECT_THAT(in_order("kinship"),
              ElementsAre(Name(Kinship::kSelected), Name(Kinship::kRoot),
                          Name(Kinship::kChild), Name(Kinship::kLeader),
                          Name(Kinship::kNephew), Name(Kinship::kSibling),
                          Name(Kinship::kMate)));
  EXPECT_EQ(names("tier").size(), 2u);
}

TEST_F(DatabaseTest, OpensAgainWhatItCreated) {
  {
    Database created = Must(Database::Open(path_, Access::kCreate));
    Plant(created, "a");
  }
  Database database = Must(Database::Open(path_, Access::kReadWrite));
  EXPECT_EQ(Must(Campaigns(database).List()).size(), 1u);
}

TEST_F(DatabaseTest, AnEmptyFileBecomesADatabase) {
  WriteFile("");
  EXPECT_TRUE(Database::Open(path_, Access::kCreate).has_value());
}

TEST_F(DatabaseTest, AMissingFileIsNotFoundUnlessItMayBeCreated) {
  EXPECT_EQ(OpenError(Access::kReadWrite).code, Errc::kNotFound);
  const Error error = OpenError(Access::kReadOnly);
  EXPECT_EQ(error.code, Errc::kNotFound);
  EXPECT_EQ(error.what, path_.string() + ": no such file");
}

TEST_F(DatabaseTest, RefusesWhatIsNoSqliteFile) {
  WriteFile(std::string(4096, 'x'));
  const Error error = OpenError(Access::kCreate);
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_EQ(error.what,
            path_.string() + ": not a SQLite file: give another path");
}

TEST_F(DatabaseTest, RefusesTheDatabaseOfAnotherProgramUntouched) {
  {
    SQLite::Database other(path_.string(),
                           SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE bookmark (url)");
  }
  const Error error = OpenError(Access::kCreate);
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what, HasSubstr("a database of another program"));
  SQLite::Database other(path_.string());
  EXPECT_EQ(other.execAndGet("PRAGMA journal_mode").getString(), "delete");
}

TEST_F(DatabaseTest, AnEmptyFileHoldsNoCampaigns) {
  WriteFile("");
  for (const Access access : {Access::kReadOnly, Access::kReadWrite}) {
    const Error error = OpenError(access);
    EXPECT_EQ(error.code, Errc::kNotFound);
    EXPECT_THAT(error.what, HasSubstr("empty, no campaign was run in it"));
  }
}

TEST_F(DatabaseTest, RefusesANewerFormat) {
  Must(Database::Open(path_, Access::kCreate));
  Damage(path_, "PRAGMA user_version = 7");
  for (const Access access :
       {Access::kReadOnly, Access::kReadWrite, Access::kCreate}) {
    const Error error = OpenError(access);
    EXPECT_EQ(error.code, Errc::kUsage);
    EXPECT_EQ(error.what, path_.string() +
                              ": format 7 is newer than this program's 1: use "
                              "a newer coppice");
    EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(path_.string() + "-shm"));
  }
}

// Nothing would bring it forward.
TEST_F(DatabaseTest, AFormatThatNeverWasIsDamage) {
  Must(Database::Open(path_, Access::kCreate));
  for (const std::string version : {"0", "-1"}) {
    Damage(path_, "PRAGMA user_version = " + version);
    for (const Access access : {Access::kReadOnly, Access::kGlance,
                                Access::kReadWrite, Access::kCreate}) {
      const Error error = OpenError(access);
      EXPECT_EQ(error.code, Errc::kCorrupt);
      EXPECT_EQ(error.what, path_.string() + ": damaged: format " + version +
                                " is none that there was: restore a backup");
    }
  }
}

TEST_F(DatabaseTest, RefusesWhatWasWrittenBeforeTheFirstFormat) {
  Must(Database::Open(path_, Access::kCreate));
  Damage(path_, "PRAGMA application_id = 0x436f7070");
  for (const Access access :
       {Access::kReadOnly, Access::kReadWrite, Access::kCreate}) {
    const Error error = OpenError(access);
    EXPECT_EQ(error.code, Errc::kUsage);
    EXPECT_EQ(error.what, path_.string() +
                              ": written before coppice's first format, by a "
                              "program that was never released: begin a new "
                              "file");
  }
}

// While a process of the newer program has it open, all of it in the log.
TEST_F(DatabaseTest, RefusesANewerFormatThatIsStillInTheLog) {
  Database open = Must(Database::Open(path_, Access::kCreate));
  Damage(path_, "PRAGMA user_version = 7");
  EXPECT_THAT(OpenError(Access::kReadOnly).what, HasSubstr("format 7"));
}

TEST_F(DatabaseTest, RefusesADirectoryAndAMissingDirectory) {
  const auto directory =
      Database::Open(path_.parent_path(), Access::kReadWrite);
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ(directory.error().code, Errc::kUsage);
  const auto missing =
      Database::Open(path_.parent_path() / "no" / "x.db", Access::kCreate);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Errc::kIo);
  EXPECT_THAT(missing.error().what, HasSubstr("cannot be opened"));
}

TEST_F(DatabaseTest, ATruncatedFileIsNamedDamaged) {
  Must(Database::Open(path_, Access::kCreate));
  std::filesystem::resize_file(path_, 4096 + 100);
  auto database = Database::Open(path_, Access::kReadOnly);
  ASSERT_FALSE(database.has_value());
  EXPECT_EQ(database.error().code, Errc::kCorrupt);
  EXPECT_THAT(database.error().what,
              StartsWith(path_.string() + ": damaged: restore a backup"));
}

TEST_F(DatabaseTest, AReaderMayNotWrite) {
  Must(Database::Open(path_, Access::kCreate));
  Database database = Must(Database::Open(path_, Access::kReadOnly));
  const auto created = Campaigns(database).Create(SpecNamed("a"));
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, Errc::kIo);
  EXPECT_THAT(created.error().what, HasSubstr("may not be written"));
}

TEST_F(DatabaseTest, AFullDiskIsNamedAndNothingIsHalfWritten) {
  SQLite::Database* sqlite = nullptr;
  Database database = OpenFull(sqlite);
  const auto created = Campaigns(database).Create(LargeSpec());
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, Errc::kFull);
  EXPECT_EQ(created.error().what,
            path_.string() + ": disk full: free some space and try again");
  sqlite->exec("PRAGMA max_page_count = 1000000");
  EXPECT_TRUE(Must(Campaigns(database).List()).empty());
  Must(Campaigns(database).Create(LargeSpec()));
}

TEST_F(DatabaseTest, AStrangersTriggerDoesNothing) {
  { NewFile(path_); }
  Damage(path_,
         "CREATE TRIGGER t AFTER INSERT ON campaign BEGIN"
         " UPDATE campaign SET name = 'forged'; END");
  Database database = Must(Database::Open(path_, Access::kReadWrite));
  Plant(database, "a");
  EXPECT_EQ(Must(Campaigns(database).List()).front().spec.name, "a");
}

TEST_F(DatabaseTest, AWriterThatIsInTheWayIsNamed) {
  Database first = Must(Database::Open(path_, Access::kCreate));
  Database second = Must(Database::Open(path_, Access::kReadWrite));
  second.connection().sqlite().setBusyTimeout(10);
  first.connection().sqlite().exec("BEGIN IMMEDIATE");
  const auto created = Campaigns(second).Create(SpecNamed("a"));
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, Errc::kBusy);
  EXPECT_THAT(created.error().what, EndsWith("try again when that is done"));
  // Readers are not in the way of a writer, nor it in theirs.
  EXPECT_TRUE(Campaigns(second).List().has_value());
  first.connection().sqlite().exec("ROLLBACK");
  Must(Campaigns(second).Create(SpecNamed("a")));
}

// Mends what is in the way when it has been asked `times` times.
class Mender final : public Patience {
 public:
  Mender(int times, std::function<void()> mend)
      : times_(times), mend_(std::move(mend)) {}

  bool Wait(const Error& error) override {
    waited_for.push_back(error.what);
    if (std::ssize(waited_for) == times_) mend_();
    return std::ssize(waited_for) <= times_;
  }
  void GoOn() override { ++went_on; }

  std::vector<std::string> waited_for;
  int went_on = 0;

 private:
  const int times_;
  const std::function<void()> mend_;
};

TEST_F(DatabaseTest, ALockIsWaitedForAsLongAsPatienceLasts) {
  Database first = Must(Database::Open(path_, Access::kCreate));
  SQLite::Database& holder = first.connection().sqlite();
  Mender mender(3, [&] { holder.exec("ROLLBACK"); });
  holder.exec("BEGIN EXCLUSIVE");
  Database second = Must(
      Database::Open(path_, Access::kReadWrite, Durability::kFull, &mender));
  Must(Campaigns(second).Create(SpecNamed("a")));
  EXPECT_EQ(mender.waited_for,
            std::vector<std::string>(
                3, path_.string() + ": locked by another process"));
  EXPECT_EQ(mender.went_on, 1);
}

// The transaction then fails for another reason, which is no part of the wait.
TEST_F(DatabaseTest, AWaitIsOverWhateverComesAfterIt) {
  Database first = Must(Database::Open(path_, Access::kCreate));
  Must(Campaigns(first).Create(SpecNamed("a")));
  SQLite::Database& holder = first.connection().sqlite();
  Mender mender(1, [&] { holder.exec("ROLLBACK"); });
  Database second = Must(
      Database::Open(path_, Access::kReadWrite, Durability::kFull, &mender));
  holder.exec("BEGIN IMMEDIATE");
  EXPECT_EQ(Campaigns(second).Create(SpecNamed("a")).error().code, Errc::kBusy);
  EXPECT_EQ(mender.waited_for.size(), 1u);
  EXPECT_EQ(mender.went_on, 1);
}

// Who keeps the file to itself is in the way of readers, too.
TEST_F(DatabaseTest, AWaitForALockOnOpeningIsOverOnceItIsOpen) {
  Must(Database::Open(path_, Access::kCreate));
  std::optional<SQLite::Database> holder(std::in_place, path_.string(),
                                         SQLite::OPEN_READWRITE);
  holder->exec("PRAGMA locking_mode = EXCLUSIVE");
  holder->exec("BEGIN EXCLUSIVE");
  Mender mender(1, [&] { holder.reset(); });
  Database second = Must(
      Database::Open(path_, Access::kReadWrite, Durability::kFull, &mender));
  EXPECT_EQ(mender.waited_for.size(), 1u);
  EXPECT_EQ(mender.went_on, 1);
}

TEST_F(DatabaseTest, WhoWaitsNoLongerForALockIsCancelled) {
  Database first = Must(Database::Open(path_, Access::kCreate));
  first.connection().sqlite().exec("BEGIN EXCLUSIVE");
  Mender mender(0, [] {});
  Database second = Must(
      Database::Open(path_, Access::kReadWrite, Durability::kFull, &mender));
  const auto created = Campaigns(second).Create(SpecNamed("a"));
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, Errc::kCancelled);
  EXPECT_THAT(created.error().what, HasSubstr("locked by another process"));
}

// It is made whole when there is room, however far it had come before.
TEST_F(DatabaseTest, RoomIsWaitedForAsLongAsPatienceLasts) {
  SQLite::Database* sqlite = nullptr;
  Mender mender(2, [&] { sqlite->exec("PRAGMA max_page_count = 1000000"); });
  Database database = OpenFull(sqlite, &mender);
  Must(Campaigns(database).Create(LargeSpec()));
  EXPECT_EQ(mender.waited_for.size(), 2u);
  EXPECT_THAT(mender.waited_for[0], HasSubstr("disk full"));
  EXPECT_EQ(mender.went_on, 1);
  EXPECT_EQ(Must(Campaigns(database).List()).size(), 1u);
}

// A part of the transaction that reads does so each time that it is tried, and
// who waits would else begin to wait anew: he would never be told why, nor be
// stopped.
TEST_F(DatabaseTest, WhoReadsWithinATransactionWaitsOnForRoom) {
  SQLite::Database* sqlite = nullptr;
  Mender mender(3, [&] { sqlite->exec("PRAGMA max_page_count = 1000000"); });
  Database database = OpenFull(sqlite, &mender);
  const CampaignSpec spec = LargeSpec();
  ASSERT_TRUE(InSharedTransaction(database, [&]() -> Result<void> {
    TRY_DONE(Campaigns(database).List().map([](const auto&) {}));
    return Campaigns(database).Create(spec).map([](CampaignId) {});
  }));
  EXPECT_EQ(mender.waited_for.size(), 3u);
  EXPECT_EQ(mender.went_on, 1);
}

// As another user, since the superuser may write everywhere.
template <class Body>
int AsNobody(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(9);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

TEST_F(DatabaseTest, AReadOnlyDirectoryCanBeReadAndNotWritten) {
  {
    Database created = Must(Database::Open(path_, Access::kCreate));
    Plant(created, "a");
  }
  namespace fs = std::filesystem;
  const fs::path directory = path_.parent_path();
  fs::permissions(path_, fs::perms(0444));
  fs::permissions(directory, fs::perms(0555));
  const int reading = AsNobody([this] {
    auto database = Database::Open(path_, Access::kReadOnly);
    if (!database) return 1;
    auto rows = Campaigns(*database).List();
    return rows && rows->size() == 1 ? 0 : 2;
  });
  const int writing = AsNobody([this] {
    auto database = Database::Open(path_, Access::kReadWrite);
    if (!database) return database.error().code == Errc::kIo ? 0 : 1;
    auto created = Campaigns(*database).Create(SpecNamed("b"));
    return !created && created.error().code == Errc::kIo ? 0 : 2;
  });
  fs::permissions(directory, fs::perms(0755));
  EXPECT_EQ(reading, 0);
  EXPECT_EQ(writing, 0);
}

// A path may hold what an address of SQLite gives another meaning.
TEST_F(DatabaseTest, AGlanceReadsAFileOfAnyName) {
  for (const char* name : {"a b.db", "a?b.db", "a#b.db", "50%25.db", "a&b.db",
                           "file:x.db", "\xC3\xA9.db"}) {
    const std::filesystem::path path = directory_.File(name);
    {
      Database created = NewFile(path);
      Plant(created, name);
    }
    for (const std::string& typed :
         {path.string(), "/" + path.string(), "//" + path.string()}) {
      auto database = Database::Open(typed, Access::kGlance);
      ASSERT_TRUE(database) << typed << ": " << database.error().what;
      EXPECT_EQ(Must(Campaigns(*database).List()).at(0).spec.name, name);
    }
  }
}

// What only looks leaves nothing beside the file.
TEST_F(DatabaseTest, AGlanceLeavesNothingBehind) {
  {
    Database created = Must(Database::Open(path_, Access::kCreate));
    Plant(created, "a");
  }
  { const Database database = Must(Database::Open(path_, Access::kGlance)); }
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    EXPECT_FALSE(std::filesystem::exists(path_.string() + suffix)) << suffix;
  }
}

TEST_F(DatabaseTest, AnErrorOfAPartUndoesTheWhole) {
  Database database = NewFile(path_);
  Connection& connection = database.connection();
  const auto plant = [&](const char* name) {
    return Campaigns(database).Create(SpecNamed(name)).map([](CampaignId) {});
  };
  // The outer one goes on as if nothing was wrong; it is undone nevertheless,
  // and says why.
  const auto whole = connection.Write([&]() -> Result<void> {
    TRY_DONE(plant("a"));
    for (const char* why : {"no", "nor later"}) {
      EXPECT_FALSE(connection.Write(
          [&]() -> Result<void> { return Fail(Errc::kUsage, why); }));
    }
    return {};
  });
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().code, Errc::kUsage);
  EXPECT_EQ(whole.error().what, "no");
  EXPECT_TRUE(Must(Campaigns(database).List()).empty());
  // The next one is not.
  Must(connection.Write([&] { return plant("b"); }));
  EXPECT_EQ(Must(Campaigns(database).List()).size(), 1u);
}

// Otherwise the next would begin within what was left open.
TEST_F(DatabaseTest, WhatAPartThrowsUndoesTheWhole) {
  Database database = NewFile(path_);
  Connection& connection = database.connection();
  const auto plant = [&](const char* name) {
    return Campaigns(database).Create(SpecNamed(name)).map([](CampaignId) {});
  };
  const auto plant_and_throw = [&]() -> Result<void> {
    TRY_DONE(plant("a"));
    throw std::runtime_error("a fault of ours");
  };
  EXPECT_THROW((void)connection.Write(plant_and_throw), std::runtime_error);
  EXPECT_THROW(
      (void)connection.Write([&] { return connection.Write(plant_and_throw); }),
      std::runtime_error);
  // Whoever catches it in between keeps nothing of it either.
  const auto whole = connection.Write([&]() -> Result<void> {
    EXPECT_THROW((void)connection.Write(plant_and_throw), std::runtime_error);
    return {};
  });
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().code, Errc::kIo);
  EXPECT_EQ(whole.error().what,
            path_.string() + ": a part of a transaction threw");
  Must(connection.Write([&] { return plant("b"); }));
  EXPECT_EQ(Must(Campaigns(database).List()).size(), 1u);
}

// Time mends neither a file of another kind nor one that is not there.
TEST_F(DatabaseTest, OnlyRoomIsWaitedForOnOpening) {
  Mender mender(0, [] {});
  const auto open = [&](Access access) {
    return Database::Open(path_, access, Durability::kFull, &mender)
        .error()
        .code;
  };
  EXPECT_EQ(open(Access::kReadWrite), Errc::kNotFound);
  WriteFile(std::string(4096, 'x'));
  EXPECT_EQ(open(Access::kReadWrite), Errc::kUsage);
  EXPECT_EQ(open(Access::kCreate), Errc::kUsage);
  EXPECT_TRUE(mender.waited_for.empty());
}

}  // namespace
}  // namespace coppice::store
