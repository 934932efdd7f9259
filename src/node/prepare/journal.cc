#include "node/prepare/journal.h"

#include <array>
#include <charconv>

#include "json/json.h"

namespace allot::node {

namespace {

constexpr std::string_view kHeader = "allot-journal 1\n";
constexpr std::string_view kHeaderStart = "allot-journal ";
constexpr size_t kMaxJournal = 64 << 20;
constexpr size_t kMinRewrite = 64 << 10;      // a smaller file is not rewritten
constexpr size_t kBytesPerHolding = 4 << 10;  // ten times what a holding needs
constexpr std::chrono::milliseconds kLockWait{10'000};
constexpr json::Limits kLineLimits{.depth = 8, .nodes = 10'000, .bytes = 1 << 20};

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
    table[i] = value;
  }
  return table;
}

uint32_t Crc32(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeCrcTable();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~crc;
}

std::string Line(const std::string& json) {
  const uint32_t crc = Crc32(json);
  std::string line;
  for (int shift = 28; shift >= 0; shift -= 4) line += "0123456789abcdef"[crc >> shift & 0xF];
  return StrCat(line, " ", json, "\n");
}

// Returns the JSON of a line. Nothing: its checksum does not match.
std::optional<std::string_view> Verified(std::string_view line) {
  if (line.size() < 9 || line[8] != ' ') return std::nullopt;
  uint32_t crc = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + 8, crc, 16);
  const std::string_view json = line.substr(9);
  if (error != std::errc() || end != line.data() + 8 || crc != Crc32(json)) return std::nullopt;
  return json;
}

std::string HoldLine(const Holding& holding) { return StrCat(R"({"hold":)", holding.ToJson(), "}"); }
std::string ReleaseLine(std::string_view uid) { return StrCat(R"({"release":)", Quoted(uid, std::string::npos), "}"); }

// Applies one line. False: the line is not a change.
bool Apply(std::string_view json, Holdings& holdings) {
  const Result<json::Document> line = json::Parse(json, kLineLimits);
  if (!line.ok() || !line->root().IsObject()) return false;
  if (const json::Value& uid = line->root()["release"]; uid.IsString()) {
    const auto found = holdings.find(uid.AsString());
    if (found != holdings.end()) holdings.erase(found);
    return true;
  }
  Result<Holding> holding = Holding::FromJson(line->root()["hold"]);
  if (!holding.ok()) return false;
  std::string uid = holding->uid;
  holdings.insert_or_assign(std::move(uid), std::make_shared<const Holding>(*std::move(holding)));
  return true;
}

}  // namespace

Journal::Journal(FileSystem& files, const std::string& folder)
    : files_(files), path_(folder + "/journal"), lock_path_(folder + "/journal.lock") {}

Result<std::unique_ptr<Journal>> Journal::Open(FileSystem& files, const std::string& folder) {
  std::unique_ptr<Journal> journal(new Journal(files, folder));
  TRY(journal->Read().status());
  return journal;
}

Result<Holdings> Journal::Read() {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> file_lock, files_.Lock(lock_path_, kLockWait));
  TRY(Refresh());
  return holdings_;
}

Status Journal::Inspect(const std::function<Status(const Holdings& held)>& look) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> file_lock, files_.Lock(lock_path_, kLockWait));
  TRY(Refresh());
  return look(holdings_);
}

Status Journal::Add(const Holding& holding, const std::function<Status(const Holdings& others)>& check) {
  uint64_t change = 0;
  {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> file_lock, files_.Lock(lock_path_, kLockWait));
    TRY(Refresh());
    Holdings others = holdings_;
    others.erase(holding.uid);
    TRY(check(others));
    TRY(Append(HoldLine(holding)));
    change = appended_;
  }
  return SyncThrough(change);
}

Status Journal::Replace(const Holding& holding) {
  uint64_t change = 0;
  {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> file_lock, files_.Lock(lock_path_, kLockWait));
    TRY(Refresh());
    if (!holdings_.contains(holding.uid)) return NotFound("claim ", holding.ClaimName(), " was unprepared by another agent");
    TRY(Append(HoldLine(holding)));
    change = appended_;
  }
  return SyncThrough(change);
}

Status Journal::Remove(std::string_view uid) {
  uint64_t change = 0;
  {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const std::unique_ptr<FileLock> file_lock, files_.Lock(lock_path_, kLockWait));
    TRY(Refresh());
    if (!holdings_.contains(uid)) return {};
    TRY(Append(ReleaseLine(uid)));
    change = appended_;
  }
  return SyncThrough(change);
}

