// Help texts, made from the table of verbs and that of settings.  The manual
// (engine/cli/manual.h) says the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/keys.h"
#include "engine/documents/verb.h"

namespace coppice::cli {

struct HelpEntry {
  std::string left;  // "--budget N"
  std::string right;
};

struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries;
};

// Every option that the verb takes: those that matter most, its own, settings
// by group, and what all verbs have.  One section if they are few.
std::vector<HelpSection> OptionSections(const Verb& verb);

// What a setting is, with its default: "attempts of a campaign (30)".
std::string AboutSetting(const config::Key& key);

std::vector<HelpEntry> ExitCodes();

// "coppice db doctor [options]", or "coppice db ACTION ...".
std::string Usage(const Verb& verb);

// "check, copy or compact a database: doctor, backup, ...".
std::string SummaryWithActions(const Verb& verb);

// Its examples as lines that fit; of a verb with actions, those of all.
std::vector<std::string> ExampleLines(const Verb& verb, std::size_t width);

// In lines of `width` columns, but for words that are longer.
std::string OverallHelp(std::size_t width);
std::string VerbHelp(const Verb& verb, std::size_t width);

}  // namespace coppice::cli
