#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

#include "eval/cuda/runner/launches.h"
#include "eval/cuda/runner/memory.h"
#include "eval/cuda/runner/request_handler.h"
#include "eval/cuda/runner/request_loop.h"
#include "eval/judge/compare.h"

namespace coppice::eval::cuda {
namespace {

// Finding in device/helpers.cu.
struct Found {
  std::uint64_t wrong;
  std::uint64_t unwritten;
  std::uint64_t first_wrong;
  std::uint64_t worst_error_ratio;
  std::uint64_t max_absolute_error;
  std::uint64_t max_relative_error;
};

// What one judgement counts, on the device.
struct Counts {
  std::uint64_t changed_inputs;
  std::array<std::uint64_t, kMaxTensors> slack;
  std::array<std::uint64_t, kMaxTensors> late;
  std::array<Found, kMaxTensors> found;
};

struct Shared {
  std::vector<SharedPages> inputs;  // Scalars have none.
  std::vector<SharedPages> outputs;
  std::vector<SharedPages> committed;
  // What its outputs were poisoned with last.
  std::array<std::uint64_t, kMaxTensors> patterns;
};

// Inputs and what is expected of them, which no kernel process maps.
struct Data {
  std::vector<DevicePointer> pages;  // An input's, as a set has them.
  Buffers known;
};

// Makes inputs, runs the oracle, judges outputs, and owns the memory that
// kernel processes map.  Trusted.
class TrustedRunner : public RequestHandler {
 public:
  explicit TrustedRunner(const Requests& requests)
      : gpu_(requests.gpu),
        timer_(requests.timer),
        control_(requests.control),
        oracle_(gpu_, control_, requests.code),
        counts_(gpu_.Allocate(sizeof(Counts))) {
    for (std::uint32_t s = 0; s < control_.sets; ++s) CreateSet();
    for (std::uint32_t i = 0; i < control_.scratches; ++i) {
      scratches_.push_back(gpu_.Allocate(control_.scratch_bytes[i]));
    }
    for (std::uint32_t d = 0; d < control_.data_sets; ++d) CreateData();
    gpu_.Synchronize(FailureStage::kMemory);
    RunnerReply reply{};
    reply.kind = ReplyKind::kDone;
    const std::vector<int> descriptors = Descriptors();
    Send(reply, descriptors);
    for (const int descriptor : descriptors) close(descriptor);
  }

  void Answer(const ReceivedRequest& asked) override {
    const RunnerRequest& request = asked.request;
    RunnerReply reply{};
    reply.kind = ReplyKind::kDone;
    switch (request.kind) {
      case RequestKind::kGenerate:
        Generate(request.data, request.seed);
        break;
      case RequestKind::kUpload:
        Upload(request.data, request.set, asked.descriptors.at(0));
        break;
      case RequestKind::kReveal:
        Reveal(request.data);
        break;
      case RequestKind::kStage:
        Conceal(request.set);
        Prepare(request.set, request.data);
        timer_.Flush();  // A kernel process does so again, if it is honest.
        gpu_.Synchronize(FailureStage::kRun);
        break;
      case RequestKind::kStageAll:
        for (std::uint32_t s = 0; s < control_.sets; ++s) Prepare(s, s);
        gpu_.Synchronize(FailureStage::kRun);
        break;
      case RequestKind::kCommitAll:
        CommitAll();
        break;
      case RequestKind::kJudge:
        reply.judgement = Judge(request.set, request.data);
        break;
      case RequestKind::kCalibrate:
        reply.abilities = Calibrate();
        break;
      default:
        std::_Exit(0);
    }
    Send(reply);
  }

 private:
  static constexpr FailureStage kJudging = FailureStage::kRun;

  std::vector<int> Descriptors() const {
    std::vector<int> all;
    for (const Shared& set : sets_) {
      for (const auto* pages : {&set.inputs, &set.outputs, &set.committed}) {
        for (const SharedPages& tensor : *pages) {
          if (tensor.descriptor >= 0) all.push_back(tensor.descriptor);
        }
      }
    }
    return all;
  }

