#include "eval/cpu/cpu_runner.h"

#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "eval/host/affinity.h"
#include "eval/host/datagram.h"
#include "eval/host/pidfd.h"
#include "eval/sandbox/judged_process.h"
#include "eval/sandbox/wait_limits.h"
#include "store/records/formatted.h"
#include "store/records/io_error.h"

namespace coppice::eval {
namespace {

// libgomp's idle threads spin this often, some 20 ms, before they sleep.  They
// must outlast the gaps within a batch: a thread that has slept is often woken
// on its waker's processor, and a 0.11 ms kernel on two threads then took
// anything up to 0.65 ms.  (Passive waiting: a steady 0.18 ms.)  Between
// batches the process is stopped, so that spinning disturbs nobody.
constexpr char kSpinCount[] = "1000000";

// Copies into an empty file.
Result<void> CopyFile(const std::filesystem::path& from, const UniqueFd& to) {
  const UniqueFd file(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t copied = file.valid() ? 1 : -1;
  while (copied > 0) {
    copied = sendfile(to.get(), file.get(), nullptr, 1 << 20);
  }
  if (copied == 0) return {};
  return Fail(IoErrc(errno), from.string() + ": " + std::strerror(errno));
}

SlotMemory Describe(const std::vector<TensorPlace>& places,
                    std::uint64_t stride, std::uint64_t file_bytes) {
  SlotMemory memory{};
  memory.stride = stride;
  memory.file_bytes = file_bytes;
  for (const TensorPlace& place : places) {
    memory.pages[memory.tensors++] = place.pages;
  }
  return memory;
}

CpuReplyKind AnswerTo(CpuRequestKind kind) {
  switch (kind) {
    case CpuRequestKind::kHello:
      return CpuReplyKind::kHello;
    case CpuRequestKind::kLoad:
      return CpuReplyKind::kLoaded;
    case CpuRequestKind::kArm:
      return CpuReplyKind::kArmed;
    case CpuRequestKind::kGo:
      return CpuReplyKind::kDone;
  }
  return CpuReplyKind::kDone;
}

std::string SystemCallName(int number) {
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  if (name == nullptr) return "system call " + std::to_string(number);
  std::string text(name);
  std::free(name);
  return text;
}

}  // namespace

CpuRunner::CpuRunner(const CpuRunnerOptions& options, const CallPlan& plan,
                     std::uint32_t slots)
    : options_(options), plan_(plan), slots_(slots) {}

CpuRunner::~CpuRunner() {
  if (!object_name_.empty()) unlink(object_name_.c_str());
  process_.reset();
  // The whole process name space dies with the jailer; the last process in it
  // closes the other end.
  if (socket_.valid()) {
    const Deadline patience = For(5.0, nullptr);
    while (WaitReadable(socket_.get(), patience) == Waited::kReady) {
      char rest[64];
      if (recv(socket_.get(), rest, sizeof rest, MSG_DONTWAIT) <= 0) break;
    }
  }
}

Result<void> CpuRunner::CreateMemories(const SharedMemory& inputs) {
  TRY(outputs,
      SharedMemory::Create("outputs", FileBytes(plan_.output_stride, slots_),
                           Sharing::kWritable));
  TRY(notes, SharedMemory::Create("notes", sizeof(Notes), Sharing::kWritable));
  TRY(memory,
      SharedMemory::Create("control", sizeof(CpuControl), Sharing::kReadOnly));
  outputs_ = std::move(outputs);
  notes_ = std::move(notes);
  control_ = std::move(memory);

  CpuControl control{};
  control.version = kProtocolVersion;
  control.slots = slots_;
  control.cpus = static_cast<std::uint32_t>(options_.threads);
  control.memory_bytes = options_.memory_bytes;
  control.cpu_limit_s = options_.cpu_limit_s;
  control.sample_us = options_.sample_us;
  control.inputs = Describe(plan_.inputs, plan_.input_stride, inputs.size());
  control.outputs =
      Describe(plan_.outputs, plan_.output_stride, outputs_.size());
  control.argument_count = static_cast<std::uint32_t>(plan_.arguments.size());
  std::ranges::copy(plan_.arguments, control.arguments.begin());
  std::memcpy(control_.data(), &control, sizeof control);
  return {};
}

Result<void> CpuRunner::CreateObject() {
  std::string name = options_.scratch / ".runner-XXXXXX";
  object_ = UniqueFd(mkostemp(name.data(), O_CLOEXEC));
  if (!object_.valid()) {
    return Fail(IoErrc(errno),
                options_.scratch.string() + ": " + std::strerror(errno));
  }
  object_name_ = name;
  return {};
}

Result<std::unique_ptr<CpuRunner>> CpuRunner::Launch(
    const CpuRunnerOptions& options, const CallPlan& plan,
    const SharedMemory& inputs, std::uint32_t slots) {
  std::unique_ptr<CpuRunner> session(new CpuRunner(options, plan, slots));
  TRY_DONE(session->CreateMemories(inputs));
  TRY_DONE(session->CreateObject());
  TRY(ends, CreateSocketPair());
  session->socket_ = std::move(ends.ours);
  auto environment = options.environment;
  environment.push_back({"OMP_NUM_THREADS", std::to_string(options.threads)});
  environment.push_back({"GOMP_SPINCOUNT", kSpinCount});
  TRY(process, Sandboxed::Launch(
                   {.arguments = {"/coppice-runner"},
                    .environment = std::move(environment),
                    .binds = {{options.runner, "/coppice-runner"},
                              {session->object_name_, kObjectPath}},
                    .descriptors = {ends.theirs.get(), session->control_.fd(),
                                    inputs.fd(), session->outputs_.fd(),
                                    session->notes_.fd()},
                    .libraries = options.libraries}));
  session->process_ = std::make_unique<Sandboxed>(std::move(process));
  // The other end is the runner's alone from here on: ours closes with `ends`.
  return session;
}

// Nothing of the candidate has run when the runner says hello: a failure up to
// there is ours.  It is asked only now, so that one which has died while it
// stood by cannot have said so before.
Result<void> CpuRunner::Ready() {
  if (runner_.valid()) return {};
  const eval::CpuRequest request{.kind = CpuRequestKind::kHello,
                                 .first = 0,
                                 .count = 0,
                                 .reserved = 0,
                                 .sequence = sequence_};
  // A failed send means that the child is gone; so does the empty reply.
  static_cast<void>(
      send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL));
  const Waited waited =
      WaitReadable(socket_.get(), For(10.0, options_.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  const auto hello = Receive<CpuReply>(socket_.get());
  if (hello.heard != Heard::kMessage ||
      hello.message.kind != CpuReplyKind::kHello) {
    process_->Wait(For(1.0, nullptr));
    return Fail(Errc::kUnavailable,
                "coppice-runner: did not start: " + process_->WhyItEnded());
  }
  runner_ = OpenPidfd(hello.sender);
  if (!runner_.valid()) {
    return Fail(Errc::kUnavailable,
                std::string("coppice-runner: ") + std::strerror(errno));
  }
  pid_ = hello.sender;
  OfferToTheOomKiller(pid_);
  // It may have been started by a thread that keeps to one of them, and what is
  // loaded may count those that it may use.
  if (options_.processors.empty()) options_.processors = ProcessorsOf(pid_);
  Spread();
  const std::string schedstat = "/proc/" + std::to_string(pid_) + "/schedstat";
  schedstat_ = UniqueFd(open(schedstat.c_str(), O_RDONLY | O_CLOEXEC));
  unlink(object_name_.c_str());
  object_name_.clear();
  return {};
}

void CpuRunner::Signal(int signal) const {
  // Fails only when the runner is gone, which the socket will tell.
  static_cast<void>(SendSignal(runner_, signal));
}

ObservedCall CpuRunner::AtRest(ObservedCall observed) {
  if (observed.verdict != Verdict::kPassed) return observed;
  Outcome rest = AwaitRest(pid_);
  if (rest.verdict != Verdict::kPassed) return Stopped(std::move(rest));
  return observed;
}

// Adds the waits of its first thread to those of the thread that asks it.
double CpuRunner::WaitedSeconds() const {
  const UniqueFd own(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  return eval::WaitedSeconds(schedstat_.get()) + eval::WaitedSeconds(own.get());
}

Notes CpuRunner::CopyNotes() const {
  Notes notes;
  std::memcpy(&notes, notes_.data(), sizeof notes);
  notes.message.back() = '\0';
  return notes;
}

ObservedCall CpuRunner::Stopped(Outcome outcome) {
  process_->Kill();
  return {std::move(outcome)};
}

ObservedCall CpuRunner::Forged() {
  return Stopped(
      Rejected(Breach::kForgedAnswer,
               "it spoke in the runner's name: an answer without a request"));
}

Result<ObservedCall> CpuRunner::Load(const Program& program) {
  TRY_DONE(CopyFile(program.object, object_));
  object_.Close();
  auto& control = *reinterpret_cast<CpuControl*>(control_.data());
  program.entry.copy(control.entry.data(), control.entry.size() - 1);
  TRY(loaded, Request(CpuRequestKind::kLoad, 0, 0));
  if (loaded.verdict == Verdict::kTimedOut) {
    loaded.log = "loading it (its static constructors) " + loaded.log;
  }
  return AtRest(std::move(loaded));
}

void CpuRunner::Spread() {
  std::vector<pid_t> threads = ThreadsOf(pid_);
  if (threads == threads_) return;
  SpreadThreads(threads,
                kept_to_ ? std::vector{*kept_to_} : options_.processors);
  threads_ = std::move(threads);
}

void CpuRunner::KeepTo(std::optional<int> processor) {
  kept_to_ = processor;
  threads_.clear();  // They are spread anew.
}

Result<ObservedCall> CpuRunner::Arm(std::uint32_t count) {
  if (count <= armed_) return ObservedCall{};
  TRY(armed, Wake(CpuRequestKind::kArm, armed_, count - armed_));
  armed_ = count;
  return armed;
}

Result<ObservedCall> CpuRunner::Call(std::uint32_t first, std::uint32_t count) {
  return Wake(CpuRequestKind::kGo, first, count);
}

std::size_t CpuRunner::CountThreads() const { return CountThreadsOf(pid_); }

// A request to the stopped child, which is at rest again when it has answered.
Result<ObservedCall> CpuRunner::Wake(CpuRequestKind kind, std::uint32_t first,
                                     std::uint32_t count) {
  if (Receive<CpuReply>(socket_.get()).heard != Heard::kNothing)
    return Forged();
  Spread();
  if (threads_.size() > kThreadLimit) return TooManyThreads();
  TRY(observed, Request(kind, first, count));
  return AtRest(std::move(observed));
}

Result<ObservedCall> CpuRunner::Request(CpuRequestKind kind,
                                        std::uint32_t first,
                                        std::uint32_t count) {
  const eval::CpuRequest request{.kind = kind,
                                 .first = first,
                                 .count = count,
                                 .reserved = 0,
                                 .sequence = ++sequence_};
  const double used_s = ProcessorSeconds(pid_);
  const double waited_s = WaitedSeconds();
  const auto start = Clock::now();
  // A failed send means that the child is gone; so does the empty reply.
  static_cast<void>(
      send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL));
  Signal(SIGCONT);  // Not before: all that it does is on the clock.
  TRY(observed, Await(AnswerTo(kind), sequence_));
  observed.wall_s = Seconds(Clock::now() - start);
  // Before any account is looked at: who answered too early has no time left.
  Signal(SIGSTOP);
  const double used_by_now_s = ProcessorSeconds(pid_);
  observed.waited_s = std::max(0.0, WaitedSeconds() - waited_s);
  // One who is gone could only have used it before.
  observed.cpu_s =
      std::isinf(used_by_now_s) ? used_by_now_s : used_by_now_s - used_s;
  return observed;
}

Result<ObservedCall> CpuRunner::Await(CpuReplyKind kind,
                                      std::uint64_t sequence) {
  const Attended attended =
      Attend(socket_.get(), pid_, For(options_.timeout_s, options_.cancelled));
  if (attended == Attended::kTooManyThreads) return TooManyThreads();
  if (attended == Attended::kCancelled) {
    process_->Kill();
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  if (attended == Attended::kTimedOut) {
    return Stopped(
        {Verdict::kTimedOut, "did not return within " +
                                 Formatted("%g", options_.timeout_s) + " s"});
  }
  const auto received = Receive<CpuReply>(socket_.get());
  if (received.heard == Heard::kNothing) return Ended();
  if (received.heard == Heard::kMalformed) return Forged();
  if (received.message.kind == CpuReplyKind::kLoadFailed) {
    return Stopped({Verdict::kCrashed, std::string("it could not be loaded: ") +
                                           CopyNotes().message.data()});
  }
  if (received.message.kind != kind || received.message.sequence != sequence) {
    return Forged();
  }
  return ObservedCall{};
}

ObservedCall CpuRunner::TooManyThreads() {
  return Stopped({Verdict::kCrashed, TooManyThreadsText()});
}

ObservedCall CpuRunner::Ended() {
  process_->Wait(For(5.0, nullptr));
  const int status = process_->ExitStatus().value_or(-1);
  const Notes notes = CopyNotes();
  std::string log = HowItEnded(status);
  if (status == 128 + SIGSYS) {
    log += ": " +
           (notes.fault_signal == SIGSYS
                ? "the system call " + SystemCallName(notes.system_call)
                : std::string("a system call of another architecture")) +
           " is not allowed";
  } else if (status == 128 + SIGSEGV || status == 128 + SIGBUS) {
    log += ": " + DescribeFault(notes);
  }
  return Stopped({Verdict::kCrashed, std::move(log)});
}

std::string CpuRunner::DescribeFault(const Notes& notes) const {
  const std::string address =
      Formatted("0x%llx", static_cast<unsigned long long>(notes.fault_address));
  const auto within = [&](std::uint64_t base, std::uint64_t size) {
    return notes.fault_address >= base && notes.fault_address - base < size;
  };
  if (within(notes.inputs_base, FileBytes(plan_.input_stride, slots_))) {
    return std::string(
               "it wrote to an input or accessed one out of bounds, "
               "at ") +
           address;
  }
  if (within(notes.outputs_base, outputs_.size())) {
    return std::string("it accessed an output out of bounds, at ") + address;
  }
  return std::string("bad access at ") + address;
}

std::vector<std::uint64_t> CpuRunner::Samples() const {
  const Notes notes = CopyNotes();
  std::vector<std::uint64_t> samples(
      notes.samples.begin(),
      notes.samples.begin() +
          static_cast<std::ptrdiff_t>(
              std::min<std::uint64_t>(notes.sample_count, kMaxSamples)));
  for (std::uint64_t& address : samples) address -= notes.object_base;
  return samples;
}

std::span<std::byte> CpuRunner::OutputPages(std::uint32_t slot,
                                            std::size_t i) const {
  const PageSpan& pages = plan_.outputs[i].pages;
  return {outputs_.data() + slot * plan_.output_stride + pages.offset,
          pages.bytes};
}

}  // namespace coppice::eval
