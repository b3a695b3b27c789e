#include "eval/cuda/launch_plan.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "store/records/tuning.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::string_view kMark = "//@";
constexpr int kMaxDepth = 64;  // Of an expression.
constexpr std::size_t kMaxName = 127;
constexpr std::int64_t kMaxShared = 227 << 10;
constexpr std::int64_t kMaxScratch = std::int64_t{4} << 30;  // Of a plan.
constexpr std::int64_t kMaxCluster = 16;                     // Blocks.
constexpr std::int64_t kMaxGridX = 2147483647;
constexpr std::int64_t kMaxGridYz = 65535;

struct PlanError {
  std::size_t column;
  std::string what;
};

// The names that a plan may use, and what they are worth.
struct Names {
  std::map<std::string, std::int64_t, std::less<>> axes;
  std::map<std::string, LaunchArgument, std::less<>> buffers;
  std::int64_t scratch_bytes = 0;  // Those so far.
};

// One plan line.  Throws PlanError, which EvaluateLaunchPlan catches.
class Line {
 public:
  Line(std::string_view text, Names& names) : text_(text), names_(names) {
    at_ = text_.find(kMark) + kMark.size();
  }

  void Parse(RunnerProgram& plan) {
    const std::string word = Name("scratch or launch");
    if (word == "scratch") {
      Scratch(plan);
    } else if (word == "launch") {
      Launch(plan);
    } else {
      Refuse("unknown word " + word + "; there are scratch and launch");
    }
    SkipSpace();
    if (at_ < text_.size()) Refuse("more than a plan line has");
  }