  void Generate(std::uint32_t data, std::uint64_t seed) {
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      if (tensor.scalar != 0) continue;
      gpu_.Help(gpu_.helpers().generate, (tensor.elements + 3) / 4,
                data_.at(data).known.inputs[i], tensor.dtype, tensor.elements,
                seed, i);
    }
    gpu_.Synchronize(FailureStage::kRun);
  }

  void Upload(std::uint32_t data, std::uint32_t input, int descriptor) {
    const std::uint64_t bytes = control_.input.at(input).bytes;
    void* file = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (file == MAP_FAILED) Refuse("%s", "cannot map an input");
    Must(gpu_.driver().MemcpyHtoD(data_.at(data).known.inputs.at(input), file,
                                  bytes),
         FailureStage::kMemory);
    // A copy from pageable memory may still be under way, and our stream does
    // not wait for it.
    gpu_.Synchronize(FailureStage::kMemory);
    munmap(file, bytes);
    close(descriptor);
  }

  void Reveal(std::uint32_t data) {
    const Buffers& buffers = data_.at(data).known;
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      const std::uint64_t bytes = control_.output[i].elements * sizeof(double);
      gpu_.Fill(buffers.outputs[i], bytes, kOracleUnwritten);
      gpu_.Fill(buffers.magnitudes[i], bytes, kOracleUnwritten);
    }
    Buffers with_scratch = buffers;
    with_scratch.scratches = scratches_;
    oracle_.Queue(with_scratch);
    gpu_.Synchronize(FailureStage::kRun);
  }

