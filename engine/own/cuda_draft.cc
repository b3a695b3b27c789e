#include "engine/own/cuda_draft.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "agents/catalogue/print.h"
#include "engine/own/wide_number.h"
#include "eval/cuda/launch_plan.h"
#include "eval/formats/shapes.h"
#include "store/records/formatted.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::Print;
using agents::catalogue::cuda::SourceLaunch;

constexpr double kWantedBytes = 8 << 20;  // Of inputs and results.

bool IsKernel(const Piece& piece) {
  return piece.kind == PieceKind::kFunction &&
         piece.header.find("__global__") != std::string::npos;
}

bool IsArray(const Argument& argument) {
  return IsRead(argument) || IsWritten(argument);
}

bool IsFloatArray(const Argument& argument) {
  return IsArray(argument) && eval::IsFloat(argument.dtype);
}

// "N" numbers for one launch of 256 threads a block.
std::string Covering(const std::string& kernel, const std::string& count,
                     const std::string& arguments) {
  return "//@ launch " + kernel + "<<<ceil_div(" + count + ", 256), 256>>>(" +
         arguments + ", " + count + ")\n";
}

constexpr const char* kIndex =
    "  const long long i = blockIdx.x * 256ll + threadIdx.x;\n";

// A kernel that copies numbers, into another type perhaps.
std::string CopyKernel(const std::string& name, const std::string& from,
                       const std::string& to) {
  return "\nextern \"C\" __global__ void " + name + "(const " + from +
         "* from, " + to + "* to, long long count) {\n" + kIndex +
         "  if (i < count) to[i] = static_cast<" + to + ">(from[i]);\n}\n";
}

// extern "C" is what a plan finds a kernel by.
std::string KernelText(const Piece& piece) {
  std::string text = piece.text;
  for (const std::string_view word : {"extern \"C\"", "static ", "inline "}) {
    const std::size_t at = text.find(word);
    if (at < text.find('(')) text.erase(at, word.size());
  }
  return "extern \"C\" " + text.substr(text.find_first_not_of(" \n"));
}

// The plan as it is launched: numbers that are inputs go by their name, and
// what `buffer` says of others holds.
std::string PlanText(const CudaSource& source, const Reading& reading,
                     const std::function<std::string(std::string)>& buffer,
                     int shared_times) {
  std::string text;
  for (const SourceLaunch& launch : source.launches) {
    SourceLaunch own = launch;
    own.arguments.clear();
    std::string line = Print(own);
    line = line.substr(0, line.rfind('('));
    if (shared_times > 1 && !launch.more.empty()) {
      const std::string shared = Print(launch.more.front());
      const std::size_t at = line.rfind(", " + shared);
      line.replace(at, shared.size() + 2,
                   ", " + std::to_string(shared_times) + " * (" + shared + ")");
    }
    std::string list;
    for (const auto& expr : launch.arguments) {
      std::string argument = buffer(Print(expr));
      for (const Argument& number : reading.arguments) {
        if (number.part == ArgumentRole::kNumber &&
            argument == "int32(" + number.name + ")") {
          argument = number.name;
        }
      }
      list += (list.empty() ? "" : ", ") + argument;
    }
    text += line + "(" + list + ")\n";
  }
  return text;
}

std::string RootOf(const CudaSource& source, const Reading& reading,
                   const Drafting& drafting) {
  std::string plan;
  std::string copies;
  for (const std::string& line : source.scratch) plan += line + "\n";
  for (const Argument& argument : reading.arguments) {
    if (argument.part != ArgumentRole::kInPlace) continue;
    const std::string kernel = "copy_" + argument.name;
    plan += Covering(kernel, CountOf(reading, argument),
                     InputName(argument) + ", " + argument.name);
    copies += CopyKernel(kernel, argument.c_type, argument.c_type);
  }
  plan += PlanText(
      source, reading, [](std::string name) { return name; }, 1);
  std::string text =
      plan + "// Made of " + drafting.file + " by coppice new.\n";
  for (const Piece& piece : source.pieces) {
    text += (piece.kind == PieceKind::kFunction ? "\n" : "") +
            (IsKernel(piece) ? KernelText(piece) : piece.text) + "\n";
  }
  return text + copies;
}

