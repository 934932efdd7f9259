# For test scripts: the counterpart of requirements.h. Source it, then name what the test needs:
#
#   . tests/support/needs.sh
#   needs root cluster
#
# If something is missing, prints the reason and exits with 77, which ctest counts as skipped, or with 1 if ALLOT_REQUIRE names it.
# shellcheck shell=bash

allot_source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The folder of the programs under test: ALLOT_BUILD, which ctest sets; else build/dev, or build/release if only that is built (builds.py).
allot_build_dir=$(realpath -m "${ALLOT_BUILD:-$allot_source_dir/build/dev}")
[[ -n ${ALLOT_BUILD:-} || -e $allot_build_dir/allot || ! -e $allot_source_dir/build/release/allot ]] || allot_build_dir=$allot_source_dir/build/release
allot_vectors_dir=${ALLOT_VECTORS:-$(dirname "$allot_source_dir")/shared/vectors}

# Whether kubelets and their containers can run here; a sandbox may forbid it.
allows_nodes() {
  local group probe=allot-probe-$$
  [[ $EUID -eq 0 && -e /dev/kmsg ]] || return 1
  unshare --mount --net sh -c 'mount -t tmpfs none /mnt && ip link add allot0 type veth peer name allot1' 2>/dev/null || return 1
  for group in /sys/fs/cgroup /sys/fs/cgroup/*/; do
    mkdir "$group/$probe" 2>/dev/null && rmdir "$group/$probe" && return 0
  done
  return 1
}

needs() {
  local need why
  for need in "$@"; do
    case "$need" in
      go)
        "$allot_source_dir/tools/setup" --go-path >/dev/null && continue
        why='no Go 1.26.6 or newer here; tools/setup fetches one'
        ;;
      root)
        [[ $EUID -eq 0 ]] && continue
        why='run as root'
        ;;
      vectors)
        [[ -d "$allot_vectors_dir" ]] && continue
        why="no folder $allot_vectors_dir; ALLOT_VECTORS names another"
        ;;
      cluster)
        "$allot_source_dir/tests/cluster/build" --path >/dev/null && continue
        why='the programs of Kubernetes are not built; make setup-cluster builds them'
        ;;
      nodes)
        allows_nodes && continue
        why='network namespaces, mount namespaces or control groups cannot be created on this machine'
        ;;
      *)
        echo "needs: unknown need '$need'" >&2
        exit 1
        ;;
    esac
    echo "SKIP: needs $need: $why"
    case ",${ALLOT_REQUIRE:-}," in *",$need,"*) exit 1 ;; esac
    exit 77
  done
}
