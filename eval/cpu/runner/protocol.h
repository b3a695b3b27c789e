// What the evaluator (parent) and coppice-runner (child) say to each other:
// fixed-size binary words over a SOCK_SEQPACKET pair, and shared memory.
//
// The child is hostile once it has loaded the candidate.  It is told where its
// arguments lie and when to call; it never sees seeds, expected values, times
// or verdicts, and nothing that it says is believed beyond "call k returned".
#pragma once

#include <array>
#include <cstdint>

namespace coppice::eval {

// Descriptors of the runner, in the order in which the parent passes them.
inline constexpr int kSocketFd = 3;
inline constexpr int kControlFd = 4;  // struct CpuControl, read-only.
inline constexpr int kInputFd = 5;    // Slots of inputs, read-only.
inline constexpr int kOutputFd = 6;   // Slots of outputs.
inline constexpr int kNotesFd = 7;    // struct Notes.

// The object's path in the sandbox.  The file is empty until kLoad: the runner
// starts before there is an object.
inline constexpr char kObjectPath[] = "/kernel.so";

// Counts up with every change to this file, so that a runner left over from
// another build is recognised.
inline constexpr std::uint32_t kProtocolVersion = 5;

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint32_t kMaxArguments = 128;
inline constexpr std::uint32_t kMaxSamples = 1024;

enum class CpuArgumentKind : std::uint32_t {
  kInputTensor,   // value: byte offset in the input slot.
  kOutputTensor,  // value: byte offset in the output slot.
  kInputScalar,   // value: byte offset of its 8-byte cell in the input slot.
  kAxis,          // value: the axis.  Always int64_t.
};

enum class ElementType : std::uint32_t {
  kFloat32,
  kFloat64,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kBool,
  kUInt8,
  kUInt16,
  kUInt32,
};

struct CpuArgument {
  CpuArgumentKind kind;
  ElementType type;
  std::uint64_t value;
};

// Whole pages of one tensor within its slot; the page before and the page
// after are guards.
struct PageSpan {
  std::uint64_t offset;
  std::uint64_t bytes;
};

// One of the two slot memories: a guard page, then `slots` times `stride`.
struct SlotMemory {
  std::uint64_t stride;
  std::uint64_t file_bytes;
  std::uint32_t tensors;
  std::uint32_t reserved;
  std::array<PageSpan, kMaxArguments> pages;  // [tensors]
};

struct CpuControl {
  std::uint32_t version;        // kProtocolVersion.  Stays the first member.
  std::array<char, 256> entry;  // To call, zero-terminated; set before kLoad.
  std::uint32_t slots;
  std::uint32_t cpus;          // The candidate may use so many.
  std::uint64_t memory_bytes;  // Address space beside the slots; 0: any.
  std::uint64_t cpu_limit_s;   // Processor seconds; 0: none.
  SlotMemory inputs;
  SlotMemory outputs;
  std::uint32_t argument_count;
  // Between samples of where its first thread is while it is called, taken by
  // a timer that runs from before it is confined; 0: there is none.
  std::uint32_t sample_us;
  std::array<CpuArgument, kMaxArguments> arguments;  // [argument_count]
};

// Left by the runner's signal handlers for the log, and for advice.  The
// candidate can forge it, so it explains a death and never decides one.
struct Notes {
  std::uint64_t inputs_base;  // Where the child mapped its slots.
  std::uint64_t outputs_base;
  std::uint64_t fault_address;
  std::int32_t fault_signal;  // SIGSEGV, SIGBUS, SIGSYS or 0.
  std::int32_t system_call;   // Refused one, with SIGSYS.
  std::array<char, 512> message;
  std::uint64_t object_base;  // Where the object was loaded.
  std::uint64_t sample_count;
  std::array<std::uint64_t, kMaxSamples> samples;  // Addresses of code.
};

enum class CpuRequestKind : std::uint32_t {
  kHello,  // Whether it is there: asked once, of one that may have stood by.
  kLoad,   // Load the object.  Answered by kLoaded or kLoadFailed.
  kArm,    // Make the slots resident and stand by.
  kGo,     // Call the entry once per slot, in order.
};

struct CpuRequest {
  CpuRequestKind kind;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t reserved;
  std::uint64_t sequence;  // Echoed.
};

enum class CpuReplyKind : std::uint32_t {
  kHello,       // Confined, and waiting for kLoad.
  kLoaded,      // Its constructors have run.
  kLoadFailed,  // Notes::message says why.
  kArmed,
  kDone,
};

struct CpuReply {
  CpuReplyKind kind;
  std::uint32_t reserved;
  std::uint64_t sequence;
};

}  // namespace coppice::eval
