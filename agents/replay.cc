#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "agents/cassette.h"
#include "agents/providers.h"

namespace coppice::agents {
namespace {

class ReplayModel final : public Model {
 public:
  ReplayModel(const std::filesystem::path& path, Cassette cassette)
      : path_(path.string()),
        name_(path.filename().string()),
        cassette_(std::move(cassette)) {}

  std::string_view Provider() const override { return "replay"; }
  std::string_view ModelName() const override { return name_; }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    const std::string canonical = CanonicalRequest(request);
    const auto found = cassette_.find(canonical);
    if (found == cassette_.end()) {
      return Fail(Errc::kNotFound, path_ + ": no answer to request " +
                                       RequestKey(canonical) + "; " +
                                       DescribeNearest(cassette_, canonical));
    }
    ModelAnswer answer = found->second;
    answer.cost_usd = 0.0;  // It was paid for when it was recorded.
    return answer;
  }

 private:
  std::string path_;
  std::string name_;
  Cassette cassette_;
};

class RecordingModel final : public Model {
 public:
  RecordingModel(std::unique_ptr<Model> inner, std::string path, int fd)
      : inner_(std::move(inner)), path_(std::move(path)), fd_(fd) {}
  ~RecordingModel() override { close(fd_); }
  RecordingModel(const RecordingModel&) = delete;
  RecordingModel& operator=(const RecordingModel&) = delete;

  std::string_view Provider() const override { return inner_->Provider(); }
  std::string_view ModelName() const override { return inner_->ModelName(); }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    TRY(answer, inner_->Complete(request));
    TRY_DONE(Append(CassetteLine(request, *inner_, answer)));
    return answer;
  }

 private:
  Result<void> Append(std::string_view line) {
    const std::lock_guard lock(mutex_);
    while (!line.empty()) {
      const ssize_t written = write(fd_, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        return Fail(Errc::kIo, path_ + ": " + std::strerror(errno));
      }
      line.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  std::unique_ptr<Model> inner_;
  std::string path_;
  int fd_;
  std::mutex mutex_;  // Keeps lines whole.
};

// Cuts off a last line that was never finished, so that none is glued to it.
bool DropUnfinishedLine(int fd) {
  off_t end = lseek(fd, 0, SEEK_END);
  const off_t size = end;
  for (char last = 0; end > 0; --end) {
    if (pread(fd, &last, 1, end - 1) != 1) return false;
    if (last == '\n') break;
  }
  return end == size || ftruncate(fd, end) == 0;
}

}  // namespace

Result<std::unique_ptr<Model>> MakeReplayModel(
    const std::filesystem::path& cassette) {
  TRY(answers, ReadCassette(cassette));
  return std::make_unique<ReplayModel>(cassette, std::move(answers));
}

Result<std::unique_ptr<Model>> MakeRecordingModel(
    std::unique_ptr<Model> inner, const std::filesystem::path& cassette) {
  // Prompts may be private: nobody else may read them.
  const int fd =
      open(cassette.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || !DropUnfinishedLine(fd)) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) close(fd);
    return Fail(Errc::kIo, cassette.string() + ": " + why);
  }
  return std::make_unique<RecordingModel>(std::move(inner), cassette.string(),
                                          fd);
}

}  // namespace coppice::agents
