#include "eval/torch/inputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace coppice::eval::torch {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kPage = 4096;

TensorEntry DrawnTensor(DType dtype, std::uint64_t bytes,
                        std::vector<std::int64_t> sizes) {
  TensorEntry entry{.address = 0,
                    .bytes = bytes,
                    .dtype = static_cast<std::uint32_t>(dtype),
                    .rank = static_cast<std::uint32_t>(sizes.size()),
                    .sizes = {}};
  std::ranges::copy(sizes, entry.sizes.begin());
  return entry;
}

TensorEntry DrawnNumber(DType dtype) {
  TensorEntry entry = DrawnTensor(dtype, 8, {});
  entry.rank = kScalarRank;
  return entry;
}

Json LayoutOf(const std::vector<TensorEntry>& entries, std::uint32_t slots) {
  const auto made = InputSlots::Create(entries, slots);
  EXPECT_TRUE(made) << made.error().what;
  return Json::parse(made->Layout());
}

// 24 bytes lie in a page; 4096 would end where another begins, so they have
// two.
TEST(InputSlotsTest, EachTensorBeginsAPageOfItsOwn) {
  const Json layout = LayoutOf({DrawnTensor(DType::kFloat32, 24, {2, 3}),
                                DrawnTensor(DType::kInt8, 4096, {4096}),
                                DrawnTensor(DType::kInt64, 8, {})},
                               3);
  EXPECT_EQ(layout["stride"], 4 * kPage);
  EXPECT_EQ(layout["bytes"], 3 * 4 * kPage);
  const Json& inputs = layout["inputs"];
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(
      inputs[0],
      Json({{"offset", 0}, {"dtype", 0}, {"shape", {2, 3}}, {"elements", 6}}));
  EXPECT_EQ(inputs[1]["offset"], kPage);
  EXPECT_EQ(inputs[2]["offset"], 3 * kPage);
  EXPECT_EQ(inputs[2]["shape"], Json::array());
  EXPECT_EQ(inputs[2]["elements"], 1);
}

TEST(InputSlotsTest, ATensorWithoutElementsHasAPlace) {
  const Json layout = LayoutOf({DrawnTensor(DType::kFloat32, 0, {5, 0}),
                                DrawnTensor(DType::kFloat32, 4, {1})},
                               1);
  EXPECT_EQ(layout["inputs"][0]["elements"], 0);
  EXPECT_EQ(layout["inputs"][1]["offset"], kPage);
}

// Memory of no bytes could not be shown.
TEST(InputSlotsTest, WithoutInputsThereIsAPage) {
  const Json layout = LayoutOf({}, 2);
  EXPECT_EQ(layout["stride"], kPage);
  EXPECT_EQ(layout["bytes"], 2 * kPage);
  EXPECT_TRUE(layout["inputs"].empty());
}

// struct.unpack reads numbers from eight bytes.
TEST(InputSlotsTest, NumbersHaveNoShape) {
  const Json inputs =
      LayoutOf({DrawnNumber(DType::kFloat32), DrawnNumber(DType::kInt64),
                DrawnNumber(DType::kBool)},
               1)["inputs"];
  EXPECT_EQ(inputs[0], Json({{"offset", 0}, {"scalar", "<d"}}));
  EXPECT_EQ(inputs[1], Json({{"offset", kPage}, {"scalar", "<q"}}));
  EXPECT_EQ(inputs[2], Json({{"offset", 2 * kPage}, {"scalar", "<?"}}));
}

TEST(InputSlotsTest, NobodyElseCanWriteThem) {
  const auto made = InputSlots::Create({}, 1);
  ASSERT_TRUE(made);
  const auto shown = made->OpenToRead();
  ASSERT_TRUE(shown);
  EXPECT_EQ(write(shown->get(), "x", 1), -1);
  // It cannot be opened anew, either.
  const std::string path = "/proc/self/fd/" + std::to_string(shown->get());
  const UniqueFd again(open(path.c_str(), O_RDWR));
  EXPECT_EQ(write(again.get(), "x", 1), -1);
}

}  // namespace
}  // namespace coppice::eval::torch