std::vector<std::string> Journal::TakeDamage() {
  const std::lock_guard lock(mutex_);
  return std::exchange(damage_, {});
}

Status Journal::Refresh() {
  const Result<FileStamp> now = files_.Stamp(path_);
  if (!now.ok() && now.status().code() != Code::kNotFound) return now.status();
  if (!now.ok() || stamp_ != *now) TRY(Load(now));
  // Nothing is answered from changes that may not be on the disk.
  return suspect_ ? Rewrite() : Status();
}

Status Journal::Load(const Result<FileStamp>& now) {
  Forget();
  std::string text;
  if (now.ok()) {
    ASSIGN_OR_RETURN(text, files_.ReadFile(path_, kMaxJournal));
  }
  if (text.starts_with(kHeaderStart) && !text.starts_with(kHeader) && text.find('\n') != std::string::npos) {
    return Invalid(path_, " was written by a newer allot (", Quoted(Trim(text.substr(0, text.find('\n')))),
                   "); run that version, or drain the node and remove the file");
  }
  Replay(text);
  bytes_ = text.size();
  if (now.ok()) stamp_ = *now;
  return {};
}

void Journal::Replay(std::string_view text) {
  holdings_.clear();
  torn_ = !text.starts_with(kHeader);
  size_t damaged = 0;
  const std::string_view all = text;
  if (!torn_) text.remove_prefix(kHeader.size());
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const auto json = end == std::string_view::npos ? std::nullopt : Verified(text.substr(0, end));
    if (!json || !Apply(*json, holdings_)) {
      torn_ = true;
      // A crash leaves the last line without its end. The change was never acknowledged, so nothing is lost.
      if (end != std::string_view::npos) ++damaged;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (damaged == 0) return;
  const std::string kept = path_ + ".damaged";
  const Status copied = files_.WriteFileAtomic(kept, all);
  damage_.push_back(StrCat(path_, ": ", damaged, damaged == 1 ? " line does" : " lines do",
                           " not match the checksum and cannot be trusted; ",
                           copied.ok() ? StrCat("the file as it was is ", kept) : StrCat("no copy was kept: ", copied.message())));
}

Status Journal::Append(const std::string& json) {
  if (torn_ || !stamp_ || (bytes_ > kMinRewrite && bytes_ > kBytesPerHolding * holdings_.size())) TRY(Rewrite());
  const std::string line = Line(json);
  const Status appended = files_.AppendFile(path_, line);
  // It is unknown what the file has now, so it must be read again.
  Forget();
  TRY(Status(appended));
  CHECK(Apply(json, holdings_));
  bytes_ += line.size();
  ++appended_;
  if (const Result<FileStamp> now = files_.Stamp(path_); now.ok()) stamp_ = *now;
  return {};
}

Status Journal::Rewrite() {
  std::string text(kHeader);
  for (const auto& [uid, holding] : holdings_) text += Line(HoldLine(*holding));
  TRY(files_.WriteFileAtomic(path_, text));
  ASSIGN_OR_RETURN(stamp_, files_.Stamp(path_));
  bytes_ = text.size();
  torn_ = suspect_ = false;
  return {};
}

Status Journal::SyncThrough(uint64_t change) {
  std::unique_lock lock(sync_mutex_);
  for (;;) {
    if (failed_ >= change) return failure_;
    if (synced_ >= change) return {};
    if (syncing_) {
      sync_done_.wait(lock);
      continue;
    }
    syncing_ = true;
    lock.unlock();
    uint64_t covers = 0;
    {
      const std::lock_guard changes(mutex_);
      covers = appended_;
    }
    const Status synced = files_.SyncFile(path_);
    if (!synced.ok()) {
      // The kernel dropped the data that it could not write, and reports that only once. So the next Refresh writes a new file with all
      // holdings. Changes that were appended meanwhile may be among the dropped data.
      const std::lock_guard changes(mutex_);
      suspect_ = true;
      covers = appended_;
    }
    lock.lock();
    syncing_ = false;
    if (synced.ok()) {
      synced_ = std::max(synced_, covers);
    } else {
      failed_ = std::max(failed_, covers);
      failure_ = synced;
    }
    sync_done_.notify_all();
  }
}

}  // namespace allot::node
