// Outputs are compared twice over: by eval/torch/verdicts.cc and matching.cc
// on a host, by comparison.py and matching.py where a device has them.  Both
// must come to the same.  Needs a Python with PyTorch, and says so where there
// is none.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "eval/judge/call_channel.h"
#include "eval/judge/compare.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/verdicts.h"
#include "tests/chosen_python.h"

namespace coppice::eval::torch {
namespace {

using Json = nlohmann::json;

constexpr DType kTypes[] = {
    DType::kFloat32,    DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3FN,
    DType::kFloat8E5M2, DType::kInt64,   DType::kInt32,    DType::kInt16,
    DType::kInt8,       DType::kBool};

struct TwinRule {
  const char* name;
  Rule rule;
};
const TwinRule kRules[] = {
    {"coppice's", {}},
    {"KernelBench's in float32",
     {.protocol = Protocol::kBenchmark, .precision = DType::kFloat32}},
    {"KernelBench's in float16",
     {.protocol = Protocol::kBenchmark, .precision = DType::kFloat16}},
    {"FlashInfer-Bench's",
     {.protocol = Protocol::kBenchmark, .matching = Matching{}}},
    {"FlashInfer-Bench's, of low bits",
     {.protocol = Protocol::kBenchmark, .matching = Matching{.least = 0.95}}},
    {"FlashInfer-Bench's, as it was configured",
     {.protocol = Protocol::kBenchmark,
      .matching = Matching{.absolute = 1e-3, .relative = 0.25}}},
    {"a task's own",
     {.closeness = Closeness{.relative = 1e-2, .absolute = 1e-3}}},
};

struct Case {
  std::string name;
  Rule rule;
  std::size_t chunk;  // Elements that comparison.py looks at together.
  Returned y;
  Returned r;
};

// The type's bits for zeros, the least and the largest numbers, infinities,
// NaN, what is one or near it, or for integers the ends of their range.
std::vector<std::uint64_t> SpecialsOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return {0,
              std::uint64_t{1} << 63,
              1,
              0x000fffffffffffff,
              0x7fefffffffffffff,
              0x7ff0000000000000,
              0xfff0000000000000,
              0x7ff8000000000000,
              0x3ff0000000000000,
              0x3ff0000000000001};
    case DType::kFloat32:
      return {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
              0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
              0xffc00001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0xbf800000};
    case DType::kFloat16:
      return {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff,
              0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x3c00, 0x3c01, 0xbc00};
    case DType::kBFloat16:
      return {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x7f7f, 0xff7f,
              0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x3f80, 0x3f81, 0xbf80};
    case DType::kFloat8E4M3FN:
      return {0x00, 0x80, 0x01, 0x87, 0x08, 0x7e, 0xfe, 0x7f, 0xff, 0x38, 0x39};
    case DType::kFloat8E5M2:
      return {0x00, 0x80, 0x01, 0x83, 0x04, 0x7b, 0xfb, 0x7c, 0xfc, 0x7d, 0x3c};
    case DType::kInt64:
      return {0,
              1,
              ~std::uint64_t{0},
              std::uint64_t{1} << 53,
              (std::uint64_t{1} << 53) + 1,
              (std::uint64_t{1} << 63) - 1,
              std::uint64_t{1} << 63};
    case DType::kInt32:
    case DType::kUInt32:
      return {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 100, 101};
    case DType::kInt16:
    case DType::kUInt16:
      return {0, 1, 0xffff, 0x7fff, 0x8000, 100, 101};
    case DType::kInt8:
    case DType::kUInt8:
      return {0, 1, 0xff, 0x7f, 0x80, 100, 101};
    case DType::kBool:
      return {0, 1};
    case DType::kFloat4E2M1:
      break;
  }
  return {};
}

class Draw {
 public:
  explicit Draw(DType dtype) : dtype_(dtype), specials_(SpecialsOf(dtype)) {}

  Returned Tensor(std::size_t count, std::uint64_t (Draw::*element)()) {
    const std::size_t size = BytesPerElement(dtype_);
    Returned tensor{.dtype = dtype_,
                    .sizes = {static_cast<std::int64_t>(count)},
                    .bytes = std::vector<std::byte>(count * size)};
    for (std::size_t i = 0; i < count; ++i) {
      Set(tensor, i, (this->*element)());
    }
    return tensor;
  }

