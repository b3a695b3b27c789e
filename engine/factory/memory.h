// What other campaigns' databases know: their evidence, with what their tasks
// are alike in, and of it what is near to a task.  Files are only read.
//
// Nearness is a product, so that what differs in one respect is not made up for
// by others:
//
//   nearness = (0.2 + 0.5 words + 0.3 same operation)
//              * (0.7 if types differ) * 2^(-|difference of log_elements| / 8)
//              * (0.7 on other hardware)
//
// where `words` is store/read/word_index.h.  A task has no evidence of another
// language, nor, unless that is asked for, of itself: by its name, or its
// definition under another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/settings.h"
#include "store/database.h"
#include "store/records/lesson.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// The file that --remember keeps lessons in; kCreate makes its folder, too.
Result<store::Database> OpenLibrary(const config::Settings& settings,
                                    store::Access access);

TaskTraits TraitsOf(const Task& task);

// The lessons of all campaigns of a database, or of one, with traits and
// failures in a line.  Landscapes teach none.
Result<std::vector<Lesson>> EvidenceOf(store::Database& database,
                                       const std::string& file,
                                       const std::string& campaign = "");

// A campaign begins with so many at most.
inline constexpr std::size_t kMostLessons = 512;

enum class OfItself : std::uint8_t { kLeftOut, kUsed };

class Memory {
 public:
  Memory() = default;
  explicit Memory(std::vector<Lesson> lessons) : lessons_(std::move(lessons)) {}

  // Evidence of the campaigns in the files that --memory names, then what these
  // files keep of others'.  What several tell is there once.  A library that
  // nobody made yet is empty for whom --remember will make it.  kUsage names
  // what is no such file.
  static Result<Memory> Load(const config::Settings& settings);

  // The nearest first, of equals those that came first; a person's lines on the
  // task's operation, or on any, before them.
  Result<std::vector<Lesson>> NearTo(const Task& task,
                                     const std::string& hardware,
                                     OfItself of_itself) const;

  std::span<const Lesson> all() const { return lessons_; }

 private:
  std::vector<Lesson> lessons_;
};

}  // namespace coppice::engine
