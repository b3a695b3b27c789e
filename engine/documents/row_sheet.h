// Rows that are described once, and printed as a table for people, or as JSON
// or CSV for programs.  Who fills one includes nlohmann/json.hpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace coppice::cli {

enum class Align : std::uint8_t;
struct Column;
struct Invocation;
struct Streams;

// Numbers and what is missing stand on the right.
struct RowColumn {
  using Text = std::string (*)(double);

  RowColumn(const Column& both);
  RowColumn(const char* both);
  RowColumn(std::optional<std::string> for_people,
            std::optional<std::string> for_programs, Text of_number = nullptr)
      : title(std::move(for_people)),
        key(std::move(for_programs)),
        text(of_number) {}

  std::optional<std::string> title;  // None: people do not see it.
  std::optional<std::string> key;    // None: programs do not see it.  Empty:
                                     // they see the members of an object.
  Text text = nullptr;               // Null: four digits of what is not whole.
  Align align{};                     // Left.
};

RowColumn ForPeople(const Column& column);
inline RowColumn ForPrograms(const std::string& key) {
  return {std::nullopt, key};
}

struct RowSheet {
  std::string name;  // Of the list, where there are several.
  std::vector<RowColumn> columns;
  std::vector<std::vector<nlohmann::ordered_json>> rows{};
  std::string note{};     // For people, below the table.
  std::string missing{};  // What people read of null.
};

void PrintTable(const RowSheet& sheet, Streams& streams);
// REQUIRES: each column has a key.
void PrintCsv(const RowSheet& sheet, std::ostream& out);

// An array with an object for each row.
nlohmann::ordered_json RowsJson(const RowSheet& sheet);

// A document if --json is given, else a table.
void PrintRows(const Invocation& invocation, const RowSheet& sheet,
               Streams& streams);

}  // namespace coppice::cli
