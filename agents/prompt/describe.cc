#include "agents/prompt/describe.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_limits.h"
#include "store/records/formatted.h"
#include "store/records/profile.h"
#include "store/records/speedup_text.h"
#include "store/records/start_values.h"
#include "store/records/utf8.h"

namespace coppice::agents {
namespace {

std::string Number(double value) { return Formatted("%.4g", value); }

// As finely as a roof is known: two digits.
double Roughly(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
  return std::round(value / unit) * unit;
}

std::optional<std::string_view> CppType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float";
    case DType::kInt64:
      return "int64_t";
    case DType::kInt32:
      return "int32_t";
    case DType::kInt16:
      return "int16_t";
    case DType::kInt8:
      return "int8_t";
    case DType::kBool:
      return "bool";
    case DType::kFloat64:
      return "double";
    case DType::kUInt8:
      return "uint8_t";
    case DType::kUInt16:
      return "uint16_t";
    case DType::kUInt32:
      return "uint32_t";
    default:
      return std::nullopt;
  }
}

std::string Item(const std::string& text,
                 const std::optional<std::string>& description) {
  return "- " + text + (description ? ": " + *description : "") + "\n";
}

std::string OrNone(std::string list) {
  return list.empty() ? "- none\n" : std::move(list);
}

std::string Words(const InputSpec& input) {
  if (std::holds_alternative<RandomInput>(input)) return "random";
  if (const auto* scalar = std::get_if<ScalarInput>(&input)) {
    if (const auto* integer = std::get_if<std::int64_t>(&scalar->value)) {
      return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&scalar->value)) {
      return Number(*real);
    }
    return std::get<bool>(scalar->value) ? "true" : "false";
  }
  if (std::holds_alternative<CustomInput>(input)) {
    return "made by a function of the reference";
  }
  return "given data";
}

std::string Log(const std::string& log, std::size_t log_bytes) {
  if (log.find_first_not_of(" \t\r\n") == std::string::npos) return "";
  return "\n\n" + CodeBlock(CutMiddle(log, log_bytes), "text");
}

// "28.2 GB/s".
std::string RateText(double rate, const std::string& unit) {
  constexpr std::pair<double, const char*> kPrefixes[] = {
      {1e12, " T"}, {1e9, " G"}, {1e6, " M"}};
  for (const auto& [factor, prefix] : kPrefixes) {
    if (rate >= factor) {
      return Formatted("%.3g", rate / factor) + (prefix + unit);
    }
  }
  return Number(rate) + " " + unit;
}

}  // namespace

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kFloat16:
      return "float16";
    case DType::kBFloat16:
      return "bfloat16";
    case DType::kFloat8E4M3FN:
      return "float8_e4m3fn";
    case DType::kFloat8E5M2:
      return "float8_e5m2";
    case DType::kFloat4E2M1:
      return "float4_e2m1";
    case DType::kInt64:
      return "int64";
    case DType::kInt32:
      return "int32";
    case DType::kInt16:
      return "int16";
    case DType::kInt8:
      return "int8";
    case DType::kBool:
      return "bool";
    case DType::kFloat64:
      return "float64";
    case DType::kUInt8:
      return "uint8";
    case DType::kUInt16:
      return "uint16";
    case DType::kUInt32:
      return "uint32";
  }
  return "unknown";
}

std::string_view LanguageName(Language language) {
  switch (language) {
    case Language::kCpp:
      return "C++";
    case Language::kCuda:
      return "CUDA C++";
    case Language::kPython:
      return "Python";
    case Language::kTriton:
      return "Python with Triton";
    case Language::kTilelang:
      return "Python with TileLang";
    case Language::kSim:
      return "the notation of a simulated landscape";
  }
  return "unknown";
}

