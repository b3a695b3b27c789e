#include "eval/cpu/runner/entry.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace coppice::eval {
namespace {

// Two slots, each of 64 bytes of inputs and 128 of outputs.
class EntryTest : public testing::Test {
 protected:
  EntryTest() {
    control_->inputs.stride = 64;
    control_->outputs.stride = 128;
    for (std::size_t i = 0; i < 16; ++i) PutFloat(i, static_cast<float>(i));
  }

  // The i-th float of the inputs.
  void PutFloat(std::size_t i, float value) {
    std::memcpy(inputs_.data() + 4 * i, &value, sizeof value);
  }
  template <class T>
  void PutCell(std::size_t offset, T value) {
    std::memcpy(inputs_.data() + offset, &value, sizeof value);
  }
  void Take(CpuArgumentKind kind, ElementType type, std::uint64_t value) {
    control_->arguments[control_->argument_count++] = {kind, type, value};
  }
  template <class Function>
  void Call(Function* function, std::uint32_t slot = 0) {
    Entry entry(*control_, inputs_.data(), outputs_.data());
    ASSERT_TRUE(entry.Prepare());
    entry.Call(reinterpret_cast<void (*)()>(function), slot);
  }
  double Output(std::size_t offset) const {
    double value;
    std::memcpy(&value, outputs_.data() + offset, sizeof value);
    return value;
  }

  std::unique_ptr<CpuControl> control_ = std::make_unique<CpuControl>();
  std::vector<std::byte> inputs_ = std::vector<std::byte>(128);
  std::vector<std::byte> outputs_ = std::vector<std::byte>(256);
};

void AddUp(const float* x, const float* z, double* y) { *y = *x + 100.0 * *z; }

// The third and the fifth float; in the second slot, 16 more of each.
TEST_F(EntryTest, TensorsAreWhereTheirSlotHasThem) {
  for (std::size_t i = 16; i < 32; ++i) PutFloat(i, static_cast<float>(i));
  Take(CpuArgumentKind::kInputTensor, ElementType::kFloat64, 8);
  Take(CpuArgumentKind::kInputTensor, ElementType::kFloat64, 16);
  Take(CpuArgumentKind::kOutputTensor, ElementType::kFloat64, 24);
  Call(AddUp);
  EXPECT_EQ(Output(24), 402.0);
  EXPECT_EQ(Output(128 + 24), 0.0);
  Call(AddUp, 1);
  EXPECT_EQ(Output(128 + 24), 18.0 + 2000.0);
  EXPECT_EQ(Output(24), 402.0);
}

struct Parameters {
  float f32;
  double f64;
  std::int64_t i64;
  std::int32_t i32;
  std::int16_t i16;
  std::int8_t i8;
  bool flag;
  std::int64_t axis;
};
Parameters noted;

void NoteAll(float f32, double f64, std::int64_t i64, std::int32_t i32,
             std::int16_t i16, std::int8_t i8, bool flag, std::int64_t axis) {
  noted = {f32, f64, i64, i32, i16, i8, flag, axis};
}

// More than registers hold, of both kinds, each in a cell of 8 bytes.
TEST_F(EntryTest, ScalarsHaveTheirTypes) {
  inputs_.assign(128, std::byte{0xff});  // What a cell has beyond its value.
  PutCell(0, 1.5f);
  PutCell(8, -2.5);
  PutCell(16, std::int64_t{-5'000'000'000});
  PutCell(24, std::int32_t{-70'000});
  PutCell(32, std::int16_t{-300});
  PutCell(40, std::int8_t{-7});
  PutCell(48, std::uint8_t{1});
  std::uint64_t offset = 0;
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt64,
        ElementType::kInt32, ElementType::kInt16, ElementType::kInt8,
        ElementType::kBool}) {
    Take(CpuArgumentKind::kInputScalar, type, offset);
    offset += 8;
  }
  Take(CpuArgumentKind::kAxis, ElementType::kInt64, 1 << 20);
  Call(NoteAll);
  EXPECT_EQ(noted.f32, 1.5f);
  EXPECT_EQ(noted.f64, -2.5);
  EXPECT_EQ(noted.i64, -5'000'000'000);
  EXPECT_EQ(noted.i32, -70'000);
  EXPECT_EQ(noted.i16, -300);
  EXPECT_EQ(noted.i8, -7);
  EXPECT_TRUE(noted.flag);
  EXPECT_EQ(noted.axis, 1 << 20);
}

struct Unsigned {
  std::uint8_t u8;
  std::uint16_t u16;
  std::uint32_t u32;
  float after;
};
Unsigned noted_unsigned;

void NoteUnsigned(std::uint8_t u8, std::uint16_t u16, std::uint32_t u32,
                  float after) {
  noted_unsigned = {u8, u16, u32, after};
}

// The highest bit of each is no sign: 2^8 - 1, 2^16 - 2 and 2^32 - 3.
TEST_F(EntryTest, ScalarsWithoutASignHaveNone) {
  inputs_.assign(128, std::byte{0xff});
  PutCell(0, std::uint8_t{255});
  PutCell(8, std::uint16_t{65'534});
  PutCell(16, std::uint32_t{4'294'967'293});
  PutCell(24, 0.5f);
  std::uint64_t offset = 0;
  for (const ElementType type : {ElementType::kUInt8, ElementType::kUInt16,
                                 ElementType::kUInt32, ElementType::kFloat32}) {
    Take(CpuArgumentKind::kInputScalar, type, offset);
    offset += 8;
  }
  Call(NoteUnsigned);
  EXPECT_EQ(noted_unsigned.u8, 255);
  EXPECT_EQ(noted_unsigned.u16, 65'534);
  EXPECT_EQ(noted_unsigned.u32, 4'294'967'293);
  EXPECT_EQ(noted_unsigned.after, 0.5f);
}

// An integer of the second slot is where that slot's inputs have it.
TEST_F(EntryTest, AScalarIsOfItsSlot) {
  PutCell(8, std::int32_t{11});
  PutCell(64 + 8, std::int32_t{22});
  Take(CpuArgumentKind::kInputScalar, ElementType::kInt32, 8);
  Take(CpuArgumentKind::kOutputTensor, ElementType::kFloat64, 0);
  const auto store = +[](std::int32_t value, double* y) { *y = value; };
  Call(store, 0);
  Call(store, 1);
  EXPECT_EQ(Output(0), 11.0);
  EXPECT_EQ(Output(128), 22.0);
}

int times_called = 0;
void CountCall() { ++times_called; }

TEST_F(EntryTest, AFunctionMayTakeNothing) {
  Call(CountCall);
  EXPECT_EQ(times_called, 1);
}

}  // namespace
}  // namespace coppice::eval
