#pragma once
// What a view could not see, as values.

#include <string>
#include <vector>

#include "view/cluster.h"
#include "view/listing.h"

namespace allot::view {

// Something that could not be read, so that the view may be incomplete. Each kind lists the members that it sets.
struct Note {
  enum class Kind {
    kSomePods,    // namespaces: Pods of other namespaces may not be listed
    kSomeClaims,  // namespaces: the same for claims
    kNotAllowed,  // list: the caller may not list these objects
    kNotServed,   // list: the server does not have them
    kLeftOut,     // left_out: an object that cannot be read
    kTemplate,    // name: "namespace/name" of the template, message: why it cannot be read
  };
  enum class List { kClaims, kSlices, kClasses, kNodes, kPods, kEvents };

  Kind kind = Kind::kLeftOut;
  List list = List::kClaims;
  std::vector<std::string> namespaces{};
  LeftOut left_out{};
  std::string name{}, message{};
};

// Appends a note if the list is forbidden or not served. Any other failure is returned.
Status Notice(const Listing& listing, Note::List list, std::vector<Note>& notes);

// Appends a note for each object.
void Notice(std::vector<LeftOut> left_out, std::vector<Note>& notes);

}  // namespace allot::view