std::string DescribeTensors(const std::vector<TensorSpec>& tensors) {
  std::string list;
  for (const TensorSpec& tensor : tensors) {
    std::string text =
        "`" + tensor.name + "` " + std::string(DTypeName(tensor.dtype));
    if (tensor.shape) {
      std::string shape;
      for (const std::string& axis : *tensor.shape) {
        shape += (shape.empty() ? "" : ", ") + axis;
      }
      text += "[" + shape + "]";
    } else {
      text += " scalar";
    }
    list += Item(text, tensor.description);
  }
  return OrNone(std::move(list));
}

std::string_view UnitRoundoff(const std::vector<TensorSpec>& outputs) {
  for (const TensorSpec& output : outputs) {
    switch (output.dtype) {
      case DType::kFloat32:
        return "2^-24";
      case DType::kFloat16:
        return "2^-11";
      case DType::kBFloat16:
        return "2^-8";
      case DType::kFloat64:
        return "2^-53";
      default:
        break;
    }
  }
  return "2^-24";
}

std::string DescribeAxes(const std::vector<Axis>& axes) {
  std::string list;
  for (const Axis& axis : axes) {
    list += Item(
        "`" + axis.name + "` " +
            (axis.constant ? "= " + std::to_string(*axis.constant) : "varies"),
        axis.description);
  }
  return OrNone(std::move(list));
}

std::string DescribeWorkloads(const std::vector<Workload>& workloads) {
  std::string list;
  for (const Workload& workload : workloads) {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
      text += (text.empty() ? "" : ", ") + name + " = " + value;
    };
    for (const auto& [axis, size] : workload.axes) {
      add(axis, std::to_string(size));
    }
    for (const auto& [name, input] : workload.inputs) {
      if (!std::holds_alternative<RandomInput>(input)) add(name, Words(input));
    }
    list += "- " + (text.empty() ? "the constant axes" : text) + "\n";
  }
  return OrNone(std::move(list));
}

std::string CppSignature(const Definition& definition,
                         std::string_view entry_symbol) {
  std::string parameters;
  bool known = true;
  const auto add = [&](const TensorSpec& tensor, std::string_view before) {
    const std::optional<std::string_view> type = CppType(tensor.dtype);
    known = known && type;
    if (!parameters.empty()) parameters += ", ";
    const bool pointer = tensor.shape || before.empty();
    if (pointer) parameters += before;
    parameters += type.value_or("");
    parameters += pointer ? "* " : " ";
    parameters += tensor.name;
  };
  for (const TensorSpec& input : definition.inputs) add(input, "const ");
  for (const TensorSpec& output : definition.outputs) add(output, "");
  if (!known) {
    return "`" + std::string(entry_symbol) +
           "` with the signature that it has in the source below";
  }
  for (const Axis& axis : definition.axes) {
    if (axis.constant) continue;
    parameters += (parameters.empty() ? "int64_t " : ", int64_t ") + axis.name;
  }
  return "extern \"C\" void " + std::string(entry_symbol) + "(" + parameters +
         ")";
}

std::string DescribeStarts(const Definition& definition) {
  const auto starts = StartValues(definition);
  std::string text;
  if (!starts) return text;  // No bench is made of such a task.
  for (const auto& [output, input] : *starts) {
    text += (text.empty() ? ", but `" : " and `") + output + "` holds `" +
            definition.inputs.at(input).name + "`";
  }
  return text;
}

// What the tensor cores of a device take, by facts such as "compute capability
// 9.0" (CUDA C++ Programming Guide, warp matrix functions, and PTX's mma and
// wgmma).  Empty: it has none.
std::string TensorCoreTypes(std::string_view facts) {
  constexpr std::string_view kCapability = "compute capability ";
  const std::size_t at = facts.find(kCapability);
  if (at == facts.npos) return "";
  const std::string version(facts.substr(at + kCapability.size(), 8));
  int major = 0;
  int minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) return "";
  const int capability = 10 * major + minor;
  if (capability < 70) return "";
  std::string types = "float16";
  if (capability >= 75) types += ", int8";
  if (capability >= 80) types += ", bfloat16, tf32, float64";
  if (capability >= 89) types += ", float8";
  if (capability >= 100) types += ", float4";
  return types;
}

