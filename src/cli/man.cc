#include "cli/man.h"

#include <utility>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace allot::cli {
namespace {

// docs/cli.md has the same.
constexpr std::pair<std::string_view, std::string_view> kExitCodes[] = {
    {"0", "Done; also when nothing was found, when a Pod that is explained waits, and when a verb that stays was ended by a signal."},
    {"1",
     "Something failed (of doctor: a check; of explain and logs: there is no such Pod), or the output could not be written. The reason is "
     "on standard error."},
    {"2", "A verb or flag that does not exist, a value that a flag does not take, or no word of what is meant. Nothing was tried."},
    {"141", "Nobody reads the output any more: SIGPIPE, as for every program of a pipeline."},
};

constexpr std::pair<std::string_view, std::string_view> kEnvironment[] = {
    {"KUBECONFIG", "Files, with colons between them, that say which cluster, and who is asking; else ~/.kube/config."},
    {"NO_COLOR", "Set to anything: no colours."},
    {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "The way to the server, as for other programs."},
};

// Text that roff takes for nothing else: a dash stays one that can be copied, no line is a request.
std::string Escape(std::string_view text) {
  std::string escaped;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    begins = c == '\n';
  }
  return escaped;
}

std::string InQuotes(std::string_view text) {
  std::string quoted;
  for (const char c : Escape(text)) quoted += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return StrCat("\"", quoted, "\"");
}

void AppendFlags(std::span<const Flag> flags, std::string& page) {
  for (const Flag& flag : flags) {
    page += ".TP\n";
    if (flag.letter != 0) page += StrCat("\\fB\\-", flag.letter, "\\fR, ");
    page += StrCat("\\fB\\-\\-", Escape(flag.name), "\\fR");
    if (!flag.value.empty()) {
      page += StrCat(flag.bare.empty() ? " " : "[=", "\\fI", Escape(flag.value), "\\fR", flag.bare.empty() ? "" : "]");
    }
    page += StrCat("\n", Escape(flag.help), "\n");
  }
}

void AppendVerb(const Verb& verb, std::string& page) {
  page += StrCat(".SS ", InQuotes(verb.usage.empty() ? std::string(verb.name) : StrCat(verb.name, " ", verb.usage)), "\n");
  page += StrCat(Escape(verb.summary), "\n");
  AppendFlags(verb.flags, page);
  if (!verb.examples.empty()) page += StrCat(".PP\nExamples:\n.PP\n.nf\n", Escape(verb.examples), ".fi\n");
}

void AppendPairs(std::span<const std::pair<std::string_view, std::string_view>> pairs, std::string& page) {
  for (const auto& [name, text] : pairs) page += StrCat(".TP\n\\fB", Escape(name), "\\fR\n", Escape(text), "\n");
}

}  // namespace

std::string ManPage(std::span<const Verb> verbs, std::string_view version) {
  std::string page = StrCat(".TH ALLOT 1 \"\" ", InQuotes(StrCat("allot ", version)), " \"User Commands\"\n");
  page += ".SH NAME\nallot \\- share GPUs between Pods by memory\n";
  page += ".SH SYNOPSIS\n.B allot\n.I verb\n[\\fIarguments\\fR]\n.br\n.B kubectl allot\n.I verb\n[\\fIarguments\\fR]\n";
  page +=
      ".SH DESCRIPTION\nallot shares GPUs between Pods by memory, on Kubernetes and on one machine without it. Most verbs work with any "
      "Kubernetes API.\nFlags may stand anywhere. Installed as \\fBkubectl\\-allot\\fR it is a plugin of kubectl.\n.SH VERBS\n";
  for (const Verb& verb : verbs) {
    if (!verb.summary.empty()) AppendVerb(verb, page);
  }
  page += ".SH \"WHICH CLUSTER, AND HOW\"\nVerbs that talk to a cluster take these flags, too.\n";
  AppendFlags(GlobalFlags(), page);
  page += ".SH \"EXIT STATUS\"\n";
  AppendPairs(kExitCodes, page);
  page += ".SH ENVIRONMENT\n";
  AppendPairs(kEnvironment, page);
  return page + ".SH \"SEE ALSO\"\n.BR kubectl (1)\n";
}

Verb ManVerb() {
  Verb verb;
  verb.name = "man";
  verb.summary = "The manual page, made of what --help says.";
  verb.examples =
      "  # read it\n"
      "  allot man | man -l -\n"
      "  # install it\n"
      "  allot man > /usr/local/share/man/man1/allot.1\n";
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments&) { return Exit(Print(ManPage(AllVerbs(), ALLOT_VERSION))); };
  return verb;
}

}  // namespace allot::cli
