#include "cli/program/man.h"

#include <utility>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/program/verbs.h"

namespace allot::cli {
namespace {

// docs/cli.md has the same.
constexpr std::pair<std::string_view, std::string_view> kExitCodes[] = {
    {"0",
     "Done; also if nothing was found, if explain finds that the Pod waits, and if a signal ended a verb that runs until it is stopped."},
    {"1",
     "Something failed (for doctor, a check; for explain and logs, a Pod does not exist), or the output could not be written. The reason "
     "is "
     "on standard error."},
    {"2", "An unknown verb or flag, an invalid value of a flag, or a missing argument. Nothing was tried."},
    {"141", "The reader of the output has gone: SIGPIPE, as for every program of a pipeline."},
};

constexpr std::pair<std::string_view, std::string_view> kEnvironment[] = {
    {"KUBECONFIG", "The kubeconfig files, separated by colons, that name the cluster and the user; default ~/.kube/config."},
    {"NO_COLOR", "If set to any value, the output has no colours."},
    {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "The proxy for the connection to the server, as for other programs."},
};

// Escapes text for roff: a dash stays a dash that can be copied, and no line is a roff request.
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
      "Kubernetes API.\nFlags may be anywhere on the line. Installed as \\fBkubectl\\-allot\\fR it is a plugin of kubectl.\n.SH VERBS\n";
  for (const Verb& verb : verbs) {
    if (!verb.summary.empty()) AppendVerb(verb, page);
  }
  page += ".SH \"CONNECTION FLAGS\"\nVerbs that connect to a cluster also take these flags.\n";
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
  verb.summary = "Prints the manual page.";
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