 private:
  [[noreturn]] void Refuse(const std::string& what) const {
    throw PlanError{at_ + 1, what};
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool Take(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void Expect(std::string_view token) {
    if (!Take(token)) Refuse("expected " + std::string(token));
  }

  static bool IsLetter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  bool AtName() {
    SkipSpace();
    return at_ < text_.size() && IsLetter(text_[at_]);
  }

  std::string Name(const std::string& of) {
    if (!AtName()) Refuse("expected " + of);
    const std::size_t begin = at_;
    while (at_ < text_.size() && (IsLetter(text_[at_]) || IsDigit(text_[at_])))
      ++at_;
    if (at_ - begin > kMaxName) Refuse("a name of more than 127 characters");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::int64_t Number() {
    std::int64_t value = 0;
    while (at_ < text_.size() && IsDigit(text_[at_])) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        Refuse("a number beyond 2^63");
      }
      ++at_;
    }
    return value;
  }

  std::int64_t Binary(char operation, std::int64_t a, std::int64_t b) const {
    std::int64_t value = 0;
    bool overflow = false;
    switch (operation) {
      case '+':
        overflow = __builtin_add_overflow(a, b, &value);
        break;
      case '-':
        overflow = __builtin_sub_overflow(a, b, &value);
        break;
      case '*':
        overflow = __builtin_mul_overflow(a, b, &value);
        break;
      default:
        if (b == 0) Refuse("division by zero");
        if (b == -1) return operation == '/' ? Binary('-', 0, a) : 0;
        return operation == '/' ? a / b : a % b;
    }
    if (overflow) Refuse("a value beyond 2^63");
    return value;
  }

  std::int64_t Sum() {
    if (++depth_ > kMaxDepth) Refuse("an expression nested too deeply");
    std::int64_t value = Product();
    while (true) {
      if (Take("+")) {
        value = Binary('+', value, Product());
      } else if (Take("-")) {
        value = Binary('-', value, Product());
      } else {
        --depth_;
        return value;
      }
    }
  }

  std::int64_t Product() {
    std::int64_t value = Factor();
    while (true) {
      if (Take("*")) {
        value = Binary('*', value, Factor());
      } else if (Take("/")) {
        value = Binary('/', value, Factor());
      } else if (Take("%")) {
        value = Binary('%', value, Factor());
      } else {
        return value;
      }
    }
  }

  std::int64_t Factor() {
    if (Take("(")) {
      const std::int64_t value = Sum();
      Expect(")");
      return value;
    }
    if (Take("-")) {
      if (++depth_ > kMaxDepth) Refuse("an expression nested too deeply");
      const std::int64_t value = Binary('-', 0, Factor());
      --depth_;
      return value;
    }
    SkipSpace();
    if (at_ < text_.size() && IsDigit(text_[at_])) return Number();
    const std::string name = Name("a number, an axis or (");
    if (name == "ceil_div" || name == "min" || name == "max") {
      return Function(name);
    }
    const auto axis = names_.axes.find(name);
    if (axis == names_.axes.end()) {
      at_ -= name.size();
      Refuse("unknown axis " + name);
    }
    return axis->second;
  }

  std::int64_t Function(const std::string& name) {
    Expect("(");
    const std::int64_t a = Sum();
    Expect(",");
    const std::int64_t b = Sum();
    Expect(")");
    if (name == "min") return std::min(a, b);
    if (name == "max") return std::max(a, b);
    if (a < 0 || b <= 0) Refuse("ceil_div of what is not positive");
    return Binary('/', a, b) + (a % b != 0 ? 1 : 0);
  }

  // "M" or "(M, N)" or "(M, N, K)".  "(M) * N" is one expression too.
  std::array<std::uint32_t, 3> Sizes(const char* of,
                                     const std::array<std::int64_t, 3>& most) {
    std::vector<std::int64_t> values;
    const std::size_t begin = at_;
    if (Take("(")) {
      values.push_back(Sum());
      while (Take(",")) values.push_back(Sum());
      Expect(")");
    }
    if (values.size() <= 1) {
      at_ = begin;
      values = {Sum()};
    }
    if (values.size() > 3) Refuse("more than three sizes");
    std::array<std::uint32_t, 3> sizes = {1, 1, 1};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 1 || values[i] > most[i]) {
        Refuse(std::string(of) + " of " + std::to_string(values[i]) +
               ", which must be from 1 to " + std::to_string(most[i]));
      }
      sizes[i] = static_cast<std::uint32_t>(values[i]);
    }
    return sizes;
  }

  void Scratch(RunnerProgram& plan) {
    const std::string type = Name("a type");
    static const std::map<std::string, std::int64_t, std::less<>> kBytes = {
        {"float", 4},    {"double", 8},         {"float2", 8},
        {"double2", 16}, {"int2", 8},           {"int4", 16},
        {"uint2", 8},    {"uint4", 16},         {"half2", 4},
        {"__half2", 4},  {"__nv_bfloat162", 4}, {"nv_bfloat16", 2},
        {"short", 2},    {"__nv_fp8_e4m3", 1},  {"__nv_fp8_e5m2", 1},
        {"int", 4},      {"unsigned", 4},       {"half", 2},
        {"char", 1},     {"int8_t", 1},         {"uint8_t", 1},
        {"int16_t", 2},  {"uint16_t", 2},       {"int32_t", 4},
        {"uint32_t", 4}, {"int64_t", 8},        {"uint64_t", 8},
        {"__half", 2},   {"float4", 16},        {"bool", 1},
        {"size_t", 8},   {"__nv_bfloat16", 2}};
    const auto bytes = kBytes.find(type);
    if (bytes == kBytes.end()) {
      Refuse("unknown type " + type +
             "; there are float, double, int, half, float4, uint32_t and the "
             "like");
    }
    const std::string name = Name("a name");
    if (names_.buffers.contains(name) || names_.axes.contains(name)) {
      Refuse(name + " is taken");
    }
    Expect("[");
    const std::int64_t count = Sum();
    Expect("]");
    std::int64_t total = 0;
    if (count < 1 || __builtin_mul_overflow(count, bytes->second, &total) ||
        total > kMaxScratch - names_.scratch_bytes) {
      Refuse("scratch of " + std::to_string(count) +
             " elements, which must be at least 1 and, with all before it, at "
             "most 4 GiB");
    }
    names_.scratch_bytes += total;
    if (plan.scratch_bytes.size() == kMaxTensors) Refuse("too many buffers");
    names_.buffers[name] = {
        ArgumentKind::kScratch, 0,
        static_cast<std::int64_t>(plan.scratch_bytes.size())};
    plan.scratch_bytes.push_back(static_cast<std::uint64_t>(total));
  }

  void Launch(RunnerProgram& plan) {
    if (plan.launches.size() == kMaxLaunches) Refuse("more than 64 launches");
    cuda::Launch launch{};
    Name("a kernel").copy(launch.kernel.data(), kMaxName);
    Expect("<<<");
    launch.grid = Sizes("a grid", {kMaxGridX, kMaxGridYz, kMaxGridYz});
    Expect(",");
    launch.block = Sizes("a block", {1024, 1024, 64});
    if (std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] >
        1024) {
      Refuse("a block of more than 1024 threads");
    }
    if (Take(",")) {
      const std::int64_t shared = Sum();
      if (shared < 0 || shared > kMaxShared) {
        Refuse("shared memory of " + std::to_string(shared) +
               " bytes, which must be from 0 to 232448");
      }
      launch.shared_bytes = static_cast<std::uint32_t>(shared);
      if (Take(",")) Cluster(launch);
    }
    Expect(">>>");
    Expect("(");
    launch.first_argument = static_cast<std::uint32_t>(plan.arguments.size());
    if (!Take(")")) {
      do {
        if (plan.arguments.size() == kMaxArguments) {
          Refuse("too many arguments");
        }
        plan.arguments.push_back(OneArgument());
      } while (Take(","));
      Expect(")");
    }
    launch.arguments = static_cast<std::uint32_t>(plan.arguments.size()) -
                       launch.first_argument;
    plan.launches.push_back(launch);
  }

  void Cluster(cuda::Launch& launch) {
    launch.cluster =
        Sizes("a cluster", {kMaxCluster, kMaxCluster, kMaxCluster});
    std::int64_t blocks = 1;
    for (std::size_t i = 0; i < launch.cluster.size(); ++i) {
      blocks *= launch.cluster[i];
      if (launch.grid[i] % launch.cluster[i] != 0) {
        Refuse("a grid that is no whole number of clusters");
      }
    }
    if (blocks > kMaxCluster) Refuse("a cluster of more than 16 blocks");
  }

  LaunchArgument OneArgument() {
    const std::size_t begin = at_;
    if (AtName()) {
      const std::string name = Name("a name");
      const auto buffer = names_.buffers.find(name);
      if (buffer != names_.buffers.end()) return buffer->second;
      if (name == "int32") {
        Expect("(");
        const std::int64_t value = Sum();
        Expect(")");
        if (value != static_cast<std::int32_t>(value)) {
          Refuse(std::to_string(value) + " does not fit an int");
        }
        return {ArgumentKind::kInt32, 0, value};
      }
      at_ = begin;
    }
    return {ArgumentKind::kInt64, 0, Sum()};
  }

  std::string_view text_;
  Names& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Names NamesOf(const Definition& definition, const Workload& workload,
              PlanSide role) {
  Names names;
  for (const Axis& axis : definition.axes) {
    if (axis.constant) names.axes[axis.name] = *axis.constant;
  }
  for (const auto& [axis, value] : workload.axes) names.axes[axis] = value;
  const auto add = [&](const std::vector<TensorSpec>& tensors,
                       const char* suffix, ArgumentKind kind) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      names.buffers[tensors[i].name + suffix] = {kind, 0,
                                                 static_cast<std::int64_t>(i)};
    }
  };
  add(definition.inputs, "", ArgumentKind::kInput);
  add(definition.outputs, "", ArgumentKind::kOutput);
  if (role == PlanSide::kOracle) {
    add(definition.outputs, "_m", ArgumentKind::kMagnitude);
  }
  return names;
}

