#include "engine/inspector/files.h"

#include <sys/stat.h>

#include <utility>

namespace coppice::inspector {
namespace {

constexpr std::size_t kMostIdle =
    5;  // For each file: four handlers and the poller.

std::uint64_t IdentityOf(const std::filesystem::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Files::Files(std::vector<std::filesystem::path> paths)
    : paths_(std::move(paths)), idle_(paths_.size()) {}

Files::Loan::Loan(Files& files, std::size_t file, std::uint64_t identity,
                  store::Database database, bool is_kept)
    : files_(&files),
      file_(file),
      identity_(identity),
      database_(std::move(database)),
      is_kept_(is_kept) {}

Files::Loan::Loan(Loan&& other) noexcept
    : files_(other.files_),
      file_(other.file_),
      identity_(other.identity_),
      database_(std::exchange(other.database_, std::nullopt)),
      is_kept_(other.is_kept_) {}

Files::Loan::~Loan() {
  if (!database_ || !is_kept_) return;
  database_->GiveUpWhen({});
  files_->GiveBack(file_, identity_, *std::move(database_));
}

bool Files::Loan::IsOfTheFile() const {
  return IdentityOf(files_->paths()[file_]) == identity_;
}

Result<Files::Loan> Files::Borrow(std::size_t file,
                                  std::function<bool()> is_over) {
  if (file >= paths_.size()) {
    return Fail(Errc::kNotFound, "db=" + std::to_string(file) + ": there are " +
                                     std::to_string(paths_.size()) +
                                     " databases, counted from 0");
  }
  const std::filesystem::path& path = paths_[file];
  const std::uint64_t identity = IdentityOf(path);
  std::optional<store::Database> database;
  {
    const std::lock_guard lock(mutex_);
    Idle& idle = idle_[file];
    if (idle.identity != identity) idle = {identity, {}};
    if (!idle.databases.empty()) {
      database = std::move(idle.databases.back());
      idle.databases.pop_back();
    }
  }
  bool is_kept = true;
  if (!database) {
    auto opened = store::Database::Open(path, store::Access::kWatch);
    if (!opened && opened.error().code == Errc::kIo) {
      // The file is read as it lies, for this one question.
      is_kept = false;
      opened = store::Database::Open(path, store::Access::kGlance);
    }
    if (!opened) {
      Error& error = opened.error();
      // It was there when the server began, and may come back.
      if (error.code == Errc::kNotFound) error.code = Errc::kUnavailable;
      return tl::unexpected<Error>(std::move(error));
    }
    database = *std::move(opened);
  }
  database->GiveUpWhen(std::move(is_over));
  return Loan(*this, file, identity, *std::move(database), is_kept);
}

Result<bool> Files::IsReadAsItLies(std::size_t file) {
  const auto opened =
      store::Database::Open(paths_.at(file), store::Access::kWatch);
  if (opened) return false;
  if (opened.error().code != Errc::kIo) {
    return tl::unexpected<Error>(opened.error());
  }
  TRY_DONE(store::Database::Open(paths_.at(file), store::Access::kGlance));
  return true;
}

void Files::GiveBack(std::size_t file, std::uint64_t identity,
                     store::Database database) {
  const std::lock_guard lock(mutex_);
  Idle& idle = idle_[file];
  if (idle.identity != identity || idle.databases.size() >= kMostIdle) return;
  idle.databases.push_back(std::move(database));
}

}  // namespace coppice::inspector
