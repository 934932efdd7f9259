#include "view/note.h"

namespace allot::view {

Status Notice(const Listing& listing, Note::List list, std::vector<Note>& notes) {
  if (listing.ok()) return Status();
  if (!IsForbidden(listing.status) && !IsMissing(listing.status)) return listing.status;
  notes.push_back({.kind = IsForbidden(listing.status) ? Note::Kind::kNotAllowed : Note::Kind::kNotServed, .list = list});
  return Status();
}

void Notice(std::vector<LeftOut> left_out, std::vector<Note>& notes) {
  for (LeftOut& one : left_out) notes.push_back({.kind = Note::Kind::kLeftOut, .left_out = std::move(one)});
}

}  // namespace allot::view
