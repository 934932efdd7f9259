#include "local/containers/podman.h"

#include <fstream>

#include "json/editor.h"
#include "json/json.h"
#include "local/test_folder.h"
#include "tests/support/requirements.h"

namespace allot::local {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// Uses a fake podman that prints its version, and writes all other calls to a file.
class PodmanTest : public testing::Test {
 protected:
  PodmanTest() { SetVersion("podman version 4.3.1"); }

  void SetVersion(const std::string& line) {
    std::filesystem::create_directories(folder_ / "bin");
    const std::string program = folder_ / "bin/podman";
    std::ofstream(program) << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '" << line << "'; else echo \"$@\" >>" << (folder_ / "asked")
                           << "; fi\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  Result<Podman> Find() {
    return Podman::Find(files_, folder_ / "podman", {{"PATH", StrCat(folder_ / "bin", ":/usr/bin:/bin")}, {"PROFILE", "ours"}});
  }
  Result<ContainerSpec> SpecOf(const std::string& container, const ContainerEdits& edits = {}) {
    ASSIGN_OR_RETURN(const Podman podman, Find());
    const std::string text =
        StrCat(R"({"metadata":{"namespace":"lab","name":"p","uid":"u1")", pod_metadata_, R"(},"spec":{"containers":[)", container, "]}}");
    ASSIGN_OR_RETURN(const json::Document pod, json::Parse(text));
    const ObjectSource none = [](const auto&, auto, auto) -> Result<kube::ObjectPtr> { return NotFound("nothing is there"); };
    return podman.SpecOf(pod.root(), json::ItemsOf(pod.root()["spec"]["containers"])[0], {"n1"}, edits, none);
  }

  PosixFileSystem files_;
  TestFolder folder_;
  std::string pod_metadata_;  // more fields
};

TEST_F(PodmanTest, TellsWhatToDoWithoutPodmanOrWithAnOldOne) {
  EXPECT_THAT(Podman::Find(files_, "/none", {{"PATH", "/nowhere"}}), IsStatus(Code::kNotFound, HasSubstr("install it")));
  SetVersion("podman version 3.4.2");
  EXPECT_THAT(Find(), IsStatus(Code::kUnsupported, HasSubstr("podman 4 or newer is needed")));
  SetVersion("podman version 5.10.0-rc1");
  ASSERT_OK_AND_ASSIGN(const Podman podman, Find());
  EXPECT_EQ(podman.version(), "5.10.0-rc1");
}

TEST_F(PodmanTest, AFolderThatItsFlagsCannotNameIsRefused) {
  EXPECT_THAT(Podman::Find(files_, "/srv/a:b/podman", {{"PATH", folder_ / "bin"}}), IsStatus(Code::kInvalid, HasSubstr("--data")));
}

TEST_F(PodmanTest, TheImageRunsWithTheCommandAndItsArguments) {
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec,
                       SpecOf(R"x({"name":"c","image":"x","imagePullPolicy":"Never","command":["a","$(V)"],"args":["--b"],
                                  "workingDir":"/w","env":[{"name":"V","value":"\"1\""}]})x"));
  EXPECT_THAT(spec.argv, Contains("--name=allot-u1-c"));
  EXPECT_THAT(spec.argv, Contains("--pull=never"));
  EXPECT_THAT(spec.argv, Contains("--workdir=/w"));
  EXPECT_THAT(spec.argv, Contains(R"(--entrypoint=["a","\"1\""])"));
  EXPECT_THAT(std::vector<std::string>(spec.argv.end() - 3, spec.argv.end()), ElementsAre("--", "x", "--b"));
  EXPECT_EQ(spec.run_as, std::nullopt);  // podman runs as we do
}

TEST_F(PodmanTest, WithoutACommandTheImagesOwnRuns) {
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec, SpecOf(R"({"name":"c","image":"i"})"));
  EXPECT_THAT(spec.argv, Not(Contains(StartsWith("--entrypoint"))));
  EXPECT_THAT(spec.argv, Contains("--pull=missing"));
  EXPECT_EQ(spec.argv.back(), "i");
}

// podman may run as root, and its libraries obey environment variables.
TEST_F(PodmanTest, VariablesAreInAFileAndNotInPodmansEnvironmentOrOnTheCommandLine) {
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec,
                       SpecOf(R"({"name":"c","image":"i","env":[{"name":"TOKEN","value":"secret=1 "},{"name":"PATH","value":"/app"},
                                  {"name":"*","value":"all"},{"name":"PROFILE","value":"theirs"},{"name":"GPGME_DEBUG","value":"9:/x"}]})"));
  EXPECT_THAT(spec.environment, ElementsAre(Pair("PATH", StartsWith(folder_ / "bin")), Pair("PROFILE", "ours")));
  const std::string path = folder_ / "podman/allot-u1-c/env";
  EXPECT_THAT(spec.argv, Contains("--env-file=" + path));
  EXPECT_THAT(files_.ReadFile(path, 1000), IsOkAndHolds("*=all\nGPGME_DEBUG=9:/x\nHOSTNAME=p\nNVIDIA_VISIBLE_DEVICES=void\nPATH=/app\n"
                                                        "PROFILE=theirs\nTOKEN=secret=1 \n"));
  EXPECT_EQ(std::filesystem::status(folder_ / "podman").permissions(), std::filesystem::perms::owner_all);
  EXPECT_THAT(spec.argv, Not(Contains(HasSubstr("secret"))));
  EXPECT_THAT(spec.argv, Contains(StrCat("--env=", kIdVariable)));
}