// What is passed by value stays what it is.
std::string WideKernel(const Piece& piece) {
  std::string text = InWideNumbers(KernelText(piece));
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(") {");
  if (close == text.npos) return text;
  std::string list = text.substr(open, close - open);
  for (const Parameter& parameter : piece.parameters) {
    if (parameter.is_pointer) continue;
    const std::string wide = WideType(parameter.type) + " " + parameter.name;
    const std::size_t at = list.find(wide);
    if (at != list.npos) {
      list.replace(at, wide.size(), parameter.type + " " + parameter.name);
    }
  }
  return text.replace(open, close - open, list);
}

// What a plan calls its type, which is of one word there: "int64_t" for "long
// long".
std::string TypeWord(const Argument& argument) {
  return argument.c_type.find(' ') == std::string::npos
             ? argument.c_type
             : eval::CTypeName(argument.dtype);
}

std::string OwnName(const Argument& argument) { return argument.name + "_own"; }

// Brings results out of such numbers.
constexpr const char* kWideEnds = R"(
extern "C" __global__ void give_(const Real_<24>* from, double* y, double* y_m,
                                 long long count) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < count) Give_(from[i], y + i, y_m + i);
}
)";

// 2^-13 is 2048 units of float32: about 1e-4 of what the results are as a whole
// (their root mean square) and of each.  One block finds that.
constexpr const char* kPlainEnds = R"(
extern "C" __global__ void give_(const double* from, double* y, double* y_m,
                                 long long count) {
  __shared__ double squares[256];
  double sum = 0;
  for (long long i = threadIdx.x; i < count; i += 256) sum += from[i] * from[i];
  squares[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 256; ++k) sum += squares[k];
  const double scale = sqrt(sum / count);
  for (long long i = threadIdx.x; i < count; i += 256) {
    y[i] = from[i];
    y_m[i] = 2048.0 / kFactor * (scale + fabs(from[i]));
  }
}
)";

// Integers are what they are.
std::string GiveInteger(const Argument& argument) {
  const std::string& type = argument.c_type;
  const std::string word = TypeWord(argument);
  return "\nextern \"C\" __global__ void give_" + word + "(const " + type +
         "* from, double* y, double* y_m,\n    long long count) {\n" + kIndex +
         "  if (i < count) y[i] = from[i], y_m[i] = 0;\n}\n" +
         CopyKernel("take_" + word, type, type);
}

class Oracle {
 public:
  Oracle(const CudaSource& source, const Reading& reading,
         const Drafting& drafting, bool is_wide)
      : source_(source),
        reading_(reading),
        drafting_(drafting),
        is_wide_(is_wide) {}

  std::string Text() {
    std::string plan = Scratch();
    for (const Argument& argument : reading_.arguments) {
      if (!IsRead(argument) || !IsOwn(argument)) continue;
      plan +=
          Covering(eval::IsFloat(argument.dtype) ? "take_"
                                                 : "take_" + TypeWord(argument),
                   CountOf(reading_, argument),
                   InputName(argument) + ", " + OwnName(argument));
    }
    plan += PlanText(
        source_, reading_,
        [&](const std::string& name) {
          const auto found =
              std::ranges::find(reading_.arguments, name, &Argument::name);
          const bool is_own =
              found != reading_.arguments.end() && IsOwn(*found);
          return is_own ? OwnName(*found) : name;
        },
        is_wide_ ? 8 : 2);
    return plan + Gives() + Code();
  }

 private:
  // Floats are in numbers of ours; integers that are written, too, since what
  // is given back is a double.
  bool IsOwn(const Argument& argument) const {
    return IsFloatArray(argument) || IsWritten(argument);
  }

  std::string Scratch() const {
    std::string text;
    const std::string times = is_wide_ ? "4 * " : "";
    for (std::string line : source_.scratch) {
      const std::size_t at = line.find("float ");
      const std::size_t open = line.find('[');
      if (at < open) {
        line.insert(open + 1, times + "(");
        line.insert(line.rfind(']'), ")");
        line.replace(at, 5, "double");
      }
      text += line + "\n";
    }
    for (const Argument& argument : reading_.arguments) {
      if (!IsOwn(argument) || !IsArray(argument)) continue;
      const bool is_float = eval::IsFloat(argument.dtype);
      text += "//@ scratch " +
              (is_float ? std::string("double") : TypeWord(argument)) + " " +
              OwnName(argument) + "[" + (is_float ? times : "") + "(" +
              CountOf(reading_, argument) + ")]\n";
    }
    return text;
  }