  std::uint64_t Special() { return specials_[bits_() % specials_.size()]; }

  // Some number of a usual size.
  std::uint64_t Usual() {
    const double value = normal_(bits_);
    switch (dtype_) {
      case DType::kFloat32:
        return Float(value);
      case DType::kBFloat16:
        return Float(value) >> 16;
      case DType::kFloat16:  // From 1/2 to 2, of both signs.
        return (bits_() & 0x83ff) | (bits_() % 2 == 0 ? 0x3800 : 0x3c00);
      case DType::kFloat8E4M3FN:
        return (bits_() & 0x87) | (bits_() % 2 == 0 ? 0x30 : 0x38);
      case DType::kFloat8E5M2:
        return (bits_() & 0x83) | (bits_() % 2 == 0 ? 0x38 : 0x3c);
      case DType::kBool:
        return bits_() % 2;
      default:
        return static_cast<std::uint64_t>(
            static_cast<std::int64_t>(40.0 * value));
    }
  }

  // Any bits; of a bool, those that it has.
  std::uint64_t Any() { return dtype_ == DType::kBool ? bits_() % 2 : bits_(); }

  // As `tensor`, but for some neighbours in the last bit.
  Returned Nudged(Returned tensor, std::size_t one_of) {
    const std::size_t size = BytesPerElement(dtype_);
    for (std::size_t i = 0; i < tensor.bytes.size(); i += size) {
      if (bits_() % one_of == 0) tensor.bytes[i] ^= std::byte{1};
    }
    return tensor;
  }

  Returned Spoiled(Returned tensor, std::uint64_t element) {
    const std::size_t count = tensor.bytes.size() / BytesPerElement(dtype_);
    if (count > 0) Set(tensor, bits_() % count, element);
    return tensor;
  }

  const std::vector<std::uint64_t>& specials() const { return specials_; }

 private:
  static std::uint64_t Float(double value) {
    const auto narrow = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }

  void Set(Returned& tensor, std::size_t i, std::uint64_t element) const {
    const std::size_t size = BytesPerElement(dtype_);
    std::memcpy(tensor.bytes.data() + i * size, &element, size);
  }

  DType dtype_;
  std::vector<std::uint64_t> specials_;
  std::mt19937_64 bits_{20};
  std::normal_distribution<double> normal_;
};

std::vector<std::pair<std::string, std::pair<Returned, Returned>>> PairsOf(
    DType dtype) {
  constexpr std::size_t kCount = 97;
  Draw draw(dtype);
  const Returned none = draw.Tensor(0, &Draw::Any);
  const Returned usual = draw.Tensor(kCount, &Draw::Usual);
  const Returned special = draw.Tensor(kCount, &Draw::Special);
  Returned zeros = usual;
  std::ranges::fill(zeros.bytes, std::byte{0});
  std::vector<std::pair<std::string, std::pair<Returned, Returned>>> pairs = {
      {"nothing", {none, none}},
      {"equal", {usual, usual}},
      {"equal specials", {special, special}},
      {"other specials", {draw.Tensor(kCount, &Draw::Special), special}},
      {"other numbers", {draw.Tensor(kCount, &Draw::Usual), usual}},
      {"any bits",
       {draw.Tensor(kCount, &Draw::Any), draw.Tensor(kCount, &Draw::Any)}},
      {"all nudged", {draw.Nudged(usual, 1), usual}},
      {"some nudged", {draw.Nudged(usual, 20), usual}},
      {"nudged specials", {draw.Nudged(special, 3), special}},
      {"zeros", {zeros, usual}},
      {"no zeros", {usual, zeros}},
      {"both zeros", {zeros, zeros}},
  };
  for (const std::uint64_t element : draw.specials()) {
    const std::string name = " has element " + std::to_string(element);
    pairs.push_back({"y" + name, {draw.Spoiled(usual, element), usual}});
    pairs.push_back({"r" + name, {usual, draw.Spoiled(usual, element)}});
  }
  return pairs;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const DType dtype : kTypes) {
    for (const auto& [name, tensors] : PairsOf(dtype)) {
      for (const TwinRule& rule : kRules) {
        for (const std::size_t chunk : {std::size_t{1} << 24, std::size_t{7}}) {
          cases.push_back({"type " + std::to_string(static_cast<int>(dtype)) +
                               ", " + name + ", by " + rule.name +
                               " rule, chunks of " + std::to_string(chunk),
                           rule.rule, chunk, tensors.first, tensors.second});
        }
      }
    }
  }
  return cases;
}

