#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "eval/cuda/runner/kernel_times.h"
#include "eval/cuda/runner/memory.h"
#include "eval/cuda/runner/program.h"
#include "eval/cuda/runner/request_handler.h"
#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

// One set of the trusted runner's tensors.
struct Set {
  Buffers buffers;
  std::vector<DevicePointer> output_pages;
  std::vector<DevicePointer> committed_pages;
};

std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Runs a candidate, or the root.
class KernelProcess : public RequestHandler {
 public:
  explicit KernelProcess(const Requests& requests)
      : gpu_(requests.gpu),
        timer_(requests.timer),
        control_(requests.control),
        program_(LoadProgram(gpu_, control_, requests.code,
                             requests.opened.descriptors.at(1))) {
    auto next = requests.opened.descriptors.begin() + 2;
    for (std::uint32_t s = 0; s < control_.sets; ++s) {
      sets_.push_back(Import(next));
    }
    for (std::uint32_t i = 0; i < control_.scratches; ++i) CreateScratch(i);
    gpu_.Synchronize(FailureStage::kMemory);
    RunnerReply ready{};
    ready.kind = ReplyKind::kDone;
    Send(ready);
  }

  void Answer(const ReceivedRequest& asked) override {
    RunnerReply reply{};
    reply.kind = ReplyKind::kDone;
    switch (asked.request.kind) {
      case RequestKind::kGo:
        reply = Go(asked.request);
        break;
      case RequestKind::kGoAll:
        GoAll(asked.request.set);
        break;
      case RequestKind::kWake:
        StayAwake();
        break;
      default:
        std::_Exit(0);
    }
    Send(reply);
  }

 private:
  // Flush with the end of its pages, where overruns run.
  void CreateScratch(std::uint32_t i) {
    const std::uint64_t bytes = control_.scratch_bytes[i];
    const std::uint64_t pages = RoundUp(bytes, kGranularity);
    scratch_pages_.push_back(CreatePrivatePages(gpu_, pages));
    for (Set& set : sets_) {
      set.buffers.scratches.push_back(scratch_pages_.back() + pages -
                                      RoundUp(bytes, 256));
    }
  }

  void PoisonScratch() {
    for (std::uint32_t i = 0; i < control_.scratches; ++i) {
      gpu_.Fill(scratch_pages_[i],
                RoundUp(control_.scratch_bytes[i], kGranularity),
                control_.scratch_pattern);
    }
  }

  // Neither timed nor committed here.
  void GoAll(std::uint32_t count) {
    PoisonScratch();
    for (std::uint32_t s = 0; s < count; ++s) {
      program_->Queue(sets_.at(s).buffers);
    }
    gpu_.Synchronize(FailureStage::kRun);
  }

  RunnerReply Go(const RunnerRequest& request) {
    const Set& set = sets_.at(request.set);
    PoisonScratch();
    const Queue queue =
        (request.flags & kHold) != 0 ? Queue::kHeld : Queue::kAsItComes;
    std::optional<KernelTimes> observed;
    if ((request.flags & kInventory) != 0) observed.emplace(gpu_);
    const LaunchTimer::Work work{.queue =
                                     [&] {
                                       if (observed) observed->Begin();
                                       program_->Queue(set.buffers);
                                     },
                                 .after = [&] { Commit(set); },
                                 .waits = control_.part == Part::kDeviceCode};
    const Timed timed = timer_.Time(queue, work);
    RunnerReply reply{};
    reply.kind = ReplyKind::kDone;
    reply.flags = timed.held_too_long ? kHeldTooLong : 0;
    reply.sample = timed.sample;
    if (observed) reply.inventory = observed->Take();
    return reply;
  }

  Set Import(std::vector<int>::const_iterator& next) {
    Set set;
    const auto import = [&](const DeviceTensor& tensor, AccessFlags access) {
      return ImportPages(gpu_, *next++, tensor.pages_bytes, access);
    };
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      set.buffers.inputs.push_back(tensor.scalar != 0
                                       ? 0
                                       : import(tensor, AccessFlags::kRead) +
                                             tensor.offset);
    }
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      const DeviceTensor& tensor = control_.output[i];
      set.output_pages.push_back(import(tensor, AccessFlags::kReadWrite));
      set.buffers.outputs.push_back(set.output_pages.back() + tensor.offset);
    }
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      set.committed_pages.push_back(
          import(control_.output[i], AccessFlags::kReadWrite));
    }
    return set;
  }

  // What counts is what is there when the clock stops.
  void Commit(const Set& set) {
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      Must(gpu_.driver().MemcpyDtoDAsync(
               set.committed_pages[i], set.output_pages[i],
               control_.output[i].pages_bytes, gpu_.stream()),
           FailureStage::kRun);
    }
  }

  const Gpu& gpu_;
  const LaunchTimer& timer_;
  const Control& control_;
  std::unique_ptr<LoadedProgram> program_;
  std::vector<Set> sets_;
  std::vector<DevicePointer> scratch_pages_;
};

}  // namespace

std::unique_ptr<RequestHandler> MakeKernelRunner(const Requests& requests) {
  return std::make_unique<KernelProcess>(requests);
}

}  // namespace coppice::eval::cuda