  std::string Gives() const {
    std::string text;
    for (const Argument& argument : reading_.arguments) {
      if (!IsWritten(argument)) continue;
      const std::string list = OwnName(argument) + ", " + argument.name + ", " +
                               argument.name + "_m";
      const std::string count = CountOf(reading_, argument);
      if (!eval::IsFloat(argument.dtype)) {
        text += Covering("give_" + TypeWord(argument), count, list);
      } else if (is_wide_) {
        text += Covering("give_", count, list);
      } else {
        text += "//@ launch give_<<<1, 256>>>(" + list + ", " + count + ")\n";
      }
    }
    return text;
  }

  std::string Code() const {
    std::string text =
        "// Made of " + drafting_.file + " by coppice new: its kernels " +
        (is_wide_ ? "with numbers that keep\n// their error.\n"
                  : "in double.  How\n// large an error may be is assumed.\n");
    if (is_wide_) text += DeviceNumberText();
    if (!is_wide_) {
      const std::string factor =
          Formatted("constexpr double kFactor = %g;\n", drafting_.tolerance);
      text += factor;
    }
    for (const Piece& piece : source_.pieces) {
      if (is_wide_) {
        text +=
            (IsKernel(piece) ? WideKernel(piece) : InWideNumbers(piece.text)) +
            "\n";
      } else {
        text +=
            InDoubles(IsKernel(piece) ? KernelText(piece) : piece.text, piece) +
            "\n";
      }
    }
    text += CopyKernel("take_", "float", is_wide_ ? "Real_<24>" : "double") +
            (is_wide_ ? kWideEnds : kPlainEnds);
    std::vector<std::string> integers;
    for (const Argument& argument : reading_.arguments) {
      if (!IsWritten(argument) || eval::IsFloat(argument.dtype)) continue;
      const std::string word = TypeWord(argument);
      if (std::ranges::find(integers, word) != integers.end()) continue;
      integers.push_back(word);
      text += GiveInteger(argument);
    }
    return text;
  }

  // "expf" of "expf" and "__expf"; empty: it is no function of floats.
  static std::string_view OfFloats(std::string_view name) {
    if (name.starts_with("__")) name.remove_prefix(2);
    if (!name.ends_with('f')) return "";
    const std::string_view plain = name.substr(0, name.size() - 1);
    // There is no maxf but a file's own.
    const bool is_one =
        plain == "rsqrt" || (IsMathFunction(plain) && plain != "max" &&
                             plain != "min" && plain != "abs");
    return is_one ? name : "";
  }

  // What is passed by value stays what it is.
  static std::string InDoubles(const std::string& text, const Piece& piece) {
    return Replaced(text, [&](const TokenView& token, std::string& other) {
      if (const auto of_floats = OfFloats(token.text); !of_floats.empty()) {
        other = of_floats.substr(0, of_floats.size() - 1);
        return true;
      }
      other = "double";
      const bool is_value =
          std::ranges::any_of(piece.parameters, [&](const Parameter& one) {
            return !one.is_pointer && one.name == token.behind &&
                   (token.before == "(" || token.before == "," ||
                    token.before == "const") &&
                   (token.next == "," || token.next == ")");
          });
      return token.text == "float" && !is_value;
    });
  }

  const CudaSource& source_;
  const Reading& reading_;
  const Drafting& drafting_;
  bool is_wide_;
};

Result<void> CheckTypes(const Reading& reading) {
  for (const Argument& argument : reading.arguments) {
    const DType dtype = argument.dtype;
    const bool is_known = dtype == DType::kFloat32 || dtype == DType::kInt32 ||
                          dtype == DType::kInt64 || dtype == DType::kInt16 ||
                          dtype == DType::kInt8 || dtype == DType::kBool;
    if (is_known) continue;
    return Fail(Errc::kUsage,
                "argument " + argument.name + " is of type " + argument.c_type +
                    "; functions in CUDA have float, bool, and integers with "
                    "a sign");
  }
  return {};
}

