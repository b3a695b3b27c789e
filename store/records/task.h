// A task: what to optimise, how to judge it, and the source to start from.
//
// The nouns are those of FlashInfer-Bench (Definition, Workload, Solution), so
// that its trace sets are our native format; eval/ reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace coppice {

// DO NOT RENUMBER: stored.
enum class DType : std::uint8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kBFloat16 = 2,
  kFloat8E4M3FN = 3,
  kFloat8E5M2 = 4,
  kFloat4E2M1 = 5,
  kInt64 = 6,
  kInt32 = 7,
  kInt16 = 8,
  kInt8 = 9,
  kBool = 10,
  // Only kernels in C++ have these.
  kFloat64 = 11,
  kUInt8 = 12,
  kUInt16 = 13,
  kUInt32 = 14,
};

struct Axis {
  std::string name;
  std::optional<std::int64_t> constant;  // Absent: varies by workload.
  std::optional<std::string> description;
};

struct TensorSpec {
  std::string name;
  std::optional<std::vector<std::string>> shape;  // Axis names; none: scalar.
  DType dtype = DType::kFloat32;
  std::optional<std::string> description;
};

struct Definition {
  std::string name;
  std::string op_type;
  std::vector<Axis> axes;  // Order significant, as is that of the tensors:
  std::vector<TensorSpec> inputs;  // it is the order of the arguments.
  std::vector<TensorSpec> outputs;
  std::string reference;          // Python with a top-level `run`.
  std::vector<std::string> tags;  // "ns:value", e.g. "level:1".
  std::vector<std::string> constraints;
  std::optional<std::string> description;
  // The function of `reference` that makes inputs which are CustomInput: from
  // the sizes of all axes and the scalars by name, and a device.
  std::optional<std::string> custom_inputs_entrypoint;
};

// How a random tensor is drawn: as its type alone says, or as its part in the
// computation asks for.
enum class Draw : std::uint8_t {
  kPlain,
  kOnes,
  kZeros,
  kCausalMask,
  kBits,
  kCosine,
  kSine,
  kPositive,
  kDecay,
  kLogDecay,
  kDecaySums,
  kGate,
  kSoftmax,
  kWeight,
};

struct RandomInput {
  Draw draw = Draw::kPlain;
};
struct ScalarInput {
  std::variant<std::int64_t, double, bool> value;
};
struct SafetensorsInput {
  std::string path;
  std::string tensor_key;
};
struct CustomInput {};
using InputSpec =
    std::variant<RandomInput, ScalarInput, SafetensorsInput, CustomInput>;

struct Workload {
  std::string uuid;
  std::vector<std::pair<std::string, std::int64_t>> axes;  // The varying ones.
  std::vector<std::pair<std::string, InputSpec>> inputs;
};

enum class Language : std::uint8_t {  // DO NOT RENUMBER: stored.
  kCpp = 0,
  kCuda = 1,
  kPython = 2,
  kTriton = 3,
  kTilelang = 4,
  kSim = 5,  // A point of a landscape (search/landscape.h), not a program.
};

struct SourceFile {
  std::string path;
  std::string content;
};

// These come beside those that torch compiles every extension with.
struct CompileOptions {
  std::vector<std::string> cflags;
  std::vector<std::string> cuda_cflags;
  std::vector<std::string> ld_flags;
};

struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  std::optional<std::string> description;
  Language language = Language::kCpp;
  std::vector<std::string> target_hardware;
  std::string entry_file;  // One of `sources`.
  std::string entry_symbol;
  std::vector<std::string> dependencies;
  std::optional<bool> destination_passing_style;
  std::optional<std::string> binding;
  CompileOptions compile_options;
  std::vector<SourceFile> sources;
};

// |y - r| <= factor * u * m  for each output element, where u is the unit
// roundoff of the output's dtype (2^-24 for float32, 2^-11 for float16, 2^-8
// for bfloat16) and m the magnitude that the oracle gives beside
// each expected value (its header comment derives m).  Integer outputs have
// m = 0: they must be equal.
struct Tolerance {
  double factor = 8.0;
};

// Whose task it is, which says what its reference and candidates are: native,
// C++ or CUDA C++ after an oracle; or Python, whose definition's reference is
// the problem's file itself.
enum class TaskFormat : std::uint8_t {
  kNative,
  kKernelBench,
  kFlashInferBench,
  kGpuMode
};

// How it is judged: by rules of our own, or exactly as the benchmark that it
// comes from does, so that results can be compared with others' (its public
// seeds, its tolerance, its way to time).
enum class Protocol : std::uint8_t { kCoppice, kBenchmark };

// What may do the work of a candidate in Python: anything that torch has, only
// steps that are no operation of a vendor's library, or kernels of its own.
enum class Delegation : std::uint8_t { kAny, kNoVendorOp, kOwnKernels };

// FlashInfer-Bench's settings of its own protocol, with its defaults.
struct EvalConfig {
  std::int64_t warmup_runs = 10;
  std::int64_t iterations = 50;  // Timed calls of a trial.
  std::int64_t num_trials = 3;
  double rtol = 1e-2;
  double atol = 1e-2;
  // None: as its evaluator of the definition has it.
  std::optional<double> required_matched_ratio{};
  bool operator==(const EvalConfig&) const = default;
};

struct Task {
  TaskFormat format = TaskFormat::kNative;
  Protocol protocol = Protocol::kCoppice;
  Delegation delegation = Delegation::kAny;
  Definition definition;
  std::vector<Workload> workloads;
  Solution root;  // The naive source that every speedup is measured against.
  // Trusted, in double precision.  Empty sources for sim and Python.
  Solution oracle;
  // Trusted, what an expert would call; may depend on libraries.
  std::optional<Solution> expert;
  Tolerance tolerance;
  EvalConfig eval_config;  // Of TaskFormat::kFlashInferBench by kBenchmark.
};

// The value of the first tag "key:value", e.g. TagValue(d, "level") == "1".
std::optional<std::string> TagValue(const Definition& definition,
                                    const std::string& key);

// Why no sizes beside its workloads' can be made up for it, as "input x is
// stored"; none: they can.
std::optional<std::string> WhyShapesAreFixed(const Task& task);

}  // namespace coppice
