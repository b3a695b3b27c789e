#include "eval/sandbox/fork_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "eval/host/affinity.h"
#include "eval/host/datagram.h"
#include "eval/host/shared_memory.h"
#include "eval/host/spawn.h"
#include "eval/host/waiting.h"

namespace coppice::eval {
namespace {

constexpr double kStartSeconds = 120.0;  // For imports, on a busy machine.

}  // namespace

Result<std::unique_ptr<ForkServer>> ForkServer::Start(
    std::vector<std::string> arguments,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  std::unique_ptr<ForkServer> server(new ForkServer());
  TRY_ASSIGN(server->output_, CreateMemoryFile("output"));
  TRY(ends, CreateSocketPair());
  server->socket_ = std::move(ends.ours);
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.valid()) {
    return Fail(Errc::kIo, std::string("/dev/null: ") + std::strerror(errno));
  }
  const std::string executable = arguments.front();
  TRY_ASSIGN(server->pid_, Spawn(executable, std::move(arguments), environment,
                                 {nothing.get(), server->output_.get(),
                                  server->output_.get(), ends.theirs.get()}));
  return server;
}

ForkServer::~ForkServer() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ForkServer::HasEnded() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

Result<std::vector<UniqueFd>> ForkServer::Answer(
    const std::atomic<bool>* cancelled) {
  const Waited waited =
      WaitReadable(socket_.get(), For(kStartSeconds, cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  std::byte word{};
  Datagram datagram = ReceiveDatagram(socket_.get(), std::span(&word, 1));
  if (datagram.heard == Heard::kMessage) {
    return std::move(datagram.descriptors);
  }
  std::string why = ReadMemoryFile(output_, kOutputLimitBytes);
  while (why.ends_with('\n')) why.pop_back();
  if (why.empty()) why = "it has not answered, and says nothing";
  return Fail(Errc::kUnavailable, std::move(why));
}

Result<UniqueFd> ForkServer::Fork(
    const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& environment,
    std::span<const int> descriptors, const std::atomic<bool>* cancelled) {
  const std::lock_guard lock(mutex_);
  if (!is_ready_) TRY_DONE(Answer(cancelled));
  is_ready_ = true;
  const std::string order = nlohmann::json{
      {"arguments", arguments},
      {"environment", environment},
      {"processors",
       ProcessorsOf(0)}}.dump();
  // A failure means that it is gone, which the answer tells.
  SendDatagram(socket_.get(), std::as_bytes(std::span(order)), descriptors);
  // This cannot be cancelled: the answer would be taken for the next one's.
  auto given = Answer(nullptr);
  if (given && given->size() == 1) return std::move(given->front());
  kill(pid_, SIGKILL);  // What it might still say would be taken for another's.
  if (!given) return tl::unexpected(given.error());
  return Fail(Errc::kUnavailable, "fork server: no process came");
}

}  // namespace coppice::eval