  // Whole pages: what lies beside a tensor would last from process to process.
  void Prepare(std::uint32_t set_number, std::uint32_t data) {
    Shared& set = sets_.at(set_number);
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      if (tensor.scalar != 0) continue;
      Must(gpu_.driver().MemcpyDtoDAsync(set.inputs[i].at,
                                         data_.at(data).pages[i],
                                         tensor.pages_bytes, gpu_.stream()),
           FailureStage::kMemory);
    }
    Poison(set);
  }

  void Poison(Shared& set) {
    set.patterns = control_.patterns;
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      for (const SharedPages* pages : {&set.outputs[i], &set.committed[i]}) {
        gpu_.Fill(pages->at, control_.output[i].pages_bytes, set.patterns[i]);
      }
    }
  }

  // All kernel processes map all sets.  The one that was staged last may hold
  // the root's outputs for the data that are staged now.
  void Conceal(std::uint32_t next) {
    const std::uint32_t last = std::exchange(staged_, next);
    if (last != next) Poison(sets_.at(last));
  }

  void CommitAll() {
    for (const Shared& set : sets_) {
      for (std::uint32_t i = 0; i < control_.outputs; ++i) {
        Must(gpu_.driver().MemcpyDtoDAsync(
                 set.committed[i].at, set.outputs[i].at,
                 control_.output[i].pages_bytes, gpu_.stream()),
             FailureStage::kRun);
      }
    }
    gpu_.Synchronize(FailureStage::kRun);
  }

  CallErrors Judge(std::uint32_t set_number, std::uint32_t data) {
    const Shared& set = sets_.at(set_number);
    const Data& all = data_.at(data);
    const Buffers& known = all.known;
    Counts counts{};
    for (Found& found : counts.found) found.first_wrong = ~std::uint64_t{0};
    const Driver& driver = gpu_.driver();
    Must(driver.MemcpyHtoD(counts_, &counts, sizeof counts), kJudging);
    gpu_.Synchronize(kJudging);  // As in Upload().
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      if (tensor.scalar != 0) continue;
      gpu_.Help(gpu_.helpers().differ, tensor.pages_bytes / 4, set.inputs[i].at,
                all.pages[i], tensor.pages_bytes / 4, counts_);
    }
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      Compare(set, known, i);
    }
    gpu_.Synchronize(kJudging);
    Must(driver.MemcpyDtoH(&counts, counts_, sizeof counts), kJudging);
    CallErrors judgement{};
    judgement.changed_inputs = counts.changed_inputs;
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      judgement.output[i] = Report(set, known, counts, i);
    }
    return judgement;
  }

  Abilities Calibrate() const;

  void CreateSet() {
    Shared set{};
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      set.inputs.push_back(tensor.scalar != 0
                               ? SharedPages{}
                               : CreatePages(gpu_, tensor.pages_bytes));
    }
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      const std::uint64_t bytes = control_.output[i].pages_bytes;
      set.outputs.push_back(CreatePages(gpu_, bytes));
      set.committed.push_back(CreatePages(gpu_, bytes));
    }
    sets_.push_back(std::move(set));
  }

  void CreateData() {
    Data data;
    for (std::uint32_t i = 0; i < control_.inputs; ++i) {
      const DeviceTensor& tensor = control_.input[i];
      const bool has_pages = tensor.scalar == 0;
      data.pages.push_back(has_pages ? gpu_.Allocate(tensor.pages_bytes) : 0);
      data.known.inputs.push_back(data.pages.back() + tensor.offset);
      if (has_pages) gpu_.Fill(data.pages.back(), tensor.pages_bytes, 0);
    }
    for (std::uint32_t i = 0; i < control_.outputs; ++i) {
      const std::uint64_t bytes = control_.output[i].elements * sizeof(double);
      data.known.outputs.push_back(gpu_.Allocate(bytes));
      data.known.magnitudes.push_back(gpu_.Allocate(bytes));
    }
    data_.push_back(std::move(data));
  }

  void Compare(const Shared& set, const Buffers& known, std::uint32_t i) {
    const DeviceTensor& tensor = control_.output[i];
    const DevicePointer committed = set.committed[i].at;
    const std::uint64_t slack = tensor.pages_bytes - tensor.bytes;
    gpu_.Help(gpu_.helpers().slack, std::max<std::uint64_t>(slack, 1),
              committed, tensor.pages_bytes, tensor.offset,
              tensor.offset + tensor.bytes, set.patterns[i],
              counts_ + offsetof(Counts, slack) + i * sizeof(std::uint64_t));
    gpu_.Help(gpu_.helpers().differ, tensor.pages_bytes / 4, set.outputs[i].at,
              committed, tensor.pages_bytes / 4,
              counts_ + offsetof(Counts, late) + i * sizeof(std::uint64_t));
    gpu_.Help(gpu_.helpers().compare, tensor.elements,
              committed + tensor.offset, tensor.dtype, tensor.elements,
              known.outputs[i], known.magnitudes[i], control_.scale[i],
              control_.floor[i], kOracleUnwritten,
              Rotated(set.patterns[i], tensor.offset),
              counts_ + offsetof(Counts, found) + i * sizeof(Found));
  }

  // The pattern as it is seen from a tensor's beginning.
  static std::uint64_t Rotated(std::uint64_t pattern, std::uint64_t offset) {
    return std::rotr(pattern, static_cast<int>(offset % 8 * 8));
  }

  OutputErrors Report(const Shared& set, const Buffers& known,
                      const Counts& counts, std::uint32_t i) {
    const Found& found = counts.found[i];
    OutputErrors finding{.wrong = found.wrong,
                         .unwritten = found.unwritten,
                         .first_wrong = found.first_wrong,
                         .worst_error_ratio = found.worst_error_ratio,
                         .max_absolute_error = found.max_absolute_error,
                         .max_relative_error = found.max_relative_error,
                         .got = 0,
                         .expected = 0,
                         .magnitude = 0,
                         .slack = counts.slack[i],
                         .late = counts.late[i]};
    if (found.wrong == 0) return finding;
    const DeviceTensor& tensor = control_.output[i];
    const std::uint64_t element = tensor.bytes / tensor.elements;
    const auto fetch = [&](std::uint64_t& to, DevicePointer from,
                           std::uint64_t bytes) {
      Must(gpu_.driver().MemcpyDtoH(&to, from, bytes), kJudging);
    };
    const std::uint64_t at = found.first_wrong;
    fetch(finding.got, set.committed[i].at + tensor.offset + at * element,
          element);
    fetch(finding.expected, known.outputs[i] + at * 8, 8);
    fetch(finding.magnitude, known.magnitudes[i] + at * 8, 8);
    return finding;
  }

  const Gpu& gpu_;
  const LaunchTimer& timer_;
  const Control& control_;
  Launches oracle_;
  DevicePointer counts_;
  std::vector<Shared> sets_;
  std::vector<Data> data_;
  std::uint32_t staged_ = 0;  // The set that was staged last.
  std::vector<DevicePointer> scratches_;
};

