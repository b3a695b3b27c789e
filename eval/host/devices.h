// The GPUs of this machine, and which of them are meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

struct Device {
  std::string uuid;     // "GPU-..."; empty: the driver cannot reach it.
  std::string name;     // "NVIDIA H200".
  unsigned number = 0;  // As nvidia-smi counts them, from 0,
  unsigned of = 1;      // and how many there are.
};

// Those of `all`, which are in the order of nvidia-smi, that the value of
// CUDA_VISIBLE_DEVICES shows, in its order: by number, or by UUID or what it
// begins with.  As CUDA has it, nothing shows none, and what names no device,
// or one for the second time, ends the list.  Unset: all.
std::vector<Device> VisibleOf(const std::vector<Device>& all,
                              const std::optional<std::string>& variable);

// Chooses the first visible one ("auto"), all, or those that are listed: each
// by its place among them, from 0, or by its UUID or what that begins with.
// kUsage for one that is not there, or is listed twice.
//
// REQUIRES: some are visible.
Result<std::vector<Device>> ChooseDevices(const std::vector<Device>& visible,
                                          std::string_view wanted);

// The visible ones of this machine, for this process.  kUnavailable, in one
// line, if there is no driver that tells; kNotFound if it shows none.
Result<std::vector<Device>> VisibleDevices();

// Who else is at work on a device.
enum class Use : std::uint8_t {
  kNone,
  kMeasured,  // Another campaign of this user's is timing on it.
  kForeign,   // Half of the time or more a kernel runs that is none of theirs.
};

// What the driver's account of a device says, nobody of this user's measuring
// on it: of which share of the time a kernel ran, if that is known.  It looks
// back as long as a second, so that what was left a moment ago is taken for
// ours.
Use UseByOthers(double left_s, std::optional<double> busy);

// Asks the device of that UUID now.
Use UseOf(const std::string& uuid);

// Says that a turn on the device has ended, so that UseOf() in all of this
// user's processes knows.
void LeaveDevice(const std::string& uuid);

}  // namespace coppice::eval
