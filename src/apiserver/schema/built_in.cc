#include "apiserver/schema/type.h"
#include "base/check.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kTables[] = {
#include "apiserver/schema/apiextensions_v1.table"
    ,
#include "apiserver/schema/apps_v1.table"
    ,
#include "apiserver/schema/authentication_v1.table"
    ,
#include "apiserver/schema/authorization_v1.table"
    ,
#include "apiserver/schema/autoscaling_v1.table"
    ,
#include "apiserver/schema/batch_v1.table"
    ,
#include "apiserver/schema/coordination_v1.table"
    ,
#include "apiserver/schema/core_v1.table"
    ,
#include "apiserver/schema/events_v1.table"
    ,
#include "apiserver/schema/machinery.table"
    ,
#include "apiserver/schema/meta_v1.table"
    ,
#include "apiserver/schema/node_v1.table"
    ,
#include "apiserver/schema/policy_v1.table"
    ,
#include "apiserver/schema/resource_v1.table"
    ,
#include "apiserver/schema/scheduling_v1.table"
};

}  // namespace

const Schema& Schema::BuiltIn() {
  static const std::unique_ptr<Schema> schema = [] {
    auto parsed = Parse({std::begin(kTables), std::end(kTables)});
    CHECK(parsed.ok());
    return *std::move(parsed);
  }();
  return *schema;
}

}  // namespace allot::apiserver
