#include "eval/host/devices.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "eval/host/machine.h"
#include "eval/host/nvml.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

constexpr char kVariable[] = "CUDA_VISIBLE_DEVICES";
constexpr std::string_view kUuid = "GPU-";
constexpr double kForeignShare = 0.5;
constexpr double kLooksBack_s = 2.0;

std::vector<std::string_view> ListedIn(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view word = list.substr(begin, end - begin);
    const std::size_t first = word.find_first_not_of(' ');
    word.remove_prefix(std::min(first, word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

// Null if there is none, or more than one.
const Device* DeviceNamed(const std::vector<Device>& devices,
                          std::string_view word) {
  if (const auto number = ParseNumber<std::size_t>(word)) {
    return *number < devices.size() ? &devices[*number] : nullptr;
  }
  if (!word.starts_with(kUuid)) return nullptr;
  const auto is_it = [&](const Device& device) {
    return device.uuid.starts_with(word);
  };
  if (std::ranges::count_if(devices, is_it) != 1) return nullptr;
  return &*std::ranges::find_if(devices, is_it);
}

bool Holds(const std::vector<Device>& devices, const Device& device) {
  return std::ranges::find(devices, device.uuid, &Device::uuid) !=
         devices.end();
}

// "0: NVIDIA H200 GPU-..., 1: ..."
std::string TextOf(const std::vector<Device>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + ": " + devices[i].name +
            " " + devices[i].uuid;
  }
  return text;
}

std::optional<std::string> Variable() {
  const char* value = std::getenv(kVariable);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

std::vector<Device> VisibleOf(const std::vector<Device>& all,
                              const std::optional<std::string>& variable) {
  std::vector<Device> visible;
  if (!variable) {
    std::ranges::copy_if(all, std::back_inserter(visible),
                         [](const Device& one) { return !one.uuid.empty(); });
    return visible;
  }
  for (const std::string_view word : ListedIn(*variable)) {
    const Device* device = DeviceNamed(all, word);
    if (device == nullptr || device->uuid.empty()) break;
    if (Holds(visible, *device)) break;
    visible.push_back(*device);
  }
  return visible;
}

Result<std::vector<Device>> ChooseDevices(const std::vector<Device>& visible,
                                          std::string_view wanted) {
  if (wanted == "all") return visible;
  if (wanted == "auto") return std::vector{visible.front()};
  std::vector<Device> chosen;
  for (const std::string_view word : ListedIn(wanted)) {
    const auto refuse = [&](const std::string& why) {
      return Fail(Errc::kUsage, "--devices " + std::string(wanted) + ": " +
                                    std::string(word) + why);
    };
    const Device* device = DeviceNamed(visible, word);
    if (device == nullptr) {
      return refuse(" is none of the devices that are visible here (" +
                    TextOf(visible) + ")");
    }
    if (Holds(chosen, *device)) return refuse(" is listed twice");
    chosen.push_back(*device);
  }
  return chosen;
}

Result<std::vector<Device>> VisibleDevices() {
  TRY(all, cuda::Nvml::List());
  std::vector<Device> devices;
  const auto count = static_cast<unsigned>(all.size());
  for (unsigned i = 0; i < count; ++i) {
    devices.push_back({all[i].uuid, all[i].name, i, count});
  }
  const std::optional<std::string> variable = Variable();
  std::vector<Device> visible = VisibleOf(devices, variable);
  if (!visible.empty()) return visible;
  if (variable && variable->find("MIG-") != variable->npos) {
    return Fail(Errc::kUnavailable,
                std::string("CUDA: ") + kVariable + "=" + *variable +
                    " names a part of a device (MIG), and only whole ones can "
                    "be chosen");
  }
  std::string why = "the driver knows none";
  if (!devices.empty()) why = "the driver reaches none";
  if (!devices.empty() && variable) {
    why = std::string(kVariable) + "=" + *variable + " shows none of the " +
          std::to_string(devices.size()) + " of this machine";
  }
  return Fail(Errc::kNotFound, "CUDA: no device here: " + why);
}

Use UseByOthers(double left_s, std::optional<double> busy) {
  if (left_s < kLooksBack_s) return Use::kNone;
  return busy.value_or(0.0) >= kForeignShare ? Use::kForeign : Use::kNone;
}

Use UseOf(const std::string& uuid) {
  if (MeasurementLock::IsTaken(uuid).value_or(false)) return Use::kMeasured;
  const auto left_s = MeasurementLock::SecondsSinceUse(uuid);
  const auto nvml = cuda::Nvml::Open(uuid);
  return UseByOthers(left_s.value_or(kLooksBack_s),
                     nvml ? (*nvml)->Busy() : std::nullopt);
}

// Without that note, a device may be set aside for a while.
void LeaveDevice(const std::string& uuid) {
  static_cast<void>(MeasurementLock::NoteUse(uuid));
}

}  // namespace coppice::eval
