#include "eval/host/devices.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

// nvidia-smi lists them so; the last two UUIDs begin alike.
const std::vector<Device> kAll = {{"GPU-aa11", "NVIDIA H200", 0, 3},
                                  {"GPU-bb22", "NVIDIA H200", 1, 3},
                                  {"GPU-bb33", "NVIDIA H100", 2, 3}};

std::string Uuids(const std::vector<Device>& devices) {
  std::string text;
  for (const Device& device : devices) text += device.uuid.substr(4) + " ";
  return text;
}

std::string Visible(const std::string& variable) {
  return Uuids(VisibleOf(kAll, variable));
}

std::string Chosen(const std::vector<Device>& visible,
                   const std::string& wanted) {
  const auto chosen = ChooseDevices(visible, wanted);
  return chosen ? Uuids(*chosen) : chosen.error().what;
}

TEST(DevicesTest, WithoutTheVariableAllAreVisible) {
  EXPECT_EQ(Uuids(VisibleOf(kAll, std::nullopt)), "aa11 bb22 bb33 ");
}

TEST(DevicesTest, TheVariableShowsDevicesInItsOrder) {
  EXPECT_EQ(Visible("1"), "bb22 ");
  EXPECT_EQ(Visible("2,0"), "bb33 aa11 ");
  EXPECT_EQ(Visible(" 2 , 0 "), "bb33 aa11 ");
  EXPECT_EQ(Visible("GPU-bb33,GPU-aa"), "bb33 aa11 ");
  EXPECT_EQ(Visible("GPU-bb22,0"), "bb22 aa11 ");
}

TEST(DevicesTest, AnEmptyVariableShowsNone) {
  EXPECT_EQ(Visible(""), "");
  EXPECT_EQ(Visible("-1"), "");
  EXPECT_EQ(Visible("NoDevFiles"), "");
}

TEST(DevicesTest, WhatNamesNoDeviceEndsTheVariable) {
  EXPECT_EQ(Visible("0,7,1"), "aa11 ");
  EXPECT_EQ(Visible("0,-1,1"), "aa11 ");
  EXPECT_EQ(Visible("0,,1"), "aa11 ");
  EXPECT_EQ(Visible("1,GPU-cc,0"), "bb22 ");
  EXPECT_EQ(Visible("0,GPU-bb"), "aa11 ");  // Which of the two?
  EXPECT_EQ(Visible("0,bb22"), "aa11 ");
  EXPECT_EQ(Visible("0,1,0,2"), "aa11 bb22 ");
  EXPECT_EQ(Visible("MIG-aa11"), "");
}

TEST(DevicesTest, OneThatIsNotReachedKeepsItsNumberAndIsNotVisible) {
  const std::vector<Device> all = {{"", "", 0, 2}, {"GPU-bb22", "H", 1, 2}};
  EXPECT_EQ(Uuids(VisibleOf(all, std::nullopt)), "bb22 ");
  EXPECT_EQ(Uuids(VisibleOf(all, "1")), "bb22 ");
  EXPECT_EQ(Uuids(VisibleOf(all, "0,1")), "");
}

TEST(DevicesTest, OfVisibleOnesSomeAreChosen) {
  EXPECT_EQ(Chosen(kAll, "auto"), "aa11 ");
  EXPECT_EQ(Chosen(kAll, "all"), "aa11 bb22 bb33 ");
  EXPECT_EQ(Chosen(kAll, "2,0"), "bb33 aa11 ");
  EXPECT_EQ(Chosen(kAll, "GPU-bb3,1"), "bb33 bb22 ");
}

// Numbers are places among them, as in every program that sees no others.
TEST(DevicesTest, WhatIsHiddenCannotBeChosen) {
  const std::vector<Device> visible = VisibleOf(kAll, "2,1");
  EXPECT_EQ(Chosen(visible, "auto"), "bb33 ");
  EXPECT_EQ(Chosen(visible, "all"), "bb33 bb22 ");
  EXPECT_EQ(Chosen(visible, "0"), "bb33 ");
  EXPECT_EQ(Chosen(visible, "0,GPU-aa11"),
            "--devices 0,GPU-aa11: GPU-aa11 is none of the devices that are "
            "visible here (0: NVIDIA H100 GPU-bb33, 1: NVIDIA H200 GPU-bb22)");
}

TEST(DevicesTest, AWrongListIsTheUsersError) {
  for (const char* wanted : {"3", "0,3", "GPU-bb", "GPU-cc", "x"}) {
    const auto chosen = ChooseDevices(kAll, wanted);
    ASSERT_FALSE(chosen) << wanted;
    EXPECT_EQ(chosen.error().code, Errc::kUsage) << wanted;
  }
  EXPECT_EQ(Chosen(kAll, "1,GPU-bb2"),
            "--devices 1,GPU-bb2: GPU-bb2 is listed twice");
}

TEST(DevicesTest, WhatRanAMomentAgoWasOurOwn) {
  EXPECT_EQ(UseByOthers(1.0, 1.0), Use::kNone);
  EXPECT_EQ(UseByOthers(3.0, 1.0), Use::kForeign);
  EXPECT_EQ(UseByOthers(3.0, 0.2), Use::kNone);
  EXPECT_EQ(UseByOthers(3.0, std::nullopt), Use::kNone);
}

TEST(DevicesTest, HalfOfTheTimeIsForeignAfterTwoSeconds) {
  EXPECT_EQ(UseByOthers(2.0, 0.5), Use::kForeign);
  EXPECT_EQ(UseByOthers(2.0, 0.49), Use::kNone);
  EXPECT_EQ(UseByOthers(1.99, 1.0), Use::kNone);
}

TEST(DevicesTest, ANumberIsWholeOrNone) {
  for (const char* word :
       {"1x", "+1", "0x1", "1.0", " ", "99999999999999999999"}) {
    EXPECT_EQ(Visible(word), "") << word;
  }
  EXPECT_EQ(Visible("01"), "bb22 ");
}

}  // namespace
}  // namespace coppice::eval
