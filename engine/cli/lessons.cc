// coppice lessons: what campaigns found out about techniques, and what people
// wrote down for those to come.
#include "store/write/lessons.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "agents/prompt/lesson_table.h"
#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/memory.h"
#include "engine/process/clock.h"
#include "store/records/parse_number.h"
#include "store/records/speedup_text.h"
#include "store/records/technique.h"

namespace coppice::cli {
namespace {

using LessonJson = nlohmann::ordered_json;

constexpr Option kLibraryOption{"library", Takes::kNothing, "",
                                "instead of --db: what --remember keeps"};
constexpr Option kOperationOption{"operation", Takes::kText, "OPERATION",
                                  "only on tasks of this one: softmax"};
constexpr Option kTechniqueOption{"technique", Takes::kText, "TECHNIQUE",
                                  "only of this one, by its name: jam"};

Result<store::Database> OpenChosen(const Invocation& invocation,
                                   store::Access access) {
  if (!invocation.Has("library")) {
    return access == store::Access::kReadOnly ? OpenToLook(invocation)
                                              : OpenToWrite(invocation, access);
  }
  return engine::OpenLibrary(invocation.settings(), access);
}

Result<std::int64_t> NumberOf(const std::string& word) {
  const auto number = ParseNumber<std::int64_t>(word);
  if (number && *number > 0) return *number;
  return Fail(Errc::kUsage,
              word +
                  ": expected the number of a lesson; `coppice lessons "
                  "list` has them");
}

bool IsWanted(const Invocation& invocation, const Lesson& lesson) {
  const auto operation = invocation.Text("operation");
  if (operation && lesson.task.operation != *operation) return false;
  const auto technique = invocation.Text("technique");
  return !technique || std::ranges::any_of(TechniquesOf(lesson.technique),
                                           [&](const Technique& step) {
                                             return step.name == *technique;
                                           });
}

std::string FailureText(const LessonSum& sum) {
  if (!sum.failed_as) return "-";
  const std::string verdict(Name(*sum.failed_as));
  return sum.failure.empty() ? verdict : verdict + ": " + OneLine(sum.failure);
}

RowSheet SheetOf(const std::vector<LessonSum>& sums) {
  RowSheet sheet{"techniques",
                 {"technique", "operation", "tries", "passed", "gained",
                  ForPeople(Right("median effect (95 %)")),
                  ForPrograms("effect"), ForPrograms("effect_low"),
                  ForPrograms("effect_high"), ForPeople("most fail as"),
                  ForPrograms("most_fail_as"), ForPrograms("failure")}};
  for (const LessonSum& sum : sums) {
    const LessonJson effect = SpeedupJson(sum.effect);
    sheet.rows.push_back(
        {sum.kind, sum.operation, sum.tries, sum.passed, sum.gained,
         sum.effect ? SpeedupText(*sum.effect) : "-", effect["speedup"],
         effect["speedup_low"], effect["speedup_high"], FailureText(sum),
         NameOrNull(sum.failed_as), sum.failure});
  }
  return sheet;
}

void PrintNotes(const std::vector<Lesson>& lessons, Streams& streams) {
  for (const Lesson& lesson : lessons) {
    if (!lesson.IsNote()) continue;
    streams.out << lesson.id << "  " << OneLine(lesson.note);
    for (const std::string& about : {lesson.technique, lesson.task.operation}) {
      if (!about.empty()) streams.out << "  " << OneLine(about);
    }
    streams.out << "\n";
  }
}

LessonJson NoteJson(const Lesson& lesson) {
  return {{"lesson", lesson.id},
          {"note", lesson.note},
          {"operation", lesson.task.operation},
          {"technique", lesson.technique}};
}

Result<Exit> RunList(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenChosen(invocation, store::Access::kReadOnly));
  TRY(lessons, engine::EvidenceOf(database, invocation.settings().db.string()));
  TRY(own, store::ReadOwnLessons(database));
  std::ranges::move(own, std::back_inserter(lessons));
  std::erase_if(lessons, [&](const Lesson& lesson) {
    return !IsWanted(invocation, lesson);
  });
  std::vector<LessonSum> sums = SumUp(lessons);
  std::ranges::stable_sort(sums, std::ranges::greater(), &LessonSum::tries);
  if (invocation.Has("json")) {
    std::erase_if(lessons, std::not_fn(&Lesson::IsNote));
    PrintDocument({{"techniques", RowsJson(SheetOf(sums))},
                   {"notes", ArrayOf(lessons, NoteJson)}},
                  streams.out);
    return Exit::kDone;
  }
  if (!sums.empty()) PrintTable(SheetOf(sums), streams);
  PrintNotes(lessons, streams);
  if (lessons.empty()) streams.out << "no lessons\n";
  return Exit::kDone;
}

Result<void> CheckNote(const std::string& note) {
  if (note.find_first_not_of(" \t\n") == std::string::npos) {
    return Fail(Errc::kUsage, "a lesson needs words");
  }
  if (note.size() <= agents::kMostNoteBytes) return {};
  return Fail(Errc::kUsage, "a lesson of " + std::to_string(note.size()) +
                                " bytes: agents are shown " +
                                std::to_string(agents::kMostNoteBytes) +
                                " at most");
}

Result<Exit> RunAdd(const Invocation& invocation, Streams& streams) {
  const std::string& note = invocation.arguments.front();
  TRY_DONE(CheckNote(note));
  TRY(database, OpenChosen(invocation, store::Access::kCreate));
  TRY(id,
      store::AddNote(database, note, invocation.Text("operation").value_or(""),
                     invocation.Text("technique").value_or(""),
                     engine::SystemClock().UnixSeconds()));
  streams.out << "lesson " << id << "\n";
  return Exit::kDone;
}

Result<Exit> RunEdit(const Invocation& invocation, Streams&) {
  TRY(id, NumberOf(invocation.arguments.front()));
  const store::NoteChange change{invocation.Text("note"),
                                 invocation.Text("operation"),
                                 invocation.Text("technique")};
  if (!change.note && !change.operation && !change.technique) {
    return Fail(Errc::kUsage,
                "give --note, --operation or --technique: what is to change");
  }
  if (change.note) TRY_DONE(CheckNote(*change.note));
  TRY(database, OpenChosen(invocation, store::Access::kReadWrite));
  TRY_DONE(store::EditNote(database, id, change));
  return Exit::kDone;
}

Result<Exit> RunRemove(const Invocation& invocation, Streams&) {
  TRY(id, NumberOf(invocation.arguments.front()));
  TRY(database, OpenChosen(invocation, store::Access::kReadWrite));
  TRY_DONE(store::RemoveLesson(database, id));
  return Exit::kDone;
}

}  // namespace