Json RuleJson(const Rule& rule) {
  Json tolerances = Json::array();
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    tolerances.push_back(ToleranceFor(static_cast<DType>(i), rule));
  }
  Json matching;
  if (rule.matching) {
    matching = {{"least", rule.matching->least},
                {"absolute", rule.matching->absolute},
                {"relative", rule.matching->relative}};
  }
  const std::optional<Closeness>& own = rule.closeness;
  return {
      {"scale", own ? Json(own->absolute / own->relative) : Json()},
      {"is_exact", rule.protocol == Protocol::kBenchmark},
      {"matching", std::move(matching)},
      {"tolerances", std::move(tolerances)},
  };
}

void Write(const std::vector<Case>& cases, const std::filesystem::path& path) {
  Json lines = Json::array();
  for (const Case& one : cases) {
    lines.push_back({{"dtype", static_cast<int>(one.r.dtype)},
                     {"bytes", one.r.bytes.size()},
                     {"chunk", one.chunk},
                     {"rule", RuleJson(one.rule)}});
  }
  std::ofstream file(path, std::ios::binary);
  file << lines.dump() << '\n';
  for (const Case& one : cases) {
    for (const Returned* tensor : {&one.y, &one.r}) {
      file.write(reinterpret_cast<const char*>(tensor->bytes.data()),
                 static_cast<std::streamsize>(tensor->bytes.size()));
    }
  }
}

std::vector<Json> Ask(const Interpreter& interpreter,
                      const std::filesystem::path& path) {
  const std::string command = "PYTHONPATH='" + interpreter.path + "' '" +
                              interpreter.executable.string() + "' " +
                              COPPICE_SOURCE_DIR "/tests/comparison_twins.py " +
                              COPPICE_PYTHON_SCRIPTS " '" + path.string() + "'";
  std::vector<Json> answers;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return answers;
  std::string text;
  char part[4096];
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(part, 1, sizeof part, pipe);
    text.append(part, got);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    answers.push_back(Json::parse(line));
  }
  return answers;
}

double NumberIn(const Json& finding, const char* key) {
  return std::strtod(finding.at(key).get<std::string>().c_str(), nullptr);
}

// A device looks in single precision at what is far from wrong.
void ExpectNear(double host, double device) {
  if (std::isinf(host)) {
    EXPECT_EQ(host, device);
  } else {
    EXPECT_NEAR(host, device, 1e-5 * std::abs(host));
  }
}

void ExpectAlike(const Case& one, const Json& device) {
  const Judgement host = Compare({one.y}, {one.r}, one.rule);
  const bool is_wrong = device.at("wrong") > 0;
  EXPECT_EQ(host.verdict == Verdict::kWrongOutput, is_wrong) << host.log;
  if (is_wrong) {
    EXPECT_EQ(host.log, Differing({.element = device.at("element"),
                                   .got = NumberIn(device, "got"),
                                   .expected = NumberIn(device, "expected"),
                                   .allowed = NumberIn(device, "allowed"),
                                   .wrong = device.at("wrong")},
                                  one.r, 0, 1)
                            .log);
  }
  ExpectNear(host.worst_error_ratio, NumberIn(device, "worst_error_ratio"));
  ExpectNear(host.max_absolute_error, NumberIn(device, "max_absolute_error"));
  ExpectNear(host.max_relative_error, NumberIn(device, "max_relative_error"));
}

TEST(ComparisonTwinsTest, HostAndDeviceComeToTheSame) {
  const auto interpreter = FindInterpreter(ChosenPython());
  if (!interpreter) GTEST_SKIP() << interpreter.error().what;
  const std::filesystem::path path =
      testing::TempDir() + "coppice_twins_" + std::to_string(getpid());
  const std::vector<Case> cases = Cases();
  Write(cases, path);
  const std::vector<Json> found = Ask(*interpreter, path);
  std::filesystem::remove(path);
  ASSERT_EQ(found.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    ASSERT_EQ(found[i].size(), 2u);
    for (const Json& device : found[i]) ExpectAlike(cases[i], device);
  }
}

}  // namespace
}  // namespace coppice::eval::torch
