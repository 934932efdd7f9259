#include "cli/explain/words.h"

#include "alloc/words.h"
#include "base/strings.h"
#include "sched/words.h"

namespace allot::cli {
namespace {

using view::Detail;
using view::Fix;

constexpr std::string_view kNotRecorded = "allot does not record why it was placed there. ";

// "lab/a and lab/b have ended on n1"
std::string EndWords(const Detail& detail) {
  return StrCat(sched::Names(detail.pods), detail.pods.size() == 1 ? " has ended on " : " have ended on ", detail.node);
}

std::string TodayWords(const Detail& detail) {
  const std::string left = detail.left ? StrCat(", which leaves ", *detail.left, " MiB over") : "";
  const std::string would = StrCat(kNotRecorded, detail.ours ? "Today it would be placed " : "Today allot's scheduler would place it ");
  if (detail.kind == Detail::Kind::kElsewhereToday)
    return StrCat(would, "on ", detail.name, left, detail.left ? ", the least of " : ", of ", detail.fits, " that fit.");
  if (detail.fits == 1) return StrCat(kNotRecorded, "Today it would be placed there, too: nothing else fits.");
  return StrCat(would, "there, too: ", detail.name, left, detail.left ? ", the least of " : ", the best of ", detail.fits, " that fit.");
}

std::string_view ListWords(view::Note::List list) {
  switch (list) {
    case view::Note::List::kClaims: return "claims: it is not known what is held";
    case view::Note::List::kSlices: return "slices: the devices are not known";
    case view::Note::List::kClasses: return "classes: it is not known what claims may have";
    case view::Note::List::kNodes: return "nodes: their labels, taints, CPU and memory are not looked at";
    case view::Note::List::kPods: return "Pods: it is not known which of them wait";
    case view::Note::List::kEvents: break;
  }
  return "events: it is not known what happened";
}

}  // namespace

std::string Words(const Detail& d) {
  switch (d.kind) {
    case Detail::Kind::kContainerWaits: return StrCat("Container ", d.name, " waits: ", d.reason, d.message.empty() ? "" : ": ", d.message);
    case Detail::Kind::kWarning: return StrCat(d.reason, ": ", d.message);
    case Detail::Kind::kMessage: return d.message;
    case Detail::Kind::kSchedulerSaid: return StrCat(d.name, " said last: ", d.reason, d.reason.empty() ? "" : ": ", d.message);
    case Detail::Kind::kNotLookedAt: return StrCat("No scheduler has looked at it yet: does one run that is named ", d.name, "?");
    case Detail::Kind::kOthersStartFirst:
      return StrCat(sched::Names(d.pods), d.pods.size() == 1 ? " is" : " are", " ahead of it, and can start now.");
    case Detail::Kind::kKeeperStarts:
      return StrCat(d.name, " starts when ", EndWords(d), "; with this Pod in its place it would have to wait longer.");
    case Detail::Kind::kTurn:
      // Pods ahead may find another place first, and then the plan changes.
      return StrCat("Its turn comes ", d.ahead ? "after those ahead of it: by their plans," : "at the latest", " when ", EndWords(d), ".");
    case Detail::Kind::kNodeGone: return StrCat("Node ", d.node, " cannot be seen, or is gone.");
    case Detail::Kind::kClaimNotAllocated: return StrCat("Claim ", d.claim, " is not allocated: it has no devices for the Pod.");
    case Detail::Kind::kDeviceGone:
      return StrCat("Its device ", d.name, ", of claim ", d.claim,
                    ", is not offered any more: it is gone, or was taken out. What is free counts without it.");
    case Detail::Kind::kOptionsUnknown: return StrCat("Other places are unknown: ", sched::Words(d.obstacle), ".");
    case Detail::Kind::kNowhereToday: return StrCat(kNotRecorded, "Today it would not be placed at all.");
    case Detail::Kind::kHereToday:
    case Detail::Kind::kElsewhereToday: break;
  }
  return TodayWords(d);
}

std::string Words(const Fix& f) {
  switch (f.kind) {
    case Fix::Kind::kRemoveGates:
      return StrCat("no scheduler looks at it until the owner of the gate", f.count == 1 ? " has removed it" : "s has removed them",
                    ". By hand:");
    case Fix::Kind::kAwaitClaim:
      return StrCat("template ", f.source, " exists, and ", f.own_api ? "allot's API server" : "kube-controller-manager",
                    " makes the claim from it in a moment. If it stays so, the Pod's events say why:");
    case Fix::Kind::kAwaitResource:
      if (f.ours) return "allot's scheduler makes it in a moment. If it stays so, the Pod's events say why:";
      return StrCat("scheduler ", f.scheduler, " has to make it, and that is not allot's. The Pod's events:");
    case Fix::Kind::kMakeTemplate:
      return "make a template of this name, and the Pod goes on by itself; or delete the Pod, and make it again with the name of a "
             "template "
             "that exists:";
    case Fix::Kind::kMakeClaim: return "make a claim of this name; the Pod starts as soon as it can be allocated. Claims that exist:";
    case Fix::Kind::kAwaitDeletion:
      return "it goes when no Pod uses it any more, and must then be made again. The Pods that use it, and its finalizers:";
    case Fix::Kind::kRecreatePod:
      return "another client created a claim with the name that the Pod's own claim needs. Delete the Pod; its controller creates it "
             "again:";
    case Fix::Kind::kShareLess: return "end some of them, or let Pods beyond that share another claim:";
    case Fix::Kind::kInstallClass: return "install what brings the class, or name one that exists:";
    case Fix::Kind::kLowerLimits:
      return StrCat("the claim was made of the Pod's limits, by class ", f.device_class,
                    ". Make the Pod again with other limits (it can have 32 devices), or correct the class:");
    case Fix::Kind::kReplaceClaim:
      return "no scheduler can decide it until this is corrected. A claim cannot be changed: delete it and make it again, or correct the "
             "template and make the Pod again.";
    case Fix::Kind::kAskByClaim: return StrCat(f.resource, " counts whole GPUs; a part of one is asked for by a claim:");
    case Fix::Kind::kNoPluginHere: break;
  }
  return StrCat("no device plugin counts ", f.resource, " here, and no class stands for it. Ask for a GPU, or a part of one, by a claim:");
}

std::string CommandOf(const Fix& f) {
  const std::string in = StrCat(" -n ", f.name_space);
  switch (f.kind) {
    case Fix::Kind::kRemoveGates:
      return StrCat("kubectl patch pod ", f.pod, in, R"( --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]')");
    case Fix::Kind::kAwaitClaim:
    case Fix::Kind::kAwaitResource: return StrCat("allot describe pod ", f.pod, in);
    case Fix::Kind::kMakeTemplate: return StrCat("allot get templates", in);
    case Fix::Kind::kMakeClaim: return StrCat("allot get claims", in);
    case Fix::Kind::kRecreatePod: return StrCat("allot delete pod ", f.pod, in);
    case Fix::Kind::kAwaitDeletion:
    case Fix::Kind::kShareLess:
    case Fix::Kind::kReplaceClaim: return StrCat("allot describe claim ", f.claim, in);
    case Fix::Kind::kInstallClass: return "allot get classes";
    case Fix::Kind::kLowerLimits: return StrCat("allot describe class ", f.device_class);
    case Fix::Kind::kAskByClaim:
    case Fix::Kind::kNoPluginHere: break;
  }
  return "allot demo --print";
}

std::string Words(const view::Note& note) {
  switch (note.kind) {
    case view::Note::Kind::kSomePods:
      return StrCat("you may list Pods of ", Join(note.namespaces, ", "),
                    " only: claims say what others hold of the GPUs, but not what they take of CPU and memory, nor which of them wait");
    case view::Note::Kind::kSomeClaims:
      return StrCat("you may list claims of ", Join(note.namespaces, ", "),
                    " only: what others hold is not known, and less may be free than is said");
    case view::Note::Kind::kNotAllowed: return StrCat("you may not list ", ListWords(note.list));
    case view::Note::Kind::kNotServed: return StrCat("the server has no ", ListWords(note.list));
    case view::Note::Kind::kLeftOut: return StrCat(note.left_out.kind, " ", note.left_out.key, " is left out: ", note.left_out.why);
    case view::Note::Kind::kTemplate: break;
  }
  return StrCat("template ", note.name, " cannot be seen: ", note.message);
}

std::string Words(const view::NodeGroup& group) {
  std::string text = sched::Words(group.reason);
  if (group.devices.empty()) return text;
  const alloc::Reasons& devices = group.reason.devices;
  if (group.one_of_several) text = StrCat("claim ", devices.claim, ", request ", devices.request, ": ", text);
  for (const alloc::RuledOut& one : devices.ruled_out) {
    if (one.devices.empty()) text += StrCat("; ", alloc::Words(one.reason));
  }
  return text;
}

std::string Words(const view::DeviceRow& row) {
  if (!row.reason) return "";
  const std::string words = alloc::ShortWords(*row.reason);
  return row.reason->alternative.empty() ? words : StrCat("alternative ", row.reason->alternative, ": ", words);
}

std::string Words(const view::Option& option) {
  if (option.reason) return alloc::ShortWords(*option.reason);
  return option.node_reason ? sched::Words(*option.node_reason) : option.error;
}

std::string Words(const view::DeviceRow::Part& part) { return part.pods.empty() ? StrCat("claim ", part.claim) : sched::Names(part.pods); }

std::string_view CaveatWords(const view::Answer& answer, const sched::Remedy& remedy) {
  return answer.IsContested(remedy) ? ", unless a Pod ahead starts there first" : "";
}

}  // namespace allot::cli
