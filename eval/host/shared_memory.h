// Anonymous memory that can be shared with a child by descriptor.
#pragma once

#include <cstddef>
#include <string>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

// What others may do with the descriptor.  Nobody can resize it, so that no
// child can make us fault on our own mapping.
enum class Sharing { kReadOnly, kWritable };

// Writable for us whatever the sharing.  Zero-filled.  What is to be read only
// has all of its pages from the start: one that is there because a process has
// looked at it would be a note for the next process.  Others cost nothing until
// somebody touches them.
class SharedMemory {
 public:
  static Result<SharedMemory> Create(const char* name, std::size_t bytes,
                                     Sharing sharing);
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int fd() const { return fd_.get(); }

  // To read only, and with an offset of its own: how far one process has read
  // in a descriptor that others have, too, would be a note for the next one.
  Result<UniqueFd> OpenToRead() const;

 private:
  UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline constexpr std::uint64_t kOutputLimitBytes = 64 * 1024;

// A memory file for a child's words (standard output and error).
Result<UniqueFd> CreateMemoryFile(const char* name);

// Its first `limit` bytes.
std::string ReadMemoryFile(const UniqueFd& file, std::size_t limit);

}  // namespace coppice::eval