// A value that --env-file cannot hold may be on the command line only if it is in the Pod's spec anyway.
TEST_F(PodmanTest, ValuesOfSeveralLinesAreOnTheCommandLineOnlyIfTheyAreNoSecret) {
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec, SpecOf(R"({"name":"c","image":"i","env":[{"name":"SCRIPT","value":"a\nb"}]})"));
  EXPECT_THAT(spec.argv, Contains("--env=SCRIPT=a\nb"));
  EXPECT_THAT(SpecOf(R"x({"name":"c","image":"i","env":[{"name":"A","value":"a\nb"},{"name":"B","value":"$(A)"}]})x"),
              IsStatus(Code::kInvalid, HasSubstr(R"(env: "B" has a name or a value (several lines)")));
}

TEST_F(PodmanTest, AnImageComesFromARegistryAndNotFromAFile) {
  for (const char* const good :
       {"busybox", "docker:dind", "example.com:5000/a/b_c:1.0-x", "a@sha256:0123", "localhost/x:1", "10.0.0.1:80/a"}) {
    EXPECT_OK(CheckImageName(good)) << good;
  }
  for (const char* const bad :
       {"", "-x", "tarball:/root/x.tar", "docker-archive:x.tar", "dir:foo", "oci:a:b", "docker://busybox", "oci-archive:x",
        "containers-storage:x", "a b", "/etc/passwd", "./x", "sif:x", "ostree:a@/b", "docker-daemon:a:b", "x:/y"}) {
    EXPECT_THAT(CheckImageName(bad), IsStatus(Code::kInvalid)) << bad;
    EXPECT_THAT(SpecOf(StrCat(R"({"name":"c","image":")", bad, R"("})")), IsStatus(Code::kInvalid)) << bad;
  }
}

TEST_F(PodmanTest, AUserOfTheMachineGetsNoRightsByTheImage) {
  ALLOT_NEEDS(kRoot);
  pod_metadata_ = R"(,"annotations":{"allot.dev/user":"nobody"})";
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec, SpecOf(R"({"name":"c","image":"i","securityContext":{"runAsUser":0}})"));
  EXPECT_THAT(spec.argv, Contains("--user=65534:65534"));
  EXPECT_THAT(spec.argv, Contains("--cap-drop=all"));
  EXPECT_THAT(spec.argv, Contains("--security-opt=no-new-privileges"));
  EXPECT_THAT(spec.argv, Not(Contains(StartsWith("--group-add"))));
}

TEST_F(PodmanTest, AnAdminsPodRunsAsItsImageSaysUnlessItSaysMore) {
  ASSERT_OK_AND_ASSIGN(const ContainerSpec plain, SpecOf(R"({"name":"c","image":"i","securityContext":{"capabilities":{"drop":["NET_RAW"]},
                                  "readOnlyRootFilesystem":true,"allowPrivilegeEscalation":false}})"));
  EXPECT_THAT(plain.argv, Not(Contains(StartsWith("--user"))));
  EXPECT_THAT(plain.argv, Contains("--cap-drop=NET_RAW"));
  EXPECT_THAT(plain.argv, Contains("--read-only"));
  EXPECT_THAT(plain.argv, Contains("--security-opt=no-new-privileges"));
  ASSERT_OK_AND_ASSIGN(const ContainerSpec numbers,
                       SpecOf(R"({"name":"c","image":"i","securityContext":{"runAsUser":1234,"runAsGroup":5,"runAsNonRoot":true}})"));
  EXPECT_THAT(numbers.argv, Contains("--user=1234:5"));
  EXPECT_THAT(SpecOf(R"({"name":"c","image":"i","securityContext":{"runAsNonRoot":true}})"),
              IsStatus(Code::kInvalid, HasSubstr("runAsUser")));
  EXPECT_THAT(SpecOf(R"({"name":"c","image":"i","securityContext":{"runAsGroup":5}})"), IsStatus(Code::kInvalid, HasSubstr("runAsUser")));
}

TEST_F(PodmanTest, DevicesAreFlagsAndTheirHooksFilesUntilItIsForgotten) {
  std::ofstream(folder_ / "simulated").flush();
  ContainerEdits edits;
  edits.environment = {{"LIMIT", "6144"}};
  edits.device_nodes = {{"/dev/null", "/dev/nvidia0", "rw"}, {folder_ / "simulated", "/dev/nvidia1", "rw"}};
  edits.mounts = {{"/a", "/b", "ro,nosuid"}};
  edits.hooks = {{"/hook", "update-ldcache"}};
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec, SpecOf(R"({"name":"c","image":"i"})", edits));
  EXPECT_THAT(spec.argv, Contains("--device=/dev/null:/dev/nvidia0:rw"));
  EXPECT_THAT(spec.argv, Contains(StrCat("--volume=", folder_ / "simulated", ":/dev/nvidia1:ro")));
  EXPECT_THAT(spec.argv, Contains("--volume=/a:/b:ro,nosuid"));
  const std::string own = folder_ / "podman/allot-u1-c", hooks = own + "/hooks";
  EXPECT_THAT(files_.ReadFile(own + "/env", 1000), IsOkAndHolds(HasSubstr("LIMIT=6144\n")));
  EXPECT_THAT(spec.argv, Contains("--hooks-dir=" + hooks));
  EXPECT_THAT(files_.ReadFile(hooks + "/0.json", 1000), IsOkAndHolds(HasSubstr(R"("args":["/hook","update-ldcache"])")));

  ASSERT_OK_AND_ASSIGN(const Podman podman, Find());
  EXPECT_OK(podman.Forget("u1", {"c"}, {std::chrono::steady_clock::now() + std::chrono::seconds(20), nullptr}));
  EXPECT_FALSE(files_.Exists(own));
  EXPECT_THAT(files_.ReadFile(folder_ / "asked", 1000), IsOkAndHolds("rm --force --ignore --volumes --time=0 -- allot-u1-c\n"));
}

}  // namespace
}  // namespace allot::local