// The best of a few, as nothing makes a device faster than it is.
Abilities TrustedRunner::Calibrate() const {
  constexpr std::uint64_t kCopyBytes = std::uint64_t{512} << 20;
  constexpr std::uint32_t kRounds = 512;
  Abilities abilities{};
  const auto multiprocessors =
      static_cast<std::uint64_t>(gpu_.Attribute(kMultiprocessors));
  abilities.multiprocessors = multiprocessors;
  abilities.clock_hz =
      static_cast<std::uint64_t>(gpu_.Attribute(kClockRateKhz)) * 1000;
  abilities.l2_bytes =
      static_cast<std::uint64_t>(gpu_.Attribute(kL2CacheBytes));
  const auto attribute = [this](DeviceAttribute which) {
    return static_cast<std::uint64_t>(gpu_.Attribute(which));
  };
  abilities.multiprocessor = {
      attribute(kThreadsPerMultiprocessor), attribute(kBlocksPerMultiprocessor),
      attribute(kRegistersPerMultiprocessor),
      attribute(kSharedPerMultiprocessor), attribute(kReservedSharedPerBlock)};
  int version = 0;
  Must(gpu_.driver().DriverGetVersion(&version), FailureStage::kRun);
  abilities.driver_version = static_cast<std::uint64_t>(version);

  std::size_t memory = 0;
  Must(gpu_.driver().DeviceTotalMem(&memory, gpu_.device()),
       FailureStage::kRun);
  abilities.memory_bytes = memory;

  const DevicePointer from = gpu_.Allocate(kCopyBytes);
  const DevicePointer to = gpu_.Allocate(kCopyBytes);
  gpu_.Fill(from, kCopyBytes, 0x0123456789abcdef);
  const auto best_ps = [&](const auto& work) {
    std::uint64_t best = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {
      const Timed timed =
          timer_.Time(Queue::kHeld, {.queue = work, .after = [] {}});
      best = std::min(best, timed.sample.event_ps);
    }
    return static_cast<double>(std::max<std::uint64_t>(best, 1));
  };
  const double copy_ps = best_ps([&] {
    gpu_.Help(gpu_.helpers().copy, kCopyBytes / 64, from, to, kCopyBytes / 16);
  });
  abilities.copy_bytes_per_s =
      static_cast<std::uint64_t>(2.0 * kCopyBytes / copy_ps * 1e12);
  // 16 blocks of 256 a multiprocessor, 128 operations a thread and round.
  const std::uint64_t threads = multiprocessors * 16 * 256;
  const double fma_ps = best_ps(
      [&] { gpu_.Help(gpu_.helpers().fma, threads, to, 0.5F, kRounds); });
  abilities.fma_flops = static_cast<std::uint64_t>(
      2.0 * static_cast<double>(threads) * 128 * kRounds / fma_ps * 1e12);
  Must(gpu_.driver().MemFree(from), FailureStage::kMemory);
  Must(gpu_.driver().MemFree(to), FailureStage::kMemory);
  return abilities;
}

}  // namespace

std::unique_ptr<RequestHandler> MakeTrustedRunner(const Requests& requests) {
  return std::make_unique<TrustedRunner>(requests);
}

}  // namespace coppice::eval::cuda