std::string DescribeMachine(const PromptContext& context) {
  std::string text = context.hardware;
  if (!context.hardware_facts.empty()) {
    text += ": " + context.hardware_facts;
  }
  text += ".";
  const std::string types = TensorCoreTypes(context.hardware_facts);
  if (!types.empty()) text += " Its tensor cores take " + types + ".";
  std::string roofs;
  if (context.roof_bytes_per_s > 0) {
    roofs = RateText(context.roof_bytes_per_s, "B/s") + " of memory";
  }
  if (context.roof_flops_per_s > 0) {
    roofs += (roofs.empty() ? "" : ", ") +
             RateText(context.roof_flops_per_s, "flop/s") + " in float32";
  }
  return roofs.empty() ? text : text + " Measured at most: " + roofs + ".";
}

// What was made of it, a block after a space.
std::string DescribeCode(const Sighting& sighting) {
  std::string text =
      CutMiddle(PartsOf(sighting.profile).code, PromptLimits{}.code);
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "" : " " + text;
}

std::string DescribeCompilation(const Sighting& sighting,
                                std::size_t log_bytes) {
  switch (sighting.verdict) {
    case Verdict::kCompileFailed:
      return "it does not compile." + Log(sighting.log, log_bytes);
    case Verdict::kNoCandidate:
      return "nothing to compile.";
    case Verdict::kPassed:
      return "it compiles." + DescribeCode(sighting);
    case Verdict::kCrashed:
    case Verdict::kWrongOutput:
      return "it compiles.";
    case Verdict::kTimedOut:
    case Verdict::kRejected:
    case Verdict::kInconclusive:
      return "see the execution result.";
  }
  return "unknown.";
}

// What it gained is not gained twice.
std::string Repetition(const Sighting& sighting) {
  if (!sighting.same_as) return "";
  return " It has the same tokens as attempt " +
         std::to_string(Index(*sighting.same_as)) +
         ", so it was not judged again: propose something else.";
}

std::string TellSpeedup(const Speedup& speedup) {
  std::string text = SpeedupText(speedup);
  if (speedup.Sign() != 0) return text;
  const std::string none(kNoDifference);
  if (!speedup.interval) return none + " (too few rounds)";
  const std::size_t interval = text.find(" (");
  return none + (interval == std::string::npos ? "" : text.substr(interval));
}

// After "correct, ".
std::string DescribeSpeedup(const Speedup& speedup) {
  const std::string of = " the source to speed up";
  return speedup.Sign() == 0
             ? TellSpeedup(speedup) + " from" + of
             : SpeedupText(speedup, kInterval) + " as fast as" + of;
}

std::string DescribeExecution(const Sighting& sighting, std::size_t log_bytes) {
  std::string text;
  switch (sighting.verdict) {
    case Verdict::kPassed:
      text = "correct";
      if (sighting.speedup) text += ", " + DescribeSpeedup(*sighting.speedup);
      text += "." + DescribeProfile(sighting);
      if (!sighting.tuning.empty()) text += " " + sighting.tuning + ".";
      return text + Repetition(sighting);
    case Verdict::kCompileFailed:
      return "not run.";
    case Verdict::kCrashed:
      text = "it crashed.";
      break;
    case Verdict::kTimedOut:
      text = "it was stopped because it took too long.";
      break;
    case Verdict::kWrongOutput:
      text = "wrong results.";
      if (sighting.hint)
        text += " A hint: it " + HintText(*sighting.hint) + ".";
      break;
    case Verdict::kRejected:
      text = "rejected: it broke a rule of the harness.";
      break;
    case Verdict::kNoCandidate:
      text = "the answer held no kernel that could be read.";
      break;
    case Verdict::kInconclusive:
      return "not decided yet: its measurements do not agree so far. It will "
             "be "
             "measured again.";
  }
  return text + Log(sighting.log, log_bytes) + Repetition(sighting);
}