Verb LessonsVerb() {
  const auto database = config::NamesIn({config::Group::kDatabase});
  const Option about_operation{"operation", Takes::kText, "OPERATION",
                               "that it is about; by default any"};
  const Option about_technique{"technique", Takes::kText, "TECHNIQUE",
                               "that it is about"};
  return {
      .name = "lessons",
      .summary = "what campaigns found out, for those to come",
      .actions =
          {{.name = "lessons list",
            .summary = "what each technique came to on each operation, and "
                       "what people wrote down",
            .examples = "  coppice lessons list\n"
                        "  coppice lessons list --operation gemm --db mine.db\n"
                        "  coppice lessons list --library --json\n",
            .options = {kOperationOption, kTechniqueOption, kLibraryOption,
                        kJsonOption},
            .settings = database,
            .run = RunList},
           {.name = "lessons add",
            .summary = "write down a line that agents are shown",
            .arguments = "TEXT",
            .examples = "  coppice lessons add \"Keep a row in registers.\" "
                        "--operation softmax\n"
                        "  coppice lessons add \"Never across the batch.\" "
                        "--technique parallel --library\n",
            .options = {about_operation, about_technique, kLibraryOption},
            .settings = database,
            .run = RunAdd},
           {.name = "lessons edit",
            .summary = "change a line that somebody wrote down",
            .arguments = "LESSON",
            .examples = "  coppice lessons edit 3 --note \"Keep two rows.\"\n",
            .options = {{"note", Takes::kText, "TEXT", "in place of its words"},
                        about_operation,
                        about_technique,
                        kLibraryOption},
            .settings = database,
            .run = RunEdit},
           {.name = "lessons remove",
            .summary = "show a lesson to nobody any more",
            .arguments = "LESSON",
            .examples = "  coppice lessons remove 3\n",
            .options = {kLibraryOption},
            .settings = database,
            .run = RunRemove}},
  };
}

}  // namespace coppice::cli
