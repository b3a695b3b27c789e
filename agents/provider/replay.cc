#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "agents/provider/cassette.h"
#include "agents/provider/providers.h"
#include "store/records/io_error.h"
#include "store/records/own_providers.h"

namespace coppice::agents {
namespace {

class ReplayModel final : public Model {
 public:
  ReplayModel(const std::filesystem::path& path, Cassette cassette)
      : path_(path.string()),
        name_(path.filename().string()),
        cassette_(std::move(cassette)) {
    for (const auto& [request, answer] : cassette_) {
      unmeasured_.emplace(WithoutMeasurements(request), answer);
    }
  }

  std::string_view Provider() const override {
    return NameOf(Answerer::kCassette);
  }
  std::string_view ModelName() const override { return name_; }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    const std::string canonical = CanonicalRequest(request);
    const ModelAnswer* found = Find(canonical, request.conversation != nullptr);
    if (found == nullptr) {
      return Fail(Errc::kNotFound, path_ + ": no answer to request " +
                                       RequestKey(canonical) + "; " +
                                       DescribeNearest(cassette_, canonical));
    }
    ModelAnswer answer = *found;
    answer.cost_usd = 0.0;  // It was paid for when it was recorded.
    return answer;
  }

 private:
  // In a conversation each number means something: "node 14".
  const ModelAnswer* Find(const std::string& canonical, bool exactly) const {
    const auto same = cassette_.find(canonical);
    if (same != cassette_.end()) return &same->second;
    if (exactly) return nullptr;
    const auto alike = unmeasured_.find(WithoutMeasurements(canonical));
    return alike != unmeasured_.end() ? &alike->second : nullptr;
  }

  std::string path_;
  std::string name_;
  Cassette cassette_;
  Cassette unmeasured_;  // By request without measurements.
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
    TRY_DONE(Flush());
    TRY(answer, inner_->Complete(request));
    const std::lock_guard lock(mutex_);
    unwritten_.push_back(CassetteLine(request, *inner_, answer));
    // The answer is paid for, and used: whoever asks next is told.
    (void)WriteDown();
    return answer;
  }

  Result<void> Flush() override {
    const std::lock_guard lock(mutex_);
    return WriteDown();
  }

 private:
  Result<void> WriteDown() {
    for (; !unwritten_.empty(); unwritten_.pop_front()) {
      TRY_DONE(Append(unwritten_.front()));
    }
    return {};
  }

  // The whole line, or nothing of it.
  Result<void> Append(std::string_view line) {
    std::size_t done = 0;
    while (done < line.size()) {
      const ssize_t written = write(fd_, &line[done], line.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int why = errno;
        TakeBack(done);
        return Fail(IoErrc(why),
                    path_ + ": " + std::strerror(why) +
                        ": the last answer was used but not recorded");
      }
      done += static_cast<std::size_t>(written);
    }
    return {};
  }

  // The start of a line, lest another is glued to it; unless one already is.
  void TakeBack(std::size_t bytes) {
    const off_t here = lseek(fd_, 0, SEEK_CUR);
    const off_t end = lseek(fd_, 0, SEEK_END);
    if (bytes == 0 || here != end) return;
    // What cannot be cut off stays unfinished, as after a crash.
    [[maybe_unused]] const int cut =
        ftruncate(fd_, end - static_cast<off_t>(bytes));
  }

  std::unique_ptr<Model> inner_;
  std::string path_;
  int fd_;
  std::mutex mutex_;  // Keeps lines whole.
  std::deque<std::string> unwritten_;
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