std::string DescribeProfile(const Sighting& sighting) {
  std::string text =
      CutMiddle(PartsOf(sighting.profile).limits, PromptLimits{}.profile);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "" : " " + text;
}

std::string DescribeStanding(const SearchStanding& standing) {
  std::string text;
  const auto say = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence + ".";
  };
  if (standing.best && standing.best_speedup) {
    say(*standing.best == kRootNode
            ? "Nothing faster than the source to speed up was found so far"
            : "The fastest so far is node " +
                  std::to_string(Index(*standing.best)) + ": " +
                  TellSpeedup(*standing.best_speedup));
  }
  for (const Yardstick& yardstick : standing.yardsticks) {
    say("A trusted solution (" + yardstick.name +
        "): " + TellSpeedup(yardstick.speedup));
  }
  // What beats a roof shows that this was measured too low.
  const bool is_beaten = standing.best_speedup && standing.ceiling &&
                         standing.best_speedup->ratio > *standing.ceiling;
  if (standing.ceiling && !is_beaten) {
    say("The measured roofs of the machine allow at most " +
        Number(Roughly(*standing.ceiling)) + "x");
  }
  if (standing.budget > 0) {
    say("This is attempt " +
        std::to_string(standing.budget - standing.remaining + 1) + " of " +
        std::to_string(standing.budget) + ", so " +
        std::to_string(standing.remaining - 1) + " remain after it");
  }
  return text;
}

std::string DescribePlan(const std::optional<Plan>& plan) {
  if (!plan || (plan->technique.empty() && plan->advice.empty())) {
    return "none is on record.";
  }
  if (plan->technique.empty() || plan->advice.empty()) {
    return plan->technique + plan->advice;
  }
  return plan->technique + ". " + plan->advice;
}

std::string CodeBlock(std::string_view text, std::string_view tag) {
  std::size_t longest = 2;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end =
        std::min(text.find_first_not_of('`', at), text.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  const std::string fence(longest + 1, '`');
  const bool ended = text.empty() || text.back() == '\n';
  return fence + std::string(tag) + "\n" + std::string(text) +
         (ended ? "" : "\n") + fence;
}

std::string SourceBlock(std::string_view source, Language language) {
  if (source.empty()) return "(It has no source.)";
  switch (language) {
    case Language::kCpp:
      return CodeBlock(source, "cpp");
    case Language::kCuda:
      return CodeBlock(source, "cuda");
    case Language::kPython:
    case Language::kTriton:
    case Language::kTilelang:
      return CodeBlock(source, "python");
    case Language::kSim:
      break;
  }
  return CodeBlock(source, "");
}

std::string CutMiddle(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t head = bytes / 2;
  std::size_t tail = text.size() - (bytes - head);
  // Back to the end of a line, if that costs no more than half of the part.
  if (const std::size_t newline = text.substr(0, head).rfind('\n');
      newline != std::string_view::npos && newline + 1 >= head / 2) {
    head = newline + 1;
  }
  if (const std::size_t newline = text.find('\n', tail);
      newline != std::string_view::npos &&
      newline + 1 <= tail + (text.size() - tail) / 2) {
    tail = newline + 1;
  }
  head = WholeCharacters(text, head);
  while (IsWithinCharacter(text, tail)) ++tail;
  const bool ended = head > 0 && text[head - 1] == '\n';
  return std::string(text.substr(0, head)) + (ended ? "" : "\n") + "[... " +
         std::to_string(tail - head) + " bytes left out ...]\n" +
         std::string(text.substr(tail));
}

std::string FormatSeconds(double seconds) {
  if (seconds >= 1.0) return Number(seconds) + " s";
  if (seconds >= 1e-3) return Number(seconds * 1e3) + " ms";
  if (seconds >= 1e-6) return Number(seconds * 1e6) + " us";
  return Number(seconds * 1e9) + " ns";
}

}  // namespace coppice::agents