// Inputs and results are some megabytes, unless sizes are given.
AxisSizes DeviceSizes(const Reading& reading, const Wishes& wishes,
                      const std::string& name) {
  AxisSizes sizes = FirstSizes(reading, wishes, 1.0);
  for (double scale = 1.0; scale < 1e6; scale *= 1.5) {
    sizes = FirstSizes(reading, wishes, scale);
    const auto workload = WorkloadOf(reading, name, sizes);
    if (!workload || BytesOf(reading, *workload) > kWantedBytes) break;
  }
  return sizes;
}

Result<void> CheckPlan(const Task& task) {
  for (const Workload& workload : task.workloads) {
    for (const auto& [solution, role] :
         {std::pair{&task.root, eval::cuda::PlanSide::kKernel},
          std::pair{&task.oracle, eval::cuda::PlanSide::kOracle}}) {
      const auto plan = eval::cuda::EvaluateLaunchPlan(
          solution->sources.front().content, task.definition, workload, role);
      if (plan.error.empty()) continue;
      return Fail(Errc::kUsage,
                  "its plan, " + plan.error.substr(0, plan.error.find('\n')));
    }
  }
  return {};
}

// "reduce uses atomicAdd", of names that begin so, or are so.
std::string FirstUse(const CudaSource& source,
                     const std::vector<std::string_view>& beginnings,
                     const std::vector<std::string_view>& words) {
  for (const Piece& piece : source.pieces) {
    for (const std::string& name : piece.names) {
      const bool is_meant =
          std::ranges::find(words, name) != words.end() ||
          std::ranges::any_of(beginnings, [&](std::string_view beginning) {
            return name.starts_with(beginning);
          });
      if (!is_meant) continue;
      return (piece.name.empty() ? "the file" : piece.name) + " uses " + name;
    }
  }
  return "";
}

}  // namespace

std::string WhyNotWide(const CudaSource& source) {
  return FirstUse(source, {"atomic", "__shfl"},
                  {"double", "__expf", "__logf", "__sinf", "__cosf", "__powf",
                   "__fdividef", "__ldg"});
}

Result<CudaDraft> DraftCuda(const CudaSource& source, const Reading& reading,
                            const Wishes& wishes, const Drafting& drafting) {
  TRY_DONE(CheckTypes(reading));
  CudaDraft draft;
  TRY_ASSIGN(draft.task.definition, DraftDefinition(reading, drafting));
  draft.task.tolerance.factor = drafting.tolerance;
  const std::string narrow = FirstUse(
      source, {"float2", "float4", "half", "__half", "__nv_", "wmma", "memcpy"},
      {"asm", "reinterpret_cast", "__cvta_generic_to_shared"});
  if (!narrow.empty()) {
    return Fail(Errc::kUsage,
                narrow +
                    ", which cannot be computed in a wider type; such a "
                    "task is written as a folder "
                    "(docs/your_own_kernel.md)");
  }
  const std::string why = WhyNotWide(source);
  if (!why.empty()) {
    draft.notes.push_back(
        "assumed: errors of up to 2^-13 of each result and of their root mean "
        "square; " +
        why + ", which has no error that is known");
  }
  draft.task.root = DraftSolution(drafting, "baseline", "root", "run",
                                  RootOf(source, reading, drafting));
  draft.task.oracle =
      DraftSolution(drafting, "oracle", "oracle", "oracle",
                    Oracle(source, reading, drafting, why.empty()).Text());
  for (Solution* solution : {&draft.task.root, &draft.task.oracle}) {
    solution->language = Language::kCuda;
    solution->target_hardware = {"cuda"};
    solution->entry_file.replace(solution->entry_file.rfind(".cc"), 3, ".cu");
    solution->sources.front().path = solution->entry_file;
    solution->dependencies = {"coppice-launch-plan"};
  }
  const AxisSizes sizes = DeviceSizes(reading, wishes, drafting.name);
  TRY_ASSIGN(draft.task.workloads,
             ThreeWorkloads(reading, wishes, drafting.name, sizes));
  TRY_DONE(CheckPlan(draft.task));
  return draft;
}

}  // namespace coppice::engine::own
