// What the evaluator (parent) and coppice-cuda-runner (child) say to each
// other: fixed-size words over a SOCK_SEQPACKET pair, with descriptors beside.
//
// A runner plays one of two parts.  The *trusted runner* is trusted: it owns
// all device memory that is shared, makes the inputs, runs the oracle, judges
// the outputs. A *kernel process* runs a candidate (or the root): it maps the
// trusted runner's inputs read-only and its outputs for writing, and is told
// only when to run. Tensors never leave the device; expected values never leave
// the trusted runner's context.
//
// A kernel process with a shared object is hostile; nothing that it says is
// believed beyond "call k returned", and its times only as far as the parent's
// clock bears them out.
#pragma once

#include <array>
#include <cstdint>

namespace coppice::eval::cuda {

inline constexpr int kSocketFd = 3;   // Of the runner.
inline constexpr int kHelpersFd = 4;  // The cubin of device/helpers.cu.

inline constexpr std::uint32_t kProtocolVersion = 4;
inline constexpr std::uint32_t kMaxTensors = 24;  // Inputs; outputs; scratch.
inline constexpr std::uint32_t kMaxLaunches = 64;
inline constexpr std::uint32_t kMaxArguments = 512;  // Of all launches.
inline constexpr std::uint32_t kMaxSets = 64;
inline constexpr std::uint32_t kMaxShared = 240;  // Tensors of all sets.

// A tensor within the device pages that hold it: the next pages on both sides
// are not mapped, and what it leaves of its own is poisoned slack.
struct DeviceTensor {
  std::uint64_t bytes;
  std::uint64_t offset;  // Within its pages; a multiple of 256.
  std::uint64_t pages_bytes;
  std::uint64_t elements;
  std::uint32_t dtype;   // Number of a DType.
  std::uint32_t scalar;  // 1: by value, from Control::cells; no pages.
};

enum class ArgumentKind : std::uint32_t {
  kInput,      // value: its number.  A scalar is passed by value.
  kOutput,     // An oracle's is the array of expected doubles.
  kMagnitude,  // Of output `value`; oracles only.
  kScratch,
  kInt64,  // value itself.
  kInt32,
  kStream,  // Shared objects only.
};

struct LaunchArgument {
  ArgumentKind kind;
  std::uint32_t reserved;
  std::int64_t value;
};

struct Launch {
  std::array<char, 128> kernel;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::array<std::uint32_t, 3> cluster;  // Zeros: none.
  std::uint32_t shared_bytes;
  std::uint32_t first_argument;  // In Control::arguments.
  std::uint32_t arguments;
};

enum class Part : std::uint32_t { kDeviceCode, kSharedObject, kKeeper };

// Read-only for the child; the parent writes cells and patterns between calls.
struct Control {
  std::uint32_t version;
  Part part;
  std::uint32_t inputs;
  std::uint32_t outputs;
  std::uint32_t scratches;
  std::uint32_t launches;
  std::uint32_t sets;       // Of shared memory.
  std::uint32_t data_sets;  // A trusted runner's.
  std::array<DeviceTensor, kMaxTensors> input;
  std::array<DeviceTensor, kMaxTensors> output;
  std::array<std::uint64_t, kMaxTensors> scratch_bytes;
  std::array<std::uint64_t, kMaxTensors> cells;     // Scalar inputs.
  std::array<std::uint64_t, kMaxTensors> patterns;  // Outputs' poison.
  std::uint64_t scratch_pattern;
  // Where an output's magnitude m is not 0, its error may be scale m + floor.
  std::array<double, kMaxTensors> scale;
  std::array<double, kMaxTensors> floor;
  std::array<Launch, kMaxLaunches> launch;
  std::array<LaunchArgument, kMaxArguments> argument;
  // A shared object's function, called with all of [0, entry_arguments).
  std::array<char, 256> entry;
  std::uint32_t entry_arguments;
  std::uint32_t reserved;
};

enum class RequestKind : std::uint32_t {
  kHello,  // Whether it is there: asked once, of one that may have stood by.
  // Takes a part in one more workload.  With descriptors: Control, the code,
  // and for a kernel process per set the tensors of its inputs, outputs and
  // committed outputs (scalars left out).  A trusted runner's answer carries
  // those instead, in that order.
  kOpen,
  kGo,        // Kernel process: one call on a set.
  kGenerate,  // Trusted runner: random inputs for a data set from `seed`.
  kUpload,    // Trusted runner: input `set` of a data set from the descriptor's
              // file.
  kReveal,    // Trusted runner: the oracle on a data set.
  kStage,     // Trusted runner: a data set into a set, and poison into its
              // outputs.
  kJudge,  // Trusted runner: what lies committed in a set against a data set.
  kCalibrate,  // Trusted runner: what this device can do.
  kWake,       // Kernel process: the next request comes soon; be awake for it.
  kGoAll,      // Kernel process: one call on each of the first `set` sets.
  kStageAll,   // Trusted runner: data set i into set i, and poison into all
               // outputs.
  kCommitAll,  // Trusted runner: all outputs, as they are now, are those
               // committed.
};

// Flags of kGo.
inline constexpr std::uint32_t kHold = 1;       // Queue all before any runs.
inline constexpr std::uint32_t kInventory = 2;  // Tell its kernels apart.

struct RunnerRequest {
  RequestKind kind;
  std::uint32_t workload;  // Number of the kOpen that it refers to.
  std::uint32_t set;
  std::uint32_t data;
  std::uint32_t flags;
  std::uint32_t reserved;
  std::uint64_t seed;
  std::uint64_t sequence;  // Echoed.
};

enum class ReplyKind : std::uint32_t {
  kHello,  // Context made, confined, and waiting.
  kDone,
  kFailed,  // The driver refused: `status`.  The runner ends.
  kRefused  // The code cannot be used: `text` says why.  The runner ends.
};

// The stage in which a failure showed.
enum class FailureStage : std::uint32_t {
  kStart,
  kLoad,
  kLaunch,
  kRun,
  kMemory
};

// Flags of an answer to kGo.
inline constexpr std::uint32_t kHeldTooLong = 1;  // The hold let go by itself.

struct Sample {
  std::uint64_t event_ps;  // Between the two events around the launches.
  std::uint64_t after_ps;  // From the second until one more stamp had run.
  std::uint64_t whole_ps;  // Of both by the host's clock; of device code only.
  std::array<std::uint64_t, 2> begin;  // Nanoseconds, cycles of one
  std::array<std::uint64_t, 2> end;    // multiprocessor, before and after.
};

// Doubles as their bits.  One output of one call.
struct OutputErrors {
  std::uint64_t wrong;
  std::uint64_t unwritten;
  std::uint64_t first_wrong;
  std::uint64_t worst_error_ratio;
  std::uint64_t max_absolute_error;
  std::uint64_t max_relative_error;
  std::uint64_t got;  // Of the first wrong element.
  std::uint64_t expected;
  std::uint64_t magnitude;
  std::uint64_t slack;  // Bytes beside the tensor that changed.
  std::uint64_t late;   // Words that changed after the call.
};

struct CallErrors {
  std::uint64_t changed_inputs;  // Words.
  std::array<OutputErrors, kMaxTensors> output;
};

// What one holds at a time.
struct Multiprocessor {
  std::uint64_t threads;
  std::uint64_t blocks;
  std::uint64_t registers;
  std::uint64_t shared_bytes;
  std::uint64_t reserved_shared_bytes;  // Of a block's, beside its own.
};

struct Abilities {
  std::uint64_t clock_hz;  // Default clock of the multiprocessors.
  std::uint64_t multiprocessors;
  std::uint64_t l2_bytes;
  std::uint64_t driver_version;
  std::uint64_t copy_bytes_per_s;  // Read and written.
  std::uint64_t fma_flops;         // float32, a multiply-add counts as 2.
  std::uint64_t memory_bytes;
  Multiprocessor multiprocessor;
};

// Who told the kernels of a call apart: CUPTI, or events between launches of
// ours.
enum class Tracer : std::uint32_t { kNone, kCupti, kEvents };

// All launches of one kernel.  Of events only name, calls and time are known.
struct KernelTime {
  std::array<char, 96> name;  // Cut.
  std::uint64_t calls;
  std::uint64_t total_ns;
  std::uint32_t registers;  // Per thread.
  std::uint32_t static_shared_bytes;
  std::uint32_t dynamic_shared_bytes;  // The most of its launches.
  std::uint32_t local_bytes;           // Per thread.
  std::uint32_t block_threads;         // The most of its launches.
  std::uint32_t reserved;
};

// Kernels in the order of their first launch.
struct KernelInventory {
  Tracer tracer;
  std::int32_t status;  // Of CUPTI, where it does not work; 0 otherwise.
  std::uint32_t kernels;
  std::uint32_t more;  // Launches of kernels that found no place.
  std::array<KernelTime, 16> kernel;
};

struct RunnerReply {
  ReplyKind kind;
  std::int32_t status;  // A CUresult.
  FailureStage stage;
  std::uint32_t flags;
  std::uint64_t sequence;
  Sample sample;
  union {
    CallErrors judgement;
    Abilities abilities;
    KernelInventory inventory;
    std::array<char, 512> text;
  };
};

}  // namespace coppice::eval::cuda
