// What the evaluator (parent) and worker.py (child) say to each other: words of
// a fixed size over a SOCK_SEQPACKET pair, and shared memory.
//
// Layouts are worker.py's, too, which names them as struct formats.  What a
// request is about is JSON in the control memory, which only the parent writes.
// A reply says no more than that the request is done; what it left in the notes
// explains, and says where results are to be read, and decides nothing.  Before
// it, the child may ask: to have something compiled, or, a trusted side, for a
// kernel worker's descriptor.  The answer is a request again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace coppice::eval::torch {

// Descriptors of the child: its socket is 3, then
//   4  control   u32 bytes, then JSON; at its end whether to go on; read-only
//   5  notes     struct NotesHeader, its tensors, a text; then places on a
//                device, which a trusted side reads (device_calls.py)
//   6  filter    a BPF program of system calls, or nothing

enum class WorkerRequestKind : std::uint32_t {
  kConfine = 0,
  kLoad = 1,
  kConstruct = 2,  // A problem's: of the case `argument`.
  kMap = 3,        // With a descriptor: where inputs are.
  kAdopt = 4,      // With a descriptor: the reference's parameters.
  kLend = 5,       // With a descriptor: where results may be copied to.
  kCall = 6,       // On a device several: `argument`; copies results if `slot`.
  kNothing = 7,    // What a call is without the candidate's part; on a device,
                   // after `slot` launches of an empty kernel.
  kAudit = 8,      // A call, of which the operations of torch's are told.
  kAnswer = 9,     // With descriptors: what was asked for.
  kEquip = 10,     // Before code is known: what compilers load for themselves.
  kProfile = 11,   // A call, of which is told what each operator took.
  kRehearse = 12,  // A call for a tool to look at; `argument`: Rehearsed.
  kPart = 13,      // Lets go of what kMap, kAdopt and kLend have shown it.
  kRestore = 14,   // The parameters that it had before kAdopt.
  // Requests to a problem's worker.
  kDescribe = 16,
  kDraw = 17,
  kState = 18,
  kCheck = 19,
  kTrialSeeds = 20,
  kKeep = 21,  // For a trusted side: `argument` sides.
  kStage = 22,
  kTake = 23,  // When it is told to: a byte of the control memory.
  kJudge = 24,
  kRepeat = 25,
  kSpoil = 26,
  kVariants = 27,
  kGround = 28,
  kHand = 29,   // Draws for a host, wherever inputs are drawn.
  kWatch = 30,  // With a descriptor: a kernel worker's notes, of side `slot`.
  kCrowding = 31,  // By work of `argument` microseconds.
};

// Which part of a rehearsal a tool looks at.
enum class Rehearsed : std::uint64_t {
  kAll = 0,
  kLastCall = 1,  // The last of two, between marks for a profiler.
};

struct WorkerRequest {
  WorkerRequestKind kind = WorkerRequestKind::kNothing;
  std::uint32_t slot = 0;
  std::uint64_t sequence = 0;  // Echoed.
  std::uint64_t seed = 0;      // Of torch's generator.
  std::uint64_t argument = 0;
};

enum class WorkerReplyKind : std::uint32_t {
  kHello,
  kDone,
  kFailed,
  kRefused,
  kAsks
};

struct WorkerReply {
  WorkerReplyKind kind;
  std::uint32_t reserved;
  std::uint64_t sequence;
  double device_s;  // Between events around a call on a device.
};

inline constexpr std::uint32_t kMostDimensions = 8;
inline constexpr std::uint32_t kScalarRank = 0xFFFFFFFF;

// A contiguous tensor in the child's memory, or a number.
struct TensorEntry {
  std::uint64_t address;  // A number's eight bytes.
  std::uint64_t bytes;
  std::uint32_t dtype;  // DType, or above: then there are no bytes.
  std::uint32_t rank;   // kScalarRank: a number.
  std::array<std::int64_t, kMostDimensions> sizes;
};

struct NotesHeader {
  std::uint32_t text_bytes;
  std::uint32_t tensors;
};

inline constexpr std::size_t kTableAt = 64;
inline constexpr std::size_t kMostTensors = 8192;
inline constexpr std::size_t kTextAt =
    kTableAt + kMostTensors * sizeof(TensorEntry);
inline constexpr std::size_t kTextLimit = 8 << 20;
inline constexpr std::size_t kPlaceBytes = 32;
inline constexpr std::size_t kNotesBytes =
    kTextAt + kTextLimit + kMostTensors * kPlaceBytes;
inline constexpr std::size_t kControlBytes = 64 << 20;
inline constexpr std::size_t kNowAt = kControlBytes - 1;

static_assert(sizeof(WorkerRequest) == 32 && sizeof(WorkerReply) == 24 &&
              sizeof(TensorEntry) == 88);

}  // namespace coppice::eval::torch
