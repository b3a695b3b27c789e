// The machine that a measurement is made on, and the right to measure on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

std::string ProcessorName();  // "AMD EPYC"; "unknown" if the kernel is mute.

// Name and instruction sets: machines that agree here may share objects that
// were compiled for "native".
std::string ProcessorIdentity();

std::string SystemName();  // "Linux 6.1.0-18-amd64".

std::string LibraryVersion();  // Of glibc, "2.36".

std::uint64_t MemoryBytes();  // Physical.

// The first processor's clock now; none if the kernel does not say.
std::optional<double> ProcessorClockMhz();

// The hottest processor package; none if the kernel does not say.
std::optional<double> ProcessorTemperatureC();

// Held while timing: at most one holder of a device or a processor on this
// machine and for this user, across processes.  The kernel releases it if the
// holder dies.
class MeasurementLock {
 public:
  // Waits for the present holder.  Fails with kCancelled, or kIo if a lock
  // file in /tmp/coppice-UID cannot be trusted or made.  `device` is an
  // identifier that is fit for a file name; none: all processors that this
  // thread may use, so that who may use others measures at the same time.
  static Result<MeasurementLock> Acquire(const std::atomic<bool>* cancelled,
                                         const std::string& device = "");

  // Whether somebody has it, or a part of it, at this moment.  Fails as
  // Acquire() does.
  static Result<bool> IsTaken(const std::string& device = "");

  // Notes that whoever measured is done with it, and with what was not timed;
  // and how many seconds ago that was.  Where nobody has measured yet, it
  // counts as just now when it is first asked for.
  static Result<void> NoteUse(const std::string& device);
  static Result<double> SecondsSinceUse(const std::string& device);

 private:
  explicit MeasurementLock(std::vector<UniqueFd> files)
      : files_(std::move(files)) {}
  std::vector<UniqueFd> files_;
};

}  // namespace coppice::eval
