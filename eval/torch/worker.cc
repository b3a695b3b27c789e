#include "eval/torch/worker.h"

#include <signal.h>
#include <sys/uio.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "eval/host/affinity.h"
#include "eval/host/datagram.h"
#include "eval/host/pidfd.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluation_session.h"
#include "eval/sandbox/fork_server.h"
#include "eval/sandbox/wait_limits.h"
#include "eval/torch/extensions.h"
#include "eval/torch/fork_servers.h"
#include "eval/torch/scratch_folder.h"
#include "eval/torch/worker_sandbox.h"
#include "store/records/formatted.h"
#include "store/records/parse_number.h"

namespace coppice::eval::torch {
namespace {

// A busy machine may take so long to import torch, or to try compilers out.
constexpr double kStartSeconds = 120.0;
constexpr int kMostExtensions = 16;
constexpr const char* kForged = "it spoke in the worker's name";
constexpr std::size_t kMostExplained = 16 << 10;
constexpr double kLookSeconds = 0.25;   // At what a builder has written.
constexpr double kAwakeSeconds = 0.02;  // For the answer to a call.

// A copy for the child to load, which it cannot write to: what is kept is
// nothing that it ever has a descriptor of.
Result<SharedMemory> CopyOf(const std::filesystem::path& library) {
  TRY(bytes, ReadWhole(library));
  if (bytes.empty()) return Fail(Errc::kIo, library.string() + ": empty");
  TRY(memory,
      SharedMemory::Create("extension", bytes.size(), Sharing::kReadOnly));
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  return memory;
}

tl::unexpected<Error> DidNotStart(const WorkerOptions& options,
                                  const std::string& why) {
  return Fail(Errc::kUnavailable, options.interpreter.executable.string() +
                                      ": PyTorch did not start: " + why);
}

// The first thing that a worker does on a device is to take memory of it.
tl::unexpected<Error> Failed(const Reaction& confined) {
  if (confined.log.find("out of memory") != std::string::npos) {
    return Fail(Errc::kUnfit, "no memory is left on the device");
  }
  return Fail(Errc::kUnavailable, "worker.py: " + confined.log);
}

bool IsClocked(WorkerRequestKind kind) {
  return kind == WorkerRequestKind::kCall ||
         kind == WorkerRequestKind::kNothing;
}

bool MayFail(WorkerRequestKind kind) {
  return kind == WorkerRequestKind::kLoad ||
         kind == WorkerRequestKind::kConstruct;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::Launch(const WorkerOptions& options,
                                               WorkerRole role) {
  std::unique_ptr<Worker> worker(new Worker(options, role));
  if (role == WorkerRole::kBuilder) worker->writes_to_ = options.cache;
  TRY_ASSIGN(worker->control_, SharedMemory::Create("control", kControlBytes,
                                                    Sharing::kReadOnly));
  TRY_ASSIGN(worker->notes_,
             SharedMemory::Create("notes", kNotesBytes, Sharing::kWritable));
  TRY(ends, CreateSocketPair());
  worker->socket_ = std::move(ends.ours);
  TRY(filter, FilterOf(options, role));
  SandboxedProgram program = SandboxOf(options, role);
  if (role != WorkerRole::kWatched) {
    TRY_ASSIGN(program.server, ForkServerFor(options, program));
    program.cancelled = options.cancelled;
  }
  program.descriptors = {ends.theirs.get(), worker->control_.fd(),
                         worker->notes_.fd(), filter.get()};
  auto process = Sandboxed::Launch(program);
  if (!process && program.server != nullptr &&
      process.error().code == Errc::kUnavailable) {
    return DidNotStart(options, process.error().what);
  }
  if (!process) return tl::unexpected(process.error());
  worker->process_ = std::make_unique<Sandboxed>(*std::move(process));
  // Before it stands: contexts of a device take a while, too.
  nlohmann::json order = {{"device", options.device},
                          {"processors", options.threads},
                          {"memory_bytes", options.memory_bytes}};
  if (options.gpu) {
    order["place"] = nlohmann::json{options.gpu->number, options.gpu->of};
  }
  worker->WriteOrder(order.dump());
  Send(worker->socket_.get(),
       WorkerRequest{.kind = WorkerRequestKind::kConfine,
                     .sequence = ++worker->sequence_},
       {});
  return worker;
}

Worker::~Worker() = default;

std::vector<int> Worker::Processors() const { return ProcessorsOf(pid_); }

Result<void> Worker::Ready() {
  if (pidfd_.valid()) return {};
  const Waited waited =
      WaitReadable(socket_.get(), For(kStartSeconds, options_.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  const auto hello = Receive<WorkerReply>(socket_.get());
  if (hello.heard != Heard::kMessage ||
      hello.message.kind != WorkerReplyKind::kHello) {
    process_->Wait(For(1.0, nullptr));
    return DidNotStart(options_, process_->WhyItEnded());
  }
  pidfd_ = OpenPidfd(hello.sender);
  if (!pidfd_.valid()) {
    return Fail(Errc::kUnavailable,
                std::string("worker.py: ") + std::strerror(errno));
  }
  pid_ = hello.sender;
  OfferToTheOomKiller(pid_);
  TRY(confined,
      Await({.kind = WorkerRequestKind::kConfine, .sequence = sequence_}, {}));
  static_cast<void>(Stop());  // It has run nobody's code.
  if (confined.verdict != Verdict::kPassed) return Failed(confined);
  std::istringstream device(Text());
  std::getline(device, device_name_);
  std::getline(device, architecture_);
  std::getline(device, device_uuid_);
  // An older torch does not know it.
  if (device_uuid_.empty() && options_.gpu) device_uuid_ = options_.gpu->uuid;
  std::string seat;
  if (std::getline(device, seat)) seat_ = std::stoi(seat);
  return {};
}

void Worker::WriteOrder(const std::string& order) {
  const auto size = static_cast<std::uint32_t>(order.size());
  std::memcpy(control_.data(), &size, sizeof size);
  std::memcpy(control_.data() + sizeof size, order.data(), order.size());
}

void Worker::Signal(int signal) const {
  // Fails only when it is gone, which the socket will tell.
  static_cast<void>(SendSignal(pidfd_, signal));
}

Outcome Worker::Stop() const {
  if (role_ == WorkerRole::kWatched) return {};  // Its tool takes offence.
  Signal(SIGSTOP);
  if (IsCpu(options_.device)) return AwaitRest(pid_);
  WaitUntilAtRest(pid_);  // Who waits in a driver may not come to rest.
  return {};
}

Result<Reaction> Worker::Ask(const WorkerRequest& request,
                             const std::string& order, int descriptor) {
  if (order.size() + sizeof(std::uint32_t) >= kControlBytes) {
    return Fail(Errc::kUsage, "a source of more than 64 MiB");
  }
  Begin(request, order, descriptor);
  TRY(reaction, Answer());
  End(reaction);
  return reaction;
}

void Worker::Begin(const WorkerRequest& request, const std::string& order,
                   int descriptor) {
  spoke_unasked_ = Receive<WorkerReply>(socket_.get()).heard != Heard::kNothing;
  if (spoke_unasked_) return;
  if (!order.empty()) WriteOrder(order);
  control_.data()[kNowAt] = std::byte{0};
  lacks_extension_ = false;
  begun_ = request;
  begun_.sequence = ++sequence_;
  used_s_ = ProcessorSeconds(pid_);
  // Root and candidate wake on the same processor, for another may be slower by
  // some 10 us; from there they may go anywhere.
  const std::vector<int> processors = Processors();
  const bool is_placed =
      !IsCpu(options_.device) && IsClocked(request.kind) && !processors.empty();
  if (is_placed) SpreadThreads({pid_}, {processors.back()});
  begun_at_ = Clock::now();
  Send(socket_.get(), begun_, std::span(&descriptor, descriptor >= 0 ? 1 : 0));
  Signal(SIGCONT);  // Not before: all that it does is on the clock.
  if (is_placed) SpreadThreads({pid_}, processors);
}

Result<Reaction> Worker::Answer(const Giver& giver) {
  if (spoke_unasked_) {
    return Stopped(
        Rejected(Breach::kForgedAnswer,
                 "it spoke in the worker's name: an answer without a request"));
  }
  TRY(reaction, Await(begun_, giver));
  reaction.wall_s = Seconds(Clock::now() - begun_at_);
  return reaction;
}

void Worker::End(Reaction& reaction) {
  // Before the processor's clock is read: it may work on till then.
  Outcome rest = Stop();
  reaction.cpu_s = ProcessorSeconds(pid_) - used_s_;
  if (rest.verdict != Verdict::kPassed &&
      reaction.verdict == Verdict::kPassed) {
    reaction = Stopped(std::move(rest));
  }
}

void Worker::SayNow() { control_.data()[kNowAt] = std::byte{1}; }

double Worker::Limit(WorkerRequestKind kind) const {
  if (kind == WorkerRequestKind::kEquip) return kStartSeconds;
  return MayFail(kind) || kind >= WorkerRequestKind::kDescribe
             ? options_.limits.load_s
             : options_.limits.call_s;
}

Result<void> Worker::Give(const Giver& giver) {
  const int number = ParseNumber<int>(Text()).value_or(-1);
  const UniqueFd given = number < 0 ? UniqueFd() : giver(number);
  if (number >= 0 && !given.valid() && (errno == EMFILE || errno == ENFILE)) {
    return Fail(Errc::kUnavailable,
                std::string("pidfd_getfd: ") + std::strerror(errno));
  }
  const int descriptor = given.get();
  WriteOrder("{}");
  Send(socket_.get(), WorkerRequest{.kind = WorkerRequestKind::kAnswer},
       std::span(&descriptor, given.valid() ? 1 : 0));
  return {};
}

Result<Reaction> Worker::Await(const WorkerRequest& request,
                               const Giver& giver) {
  const double limit_s = Limit(request.kind);
  double left_s = limit_s;
  if (!IsCpu(options_.device) && IsClocked(request.kind)) {
    // To be woken takes longer than many a call.
    std::optional<Seat> seat;
    if (seat_) seat.emplace(*seat_);
    WatchReadable(socket_.get(), kAwakeSeconds);
  }
  for (;;) {
    const auto start = Clock::now();
    const double wait_s =
        writes_to_.empty() ? left_s : std::min(left_s, kLookSeconds);
    const Attended attended =
        Attend(socket_.get(), pid_, For(wait_s, options_.cancelled));
    left_s -= Seconds(Clock::now() - start);
    if (!writes_to_.empty() && BytesIn(writes_to_) > kMostBuiltBytes) {
      return Stopped(
          Rejected(Breach::kTooMuch, "its compilers wrote more than 1 GiB"));
    }
    if (attended == Attended::kTimedOut && left_s > 0.0) continue;
    if (attended == Attended::kTooManyThreads) {
      return Stopped({Verdict::kCrashed, TooManyThreadsText()});
    }
    if (attended == Attended::kCancelled) {
      process_->Kill();
      return Fail(Errc::kCancelled, "evaluation: cancelled");
    }
    if (attended == Attended::kTimedOut) {
      return Stopped({Verdict::kTimedOut,
                      (MayFail(request.kind) ? "loading it " : "") +
                          Formatted("did not return within %g s", limit_s)});
    }
    const auto received = Receive<WorkerReply>(socket_.get());
    if (received.heard == Heard::kNothing) return Ended();
    if (received.heard == Heard::kMalformed ||
        received.message.sequence != request.sequence) {
      return Stopped(Rejected(Breach::kForgedAnswer, kForged));
    }
    if (received.message.kind != WorkerReplyKind::kAsks) {
      return Explained(request, received.message);
    }
    if (giver) {
      TRY_DONE(Give(giver));
      continue;
    }
    TRY(built, BuildExtension());
    if (built == Verdict::kTimedOut) {
      return Stopped({built, "load_inline: the compilers were stopped"});
    }
    if (built == Verdict::kRejected) {
      return Stopped(
          Rejected(Breach::kTooMuch, "it asked for more than " +
                                         std::to_string(kMostExtensions) +
                                         " extensions"));
    }
  }
}

Result<Reaction> Worker::Explained(const WorkerRequest& request,
                                   const WorkerReply& reply) {
  Reaction reaction;
  // It is a candidate's to say: it may be no number, or where no events are.
  const bool has_events = !IsCpu(options_.device) &&
                          std::isfinite(reply.device_s) && reply.device_s > 0.0;
  reaction.device_s = has_events ? reply.device_s : 0.0;
  switch (reply.kind) {
    case WorkerReplyKind::kDone:
      return reaction;
    case WorkerReplyKind::kFailed:
      reaction.verdict =
          request.kind == WorkerRequestKind::kLoad || lacks_extension_
              ? Verdict::kCompileFailed
              : Verdict::kCrashed;
      reaction.raised = true;
      reaction.log = Abridge(Text(), kMostExplained);
      return reaction;
    case WorkerReplyKind::kRefused:
      static_cast<Outcome&>(reaction) =
          Rejected(Breach::kUnusable, Abridge(Text(), kMostExplained));
      if (request.kind == WorkerRequestKind::kLoad) {
        reaction.verdict = Verdict::kCompileFailed;
        reaction.breach = Breach::kNone;
      }
      return reaction;
    case WorkerReplyKind::kHello:
    case WorkerReplyKind::kAsks:
      break;
  }
  return Stopped(Rejected(Breach::kForgedAnswer, kForged));
}

// What the notes ask for.  Whatever they say: what comes of it is shown to this
// process alone, and it may run any code as it is.
Result<Verdict> Worker::BuildExtension() {
  if (++asked_ > kMostExtensions) return Verdict::kRejected;
  Extension built{.diagnostics = "only candidates have extensions"};
  if (options_.extensions != nullptr) {
    const auto start = Clock::now();
    TRY(made, options_.extensions->Build(Text(), architecture_,
                                         role_ == WorkerRole::kWatched
                                             ? Built::kToBeWatched
                                             : Built::kAsAsked));
    compile_s_ += Seconds(Clock::now() - start);
    built = std::move(made);
  }
  if (built.verdict == Verdict::kTimedOut) return built.verdict;
  lacks_extension_ |= built.verdict != Verdict::kPassed;
  std::vector<SharedMemory> shown;
  for (const std::filesystem::path& library : {built.library, built.bridge}) {
    if (library.empty()) continue;
    TRY(copy, CopyOf(library));
    shown.push_back(std::move(copy));
  }
  std::vector<int> descriptors;
  for (const SharedMemory& copy : shown) descriptors.push_back(copy.fd());
  WriteOrder(
      nlohmann::json{{"level", built.level}, {"diagnostics", built.diagnostics}}
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  Send(socket_.get(), WorkerRequest{.kind = WorkerRequestKind::kAnswer},
       descriptors);
  return built.verdict;
}

Reaction Worker::Stopped(Outcome outcome) {
  process_->Kill();
  return {{std::move(outcome)}};
}

Reaction Worker::Ended() {
  process_->Wait(For(5.0, nullptr));
  const int status = process_->ExitStatus().value_or(-1);
  std::string log = HowItEnded(status);
  if (status == 128 + SIGSEGV || status == 128 + SIGBUS) {
    log += ": it wrote to an input, or accessed memory that is not there";
  } else if (status == 128 + SIGKILL || status == -1) {
    log = "killed: most likely there was no memory left";
  }
  return Stopped({Verdict::kCrashed, std::move(log)});
}

Result<std::optional<int>> Worker::Finish(double limit_s) {
  socket_ = UniqueFd();
  const Waited waited = process_->Wait(For(limit_s, options_.cancelled));
  if (waited == Waited::kReady) return process_->ExitStatus();
  process_->Kill();
  if (waited == Waited::kTimedOut) return std::nullopt;
  return Fail(Errc::kCancelled, "evaluation: cancelled");
}

std::vector<TensorEntry> Worker::Tensors() const {
  NotesHeader header;
  std::memcpy(&header, notes_.data(), sizeof header);
  const std::size_t count = std::min<std::size_t>(header.tensors, kMostTensors);
  std::vector<TensorEntry> tensors(count);
  std::copy_n(notes_.data() + kTableAt, count * sizeof(TensorEntry),
              std::as_writable_bytes(std::span(tensors)).begin());
  return tensors;
}

std::string Worker::Text() const {
  NotesHeader header;
  std::memcpy(&header, notes_.data(), sizeof header);
  const std::size_t size = std::min<std::size_t>(header.text_bytes, kTextLimit);
  return {reinterpret_cast<const char*>(notes_.data() + kTextAt), size};
}

bool Worker::Read(std::uint64_t address, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    // The kernel moves no more than 2 GiB at a time.
    const std::size_t part =
        std::min<std::size_t>(bytes.size() - done, std::size_t{1} << 30);
    const iovec here{bytes.data() + done, part};
    const iovec there{std::bit_cast<void*>(address + done), part};
    const ssize_t got = process_vm_readv(pid_, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

UniqueFd Worker::Fetch(int descriptor) const {
  return FetchDescriptor(pidfd_, descriptor);
}

}  // namespace coppice::eval::torch
