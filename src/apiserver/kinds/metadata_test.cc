#include "apiserver/kinds/metadata.h"

#include "apiserver/kinds/core_test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Kind TestKind(NameRule rule = NameRule::kSubdomain) {
  Kind kind;
  kind.type = {"", "v1", "things", "Thing", true};
  kind.name_rule = rule;
  return kind;
}

std::vector<std::string> Create(const Kind& kind, std::string_view metadata) {
  Trees trees;
  FieldErrors errors;
  ValidateMetadata(kind, trees.Read(StrCat("{metadata: ", metadata, "}")), errors);
  return CausesOf(errors);
}

std::vector<std::string> Update(std::string_view now, std::string_view old) {
  Trees trees;
  FieldErrors errors;
  ValidateMetadataUpdate(TestKind(), trees.Read(StrCat("{metadata: ", now, "}")), trees.Read(StrCat("{metadata: ", old, "}")), errors);
  return CausesOf(errors);
}

TEST(Metadata, NamesFollowTheRuleOfTheKind) {
  EXPECT_THAT(Create(TestKind(), "{name: a.b, namespace: ns}"), IsEmpty());
  EXPECT_THAT(Create(TestKind(NameRule::kLabel), "{name: a.b, namespace: ns}"), ElementsAre("metadata.name FieldValueInvalid"));
  EXPECT_THAT(Create(TestKind(NameRule::kPathSegment), "{name: 'A:B', namespace: ns}"), IsEmpty());
  EXPECT_THAT(Create(TestKind(NameRule::kPathSegment), "{name: a/%, namespace: ns}"), SizeIs(2));
  EXPECT_THAT(Create(TestKind(NameRule::kPathSegment), "{name: .., namespace: ns}"), SizeIs(1));
}

TEST(Metadata, APrefixOfANameMayEndInADash) {
  EXPECT_THAT(Create(TestKind(), "{generateName: a-, name: a-x, namespace: ns}"), IsEmpty());
  EXPECT_THAT(Create(TestKind(), "{generateName: Ab-, name: a-x, namespace: ns}"), ElementsAre("metadata.generateName FieldValueInvalid"));
  EXPECT_THAT(Create(TestKind(), "{generateName: '-', name: a-x, namespace: ns}"), ElementsAre("metadata.generateName FieldValueInvalid"));
}

TEST(Metadata, NamespaceIsRequiredOrForbidden) {
  EXPECT_THAT(Create(TestKind(), "{name: a}"), ElementsAre("metadata.namespace FieldValueRequired"));
  EXPECT_THAT(Create(TestKind(), "{name: a, namespace: a.b}"), ElementsAre("metadata.namespace FieldValueInvalid"));
  Kind kind = TestKind();
  kind.type.namespaced = false;
  EXPECT_THAT(Create(kind, "{name: a, namespace: ns}"), ElementsAre("metadata.namespace FieldValueForbidden"));
}

TEST(Metadata, OwnersAreCompleteAndOneOfThemControls) {
  EXPECT_THAT(Create(TestKind(), "{name: a, namespace: ns, ownerReferences: [{}]}"),
              ElementsAre("metadata.ownerReferences.apiVersion FieldValueInvalid", "metadata.ownerReferences.kind FieldValueInvalid",
                          "metadata.ownerReferences.name FieldValueInvalid", "metadata.ownerReferences.uid FieldValueInvalid"));
  EXPECT_THAT(Create(TestKind(), "{name: a, namespace: ns, ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: u}]}"),
              ElementsAre("metadata.ownerReferences FieldValueInvalid"));
}

TEST(Metadata, ManyControllersAreOneError) {
  std::string owners;
  for (int i = 0; i < 1000; ++i) owners += "{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}, ";
  EXPECT_THAT(Create(TestKind(), StrCat("{name: a, namespace: ns, ownerReferences: [", owners, "]}")), SizeIs(1));
}

TEST(Metadata, OnlyKubernetesOwnKindsKnowTheirFinalizers) {
  constexpr std::string_view kPlain = "{name: a, namespace: ns, finalizers: [plain]}";
  EXPECT_THAT(Create(TestKind(), kPlain), ElementsAre("metadata.finalizers[0] FieldValueInvalid"));
  EXPECT_THAT(Create(TestKind(), "{name: a, namespace: ns, finalizers: [orphan, foregroundDeletion]}"),
              ElementsAre("metadata.finalizers FieldValueInvalid"));
  Kind custom = TestKind();
  custom.custom = true;
  EXPECT_THAT(Create(custom, kPlain), IsEmpty());
}

TEST(Metadata, ManagedFieldsAreChecked) {
  EXPECT_THAT(
      Create(TestKind(), "{name: a, namespace: ns, managedFields: [{operation: Update}, {operation: X, fieldsType: V9}]}"),
      ElementsAre("metadata.managedFields[1].operation FieldValueInvalid", "metadata.managedFields[1].fieldsType FieldValueInvalid"));
}

TEST(MetadataUpdate, WhatTheServerSetsStays) {
  constexpr std::string_view kOld = "{name: a, namespace: ns, uid: u, generation: 2}";
  EXPECT_THAT(Update(kOld, kOld), IsEmpty());
  EXPECT_THAT(Update("{name: b, namespace: ns, uid: v, generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z'}", kOld),
              ElementsAre("metadata.generation FieldValueInvalid", "metadata.name FieldValueInvalid", "metadata.uid FieldValueInvalid",
                          "metadata.deletionTimestamp FieldValueInvalid"));
}

TEST(MetadataUpdate, AnObjectBeingDeletedGetsNoNewFinalizers) {
  constexpr std::string_view kOld = "{name: a, namespace: ns, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [a.b/c]}";
  EXPECT_THAT(Update("{name: a, namespace: ns, deletionTimestamp: '2026-01-01T00:00:00Z'}", kOld), IsEmpty());
  EXPECT_THAT(Update("{name: a, namespace: ns, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [a.b/c, a.b/d]}", kOld),
              ElementsAre("metadata.finalizers FieldValueForbidden"));
}

}  // namespace
}  // namespace allot::apiserver
