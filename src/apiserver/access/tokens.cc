#include "apiserver/access/tokens.h"

#include <algorithm>

#include "apiserver/access/local_users.h"
#include "apiserver/refusal.h"
#include "http/sha256.h"

namespace allot::apiserver {
namespace {

constexpr size_t kLongestFile = 4 << 20;
constexpr std::string_view kHashed = "sha256:";
constexpr size_t kHashDigits = 64;

// Splits one line like Go's CSV reader: a quoted field may contain commas, and "" for a quote.
Result<std::vector<std::string>> Fields(std::string_view line) {
  std::vector<std::string> fields;
  for (size_t at = 0;; ++at) {
    std::string field;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return Invalid("a quote is not closed");
        if (line[at] == '"' && (at + 1 >= line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        field += line[at];
      }
      if (++at < line.size() && line[at] != ',') return Invalid("there is text after a closing quote");
    } else {
      const size_t end = std::min(line.find(',', at), line.size());
      field = line.substr(at, end - at);
      if (field.find('"') != std::string::npos) return Invalid("there is a quote inside of a field without quotes");
      at = end;
    }
    fields.push_back(std::move(field));
    if (at >= line.size()) return fields;
  }
}

struct Line {
  std::string hash;
  Identity owner;
};

Result<Line> ReadLine(std::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<std::string> fields, Fields(text));
  if (fields.size() < 3) return Invalid("a line has at least three fields: token,user,uid");
  if (fields[0].empty() || fields[1].empty()) return Invalid("the token or the user is empty");
  Line line;
  if (fields[0].starts_with(kHashed)) {
    line.hash = fields[0].substr(kHashed.size());
    if (line.hash.size() != kHashDigits || line.hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return Invalid("sha256: is not followed by 64 hexadecimal digits in lower case");
    }
  } else {
    line.hash = http::Sha256Hex(fields[0]);
  }
  line.owner = {fields[1], fields[2], {"system:authenticated"}};
  const std::string_view groups = fields.size() > 3 ? std::string_view(fields[3]) : std::string_view();
  for (const std::string_view group : Split(groups, ',')) {
    if (!Trim(group).empty()) line.owner.groups.emplace_back(Trim(group));
  }
  return line;
}

std::string_view WithoutReturn(std::string_view line) { return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line; }
bool IsPassedOver(std::string_view line) { return Trim(line).empty() || line.starts_with('#'); }

std::string Csv(std::string_view field) {
  if (field.find_first_of(",\"") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string WriteLine(std::string_view token, const Identity& owner) {
  std::vector<std::string> groups = owner.groups;
  std::erase(groups, "system:authenticated");  // every user has it
  return StrCat(kHashed, http::Sha256Hex(token), ",", Csv(owner.user), ",", Csv(owner.uid), ",", Csv(Join(groups, ",")), "\n");
}

// Removes the user's first lines, so that at most `keep` of them are left.
std::string WithoutOldest(std::string_view text, std::string_view user, size_t keep) {
  std::vector<std::string_view> lines = Split(text, '\n');
  const auto is_theirs = [&](std::string_view line) {
    const Result<Line> read = ReadLine(WithoutReturn(line));
    return !IsPassedOver(line) && read.ok() && read->owner.user == user;
  };
  std::vector<bool> theirs(lines.size());
  size_t count = 0;
  for (size_t i = 0; i < lines.size(); ++i) count += (theirs[i] = is_theirs(lines[i])) ? 1 : 0;
  std::string kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (theirs[i] && count > keep) {
      --count;
    } else if (i + 1 < lines.size() || !lines[i].empty()) {
      kept += StrCat(lines[i], "\n");
    }
  }
  return kept;
}

}  // namespace

Result<std::unique_ptr<Tokens>> Tokens::Open(FileSystem& files, Random& random, Paths paths) {
  std::unique_ptr<Tokens> tokens(new Tokens(files, random));
  tokens->issued_.path = std::move(paths.issued);
  tokens->given_.path = std::move(paths.given);
  const std::string& given = tokens->given_.path;
  if (!given.empty()) TRY(files.ReadFile(given, kLongestFile).status());
  for (File* const file : {&tokens->issued_, &tokens->given_}) TRY(tokens->Refresh(*file));
  return tokens;
}

void Tokens::Add(std::string_view token, Identity owner) {
  const std::lock_guard lock(mutex_);
  fixed_[http::Sha256Hex(token)] = std::move(owner);
}

// Loads the valid lines and returns the first error.
Status Tokens::Refresh(File& file) {
  if (file.path.empty()) return Status();
  const Result<FileStamp> stamp = files_.Stamp(file.path);
  if (stamp.ok() && file.stamp == *stamp) return Status();
  // An unreadable file may have been changed to revoke a token, so drop all its tokens.
  file.owners.clear();
  file.stamp.reset();
  if (!stamp.ok()) return stamp.status().code() == Code::kNotFound ? Status() : stamp.status();
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(file.path, kLongestFile));
  file.stamp = *stamp;
  Status wrong;
  size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (IsPassedOver(line)) continue;
    Result<Line> read = ReadLine(WithoutReturn(line));
    if (read.ok()) {
      file.owners[read->hash] = std::move(read->owner);
    } else if (wrong.ok()) {
      wrong = std::move(read).status().Context(file.path, ": line ", number);
    }
  }
  return wrong;
}

std::optional<Identity> Tokens::Find(std::string_view token) {
  const std::string hash = http::Sha256Hex(token);
  const std::lock_guard lock(mutex_);
  for (File* const file : {&issued_, &given_}) (void)Refresh(*file).ok();
  for (const Owners* const owners : {&fixed_, &given_.owners, &issued_.owners}) {
    const auto found = owners->find(hash);
    if (found != owners->end()) return found->second;
  }
  return std::nullopt;
}

Result<std::string> Tokens::Issue(const Identity& owner) {
  const bool is_user = std::find(owner.groups.begin(), owner.groups.end(), kUsersGroup) != owner.groups.end();
  if (is_user && !HasEntry(owner.user)) {
    return Refuse(403, "Forbidden",
                  StrCat("User \"", owner.user,
                         "\" has no account on this machine, so the server makes no token; the unix socket works without one"));
  }
  std::string token = "allot_";
  for (int i = 0; i < 4; ++i) {
    const uint64_t bits = random_.Next64();
    for (int shift = 60; shift >= 0; shift -= 4) token += "0123456789abcdef"[(bits >> shift) & 15];
  }
  const std::lock_guard lock(issuing_);
  std::string text = "# Tokens that the server issued, as hashes. Delete a line to revoke one.\n";
  if (files_.Exists(issued_.path)) {
    ASSIGN_OR_RETURN(text, files_.ReadFile(issued_.path, kLongestFile));
  }
  text = WithoutOldest(text, owner.user, kMostOfAUser - 1);
  text += WriteLine(token, owner);
  if (text.size() > kLongestFile) return Exhausted(issued_.path, ": there are too many tokens; delete the lines of unused ones");
  TRY(files_.WriteFileAtomic(issued_.path, text));
  return token;
}

}  // namespace allot::apiserver
