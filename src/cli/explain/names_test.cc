#include "cli/explain/names.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/strings.h"
#include "cli/status/words.h"
#include "sched/reason_json.h"

namespace allot::cli {
namespace {

// The names in the first column of the table of docs/cli.md that begins with this heading.
std::set<std::string> Documented(std::string_view heading) {
  std::ifstream file(ALLOT_DOCS "/cli.md");
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(StrCat("| ", heading, " |"))) {
      inside = true;
    } else if (!line.starts_with("|")) {
      inside = false;
    } else if (inside) {
      std::istringstream column(line.substr(1, line.find('|', 1) - 1));
      for (std::string text; std::getline(column, text, '`');) {
        if (std::getline(column, text, '`')) names.insert(text);
      }
    }
  }
  return names;
}

// The names of all kinds up to `last`, which is the enumeration's last one.
template <typename Kind, typename Name>
std::set<std::string> NamesUpTo(Kind last, const Name& name) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.emplace(name(static_cast<Kind>(i)));
  names.erase("None");
  return names;
}

TEST(StableNames, DocumentedReasonsOfNodesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`kind` of a node"), NamesUpTo(sched::NodeReason::Kind::kKept, [](auto kind) { return sched::NameOf(kind); }));
}

TEST(StableNames, DocumentedReasonsOfDevicesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`kind` of a device"), NamesUpTo(alloc::Reason::Kind::kNotTogether, [](auto kind) { return sched::NameOf(kind); }));
}

TEST(StableNames, DocumentedReasonsOfPoolsAreTheOnesOfTheCode) {
  std::set<std::string> names = NamesUpTo(alloc::Reason::Kind::kPoolInvalid, [](auto kind) { return sched::NameOf(kind); });
  for (const std::string& name : Documented("`kind` of a device")) names.erase(name);
  EXPECT_EQ(Documented("`kind` of a pool"), names);
}

TEST(StableNames, DocumentedChangesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`change` of a remedy"),
            NamesUpTo(sched::Remedy::Change::kMoreNodes, [](auto kind) { return sched::NameOf(kind); }));
}

TEST(StableNames, DocumentedHeadlinesAreTheOnesOfTheCode) {
  std::set<std::string> names = NamesUpTo(view::Headline::Kind::kDeleted, [](auto kind) { return NameOf(kind); });
  names.erase("Obstacle");  // it has the name of the obstacle
  names.merge(NamesUpTo(sched::Obstacle::Kind::kVolume, [](auto kind) { return sched::NameOf(kind); }));
  EXPECT_EQ(Documented("`kind` of a headline"), names);
}

TEST(StableNames, DocumentedFixesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`kind` of a fix"), NamesUpTo(view::Fix::Kind::kNoPluginHere, [](auto kind) { return NameOf(kind); }));
}

TEST(StableNames, DocumentedDetailsAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`kind` of a detail"), NamesUpTo(view::Detail::Kind::kElsewhereToday, [](auto kind) { return NameOf(kind); }));
}

TEST(StableNames, DocumentedNotesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`kind` of a note"), NamesUpTo(view::Note::Kind::kTemplate, [](auto kind) { return NameOf(kind); }));
}

TEST(StableNames, DocumentedCausesAreTheOnesOfTheCode) {
  EXPECT_EQ(Documented("`cause` of a waiting Pod"),
            NamesUpTo(view::WaitingPod::Cause::kNoCdiDevice, [](auto cause) { return NameOf(cause); }));
}

TEST(StableNames, DocumentedStatesAreTheOnesOfTheCode) {
  std::ifstream file(ALLOT_DOCS "/cli.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string states;
  for (int i = 0; i <= static_cast<int>(view::Answer::State::kEnded); ++i) {
    states += StrCat(i == 0 ? "`" : ", `", NameOf(static_cast<view::Answer::State>(i)), "`");
  }
  EXPECT_NE(text.str().find(StrCat("`state`: ", states, ";")), std::string::npos);
}

}  // namespace
}  // namespace allot::cli
