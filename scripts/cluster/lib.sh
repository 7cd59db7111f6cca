# What up.sh, images.sh and down.sh share. Folders:
#   CLUSTER_CACHE  images, and the store of the engine that builds them, kept for the next time (.services/cluster)
#   CLUSTER_STATE  everything of the running cluster, removed by down.sh; a short path, because it has sockets
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
cache=${CLUSTER_CACHE:-$root/.services/cluster}
state=${CLUSTER_STATE:-/tmp/postern-cluster}
bin=$state/bin run=$state/run
nodes=${CLUSTER_NODES:-2}
net=10.77.0 pods=10.244 services=10.96.0
mkdir -p "$cache" "$run"

say() { echo "$(date +%T) $*"; }

# in_ns NAME COMMAND …: runs it in the namespaces of the control plane, "cp", or a node, "n1" …
in_ns() {
  local ns=$1; shift
  nsenter --target "$(cat "$run/$ns.pid")" --mount --net --pid --uts --wdns="$PWD" -- "$@"
}

# start NAME LOG COMMAND …: the same in the background.
start() {
  local ns=$1 log=$2; shift 2
  in_ns "$ns" setsid "$@" > "$run/$ns-$log.log" 2>&1 < /dev/null &
}

# until_true SECONDS COMMAND …: tries it every half second, and fails when it never succeeds.
until_true() {
  local seconds=$1; shift
  for ((i = 0; i < seconds * 2; i++)); do "$@" > /dev/null 2>&1 && return; sleep 0.5; done
  say "not within $seconds s: $*"
  return 1
}

# As an administrator, from within the cluster's network.
kubectl() { in_ns cp env KUBECONFIG="$state/kubeconfig" HOME="$state" "$bin/kubectl" "$@"; }

# The programs of services/, by the names that they are called with.
link_programs() {
  local found; found=$(node "$here/programs.mjs" "$@")
  mkdir -p "$bin"
  while IFS=$'\t' read -r name path; do ln -sfn "$path" "$bin/$name"; done <<< "$found"
  for name in etcd kubectl kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy; do
    [ ! -e "$bin/kubernetes-node" ] || ln -sfn kubernetes-node "$bin/$name"
  done
}
