// What a request says, read field by field.  Whatever is wrong with it is
// collected, so that who asked can mend all of it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice::service {

class Arguments {
 public:
  // A JSON object; an empty text is one without fields.
  explicit Arguments(std::string_view request);
  ~Arguments();
  Arguments(Arguments&&) noexcept;
  Arguments& operator=(Arguments&&) = delete;

  // What is asked for and missing, or of another kind, is a fault; then they
  // return what stands for nothing.
  std::string Text(std::string_view key);
  std::int64_t Count(std::string_view key, std::int64_t least,
                     std::int64_t most);
  std::optional<std::string> OptionalText(std::string_view key);
  // One of `words`, the first of them by default.
  std::string OneOf(std::string_view key,
                    const std::vector<std::string_view>& words);
  double Number(std::string_view key, double least, double most,
                double otherwise);
  std::optional<std::int64_t> OptionalCount(std::string_view key,
                                            std::int64_t least,
                                            std::int64_t most);
  bool Flag(std::string_view key);
  // The objects of an array of so many, or no array: a fault.  Each is read,
  // and given to Join().
  std::vector<Arguments> Objects(std::string_view key, std::size_t least,
                                 std::size_t most);
  // Reads one object in the same way; none: it is not there.
  std::optional<Arguments> OptionalObject(std::string_view key);

  // "source: and path: give one of them".
  void Fault(std::string fault);
  // What was wrong with a part counts as wrong with the whole.
  void Join(Arguments& part);

  // kUsage names all faults, and the fields that nobody has asked for.
  Result<void> Done();

 private:
  struct State;
  explicit Arguments(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace coppice::service