// The numbers to be tuned are axes of the source's own.  What is wrong with a
// declaration of one.
std::string AddTuned(const std::string& source, Names& names) {
  const auto parameters = TuningParametersOf(source);
  if (!parameters) return parameters.error().what;
  for (const TuningParameter& each : *parameters) {
    if (!names.axes.try_emplace(each.name, each.choices[each.chosen]).second) {
      return each.name + " is to be tuned, and is an axis of the task";
    }
  }
  return "";
}

// Calls `use` with the number, from 1, and the text of each plan line.
template <class Use>
void ForEachPlanLine(std::string_view source, const Use& use) {
  for (std::size_t number = 1; !source.empty(); ++number) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string_view::npos &&
        line.substr(start).starts_with(kMark)) {
      use(number, line);
    }
    source.remove_prefix(std::min(end + 1, source.size()));
  }
}

}  // namespace

bool HasLaunchPlan(const std::string& source) {
  bool found = false;
  ForEachPlanLine(source, [&](std::size_t, std::string_view line) {
    line.remove_prefix(line.find(kMark) + kMark.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    found = found || line.starts_with("launch");
  });
  return found;
}

EvaluatedPlan EvaluateLaunchPlan(const std::string& source,
                                 const Definition& definition,
                                 const Workload& workload, PlanSide role) {
  EvaluatedPlan plan;
  Names names = NamesOf(definition, workload, role);
  if (const std::string fault = AddTuned(source, names); !fault.empty()) {
    plan.error = "kernel.cu: tune: " + fault + "\n";
    return plan;
  }
  ForEachPlanLine(source, [&](std::size_t number, std::string_view line) {
    if (!plan.error.empty()) return;
    try {
      Line(line, names).Parse(plan.runner_program);
    } catch (const PlanError& error) {
      plan.error = "kernel.cu:" + std::to_string(number) + ":" +
                   std::to_string(error.column) +
                   ": launch plan: " + error.what + "\n";
    }
  });
  if (plan.error.empty() && plan.runner_program.launches.empty()) {
    plan.error =
        "kernel.cu: no launch plan: a line like "
        "//@ launch kernel<<<grid, block>>>(arguments)\n";
  }
  return plan;
}

}  // namespace coppice::eval::cuda
