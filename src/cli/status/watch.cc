#include "cli/status/watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>

#include "base/random.h"
#include "base/strings.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/status/screen.h"
#include "cli/status/words.h"
#include "control/server_features.h"
#include "json/yaml_write.h"
#include "kube/age.h"
#include "kube/informer.h"
#include "kube/timestamp.h"

namespace allot::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // the alternate screen, without a cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

// Ctrl-Z restores the shell's screen; `fg` restores ours.
std::atomic<bool> resumed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void StopForAWhile(int signal) {
  const int before = errno;
  static_cast<void>(!::write(STDOUT_FILENO, kLeave.data(), kLeave.size()));
  // The default action: the kernel does not stop an orphaned process group, which no shell could continue.
  struct sigaction ours, plain = {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(signal, &plain, &ours);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // it stops here
  ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
  ::sigaction(signal, &ours, nullptr);
  static_cast<void>(!::write(STDOUT_FILENO, kEnter.data(), kEnter.size()));
  resumed = true;
  errno = before;
}

// One kind that is followed, or why it cannot be.
class Feed final : public kube::Informer::Handler {
 public:
  Feed(Session& session, const kube::ResourceType& type, std::string field_selector, const WatchPace& pace, Random& random,
       std::atomic<bool>& changed)
      : changed_(changed) {
    kube::Informer::Options options;
    options.field_selector = std::move(field_selector);
    options.first_pause = pace.first_pause;
    options.longest_pause = pace.longest_pause;
    informer_ = std::make_unique<kube::Informer>(session.client(), type, std::move(options), random, this);
    informer_->Start();
  }
  ~Feed() override { informer_->Stop(); }

  void OnAdded(const kube::ObjectPtr&) override { changed_ = true; }
  void OnUpdated(const kube::ObjectPtr&, const kube::ObjectPtr&) override { changed_ = true; }
  void OnDeleted(const kube::ObjectPtr&) override { changed_ = true; }

  bool synced() const { return informer_->synced(); }
  Status status() const { return informer_->status(); }
  // Whether the list is forbidden or not served. The informer keeps trying.
  bool IsRefused() const { return IsForbidden(status()) || IsMissing(status()); }

  Listing List() const {
    Listing listing;
    if (!synced()) {
      listing.status = status();
      return listing;
    }
    informer_->snapshot()->Each([&](const kube::ObjectPtr& object) { listing.objects.push_back(object); });
    std::sort(listing.objects.begin(), listing.objects.end(),
              [](const kube::ObjectPtr& a, const kube::ObjectPtr& b) { return kube::KeyOf(*a) < kube::KeyOf(*b); });
    return listing;
  }

 private:
  std::atomic<bool>& changed_;
  std::unique_ptr<kube::Informer> informer_;
};

struct Feeds {
  Feeds(Session& session, const WatchPace& pace, Random& random, std::atomic<bool>& changed)
      : slices(session, kube::types::kResourceSlices, "", pace, random, changed),
        claims(session, kube::types::kResourceClaims, "", pace, random, changed),
        classes(session, kube::types::kDeviceClasses, "", pace, random, changed),
        nodes(session, kube::types::kNodes, "", pace, random, changed),
        pods(session, kube::types::kPods, "status.phase=Pending", pace, random, changed),
        events(session, kube::types::kEvents, "reason=FailedPrepareDynamicResources", pace, random, changed) {}

  std::vector<const Feed*> All() const { return {&slices, &claims, &classes, &nodes, &pods, &events}; }
  bool Ready() const {
    const auto all = All();
    return std::all_of(all.begin(), all.end(), [](const Feed* feed) { return feed->synced() || feed->IsRefused(); });
  }
  // Returns the first error of a list that we may read.
  Status Trouble() const {
    for (const Feed* const feed : All()) {
      // The informer lists an expired history again at once.
      const Status status = feed->status();
      if (!status.ok() && !feed->IsRefused() && !kube::IsExpired(status)) return status;
    }
    return Status();
  }
  view::StatusLists Lists(const alloc::Features& features) const {
    view::StatusLists lists;
    lists.features = features;
    lists.slices = slices.List();
    lists.nodes = nodes.List();
    lists.waiting.claims = claims.List();
    lists.waiting.classes = classes.List();
    lists.waiting.pods = pods.List();
    lists.waiting.events = events.List();
    return lists;
  }

  Feed slices, claims, classes, nodes, pods, events;
};

size_t HeightOfOutput() {
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

// Draws the text over the last frame, cut to the height.
std::string Frame(const std::string& text, size_t height) {
  std::vector<std::string_view> lines = Split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::string frame = "\x1b[H";
  const size_t shown = lines.size() <= height ? lines.size() : height - 1;
  for (size_t i = 0; i < shown; ++i) frame += StrCat(i == 0 ? "" : "\r\n", lines[i], "\x1b[K");
  if (shown < lines.size()) frame += StrCat("\r\n... ", lines.size() - shown, " more lines: allot status | less\x1b[K");
  return frame + "\x1b[J";
}

bool DrawsOver(const std::string& output) { return output.empty() && ::isatty(STDOUT_FILENO) == 1; }

class Watcher {
 public:
  Watcher(Session& session, const std::vector<std::string>& nodes, std::string output, const WatchPace& pace)
      : session_(session), nodes_(nodes), output_(std::move(output)), pace_(pace), terminal_(DrawsOver(output_)) {}

  Status Run(const Cancel& stop) {
    Feeds feeds(session_, pace_, random_, changed_);
    TRY(AwaitFirst(feeds, stop));
    if (stop.requested()) return Status();
    // Report errors that a single `allot status` reports before the screen changes.
    if (const Result<alloc::Features> features = control::AskFeatures(session_.client(), {}); features.ok()) features_ = *features;
    TRY(view::OverviewOf(session_.client(), feeds.Lists(features_), nodes_).status());
    if (terminal_) {
      struct sigaction stop_for_a_while = {};
      stop_for_a_while.sa_handler = StopForAWhile;
      stop_for_a_while.sa_flags = SA_RESTART;
      ::sigaction(SIGTSTP, &stop_for_a_while, nullptr);
      TRY(Print(kEnter));
      TRY(Flush());
    }
    const Status ended = Follow(feeds, stop);
    if (!terminal_) return ended;
    const Status left = Print(kLeave);
    return ended.ok() ? left : ended;
  }

 private:
  static bool Sleep(std::chrono::milliseconds time, const Cancel& stop) {
    pollfd wait{stop.fd(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(time.count()));
    return !stop.requested();
  }

  Status AwaitFirst(const Feeds& feeds, const Cancel& stop) {
    while (!feeds.Ready()) {
      if (const Status trouble = feeds.Trouble(); !trouble.ok()) return trouble;
      if (!Sleep(pace_.look, stop)) return Status();
    }
    return Status();
  }

  Status Follow(const Feeds& feeds, const Cancel& stop) {
    std::optional<steady_clock::time_point> drawn;
    size_t width = 0, height = 0;
    do {
      const Status trouble = LastingTrouble(feeds);
      const auto since = drawn ? steady_clock::now() - *drawn : steady_clock::duration::max();
      const bool resized = terminal_ && (ScreenOfOutput().width != width || HeightOfOutput() != height);
      const bool due = changed_ || resized || resumed.exchange(false) || (terminal_ && since >= pace_.refresh) || !drawn;
      if (!due || since < pace_.between) continue;
      width = ScreenOfOutput().width, height = HeightOfOutput();
      changed_ = false;
      drawn = steady_clock::now();
      TRY(Draw(feeds, trouble, height));
    } while (Sleep(pace_.look, stop));
    return Status();
  }

  // Returns why the data are old, once that has lasted a while.
  Status LastingTrouble(const Feeds& feeds) {
    Status trouble = feeds.Trouble();
    if (trouble.ok()) {
      stale_since_.reset();
    } else if (!stale_since_) {
      stale_since_ = session_.Now();
    }
    if (!trouble.ok() && session_.Now() - *stale_since_ < pace_.stale_after) trouble = Status();
    if (trouble.ok() == is_stale_) {
      is_stale_ = !trouble.ok();
      changed_ = true;
    }
    return trouble;
  }

  Status Draw(const Feeds& feeds, const Status& trouble, size_t height) {
    const Result<view::Overview> overview = view::OverviewOf(session_.client(), feeds.Lists(features_), nodes_);
    if (overview.ok()) {
      overview_ = *overview;
    } else if (trouble.ok()) {
      return ShowText(StrCat(ErrorText(overview.status()), "\n"), ErrorText(overview.status()), height);
    }
    const json::Document document = StatusJson(overview_);
    const std::string facts_text = json::WriteSortedJson(document.root());
    if (output_ == "json") return ShowText(facts_text, facts_text, height);
    if (output_ == "yaml") return ShowText(StrCat("---\n", json::WriteYaml(document.root())), facts_text, height);
    const WallTime now = session_.Now();
    const std::string time = kube::WriteTime(now);
    const Screen screen = ScreenOfOutput();
    std::string text = trouble.ok() ? StrCat(time, "\n")
                                    : Wrap("",
                                           StrCat("STALE since ", kube::WriteTime(*stale_since_), ", for ",
                                                  kube::HumanDuration(now - *stale_since_), ": ", trouble.message()),
                                           2, screen.width);
    const std::string missing = MissingWords(overview_);
    text += StrCat(StatusText(overview_, screen, now), missing.empty() ? "" : StrCat("No GPUs found: ", Printable(missing), ".\n"));
    return ShowText(text, StrCat(trouble.ok(), facts_text), height);
  }

  // Without a terminal, prints the text only if `facts` differ from the last ones.
  Status ShowText(const std::string& text, std::string facts, size_t height) {
    if (terminal_) {
      TRY(Print(Frame(text, height)));
    } else if (facts != printed_) {
      TRY(Print(StrCat(printed_.empty() || !output_.empty() ? "" : "\n", text)));
      printed_ = std::move(facts);
    }
    return Flush();
  }

  Session& session_;
  const std::vector<std::string>& nodes_;
  const std::string output_;
  const WatchPace pace_;
  const bool terminal_;
  SystemRandom random_;
  std::atomic<bool> changed_{false};
  std::optional<WallTime> stale_since_;                     // the server is away
  bool is_stale_ = false;                                   // and has been for long enough to say so
  alloc::Features features_ = alloc::Features::Defaults();  // of the API server
  view::Overview overview_;
  std::string printed_;
};

}  // namespace

std::string_view LeaveScreen(const std::string& output) { return DrawsOver(output) ? kLeave : ""; }

Status WatchStatus(Session& session, const std::vector<std::string>& nodes, const std::string& output, const Cancel& stop,
                   const WatchPace& pace) {
  return Watcher(session, nodes, output, pace).Run(stop);
}

}  // namespace allot::cli
