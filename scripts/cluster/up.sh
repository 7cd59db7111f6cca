#!/usr/bin/env bash
# A Kubernetes cluster on this machine, without a registry of images: a control plane and nodes, each in namespaces of
# its own (processes, network, mounts), so that nothing of it is seen outside. Needs root. docs/cluster.md
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
for part in packages network control-plane node; do . "$here/$part.sh"; done

[ "$(id -u)" = 0 ] || { say 'namespaces and their network need root'; exit 1; }
[ -d /sys/fs/cgroup/cpuset ] || { say 'control groups of version 1 are needed (/sys/fs/cgroup/cpuset)'; exit 1; }
[ ! -f "$run/cp.pid" ] || { say "it is up already, or was not taken down: $here/down.sh"; exit 1; }
# containerd's shims read what it gives; "proto: illegal wireType" is all they would say.
[ -c /dev/null ] || { say '/dev/null is no device: rm /dev/null; mknod -m 666 /dev/null c 1 3'; exit 1; }
need_packages
link_programs kubernetes-node coredns network-policies pause
missing=
for part in system servers postern; do [ -f "$cache/$part.tar" ] || missing="$missing $part"; done
[ -z "$missing" ] || "$here/images.sh" $missing

say 'network'
make_bridge
say 'control plane'
make_certificates
start_control_plane
for ((n = 1; n <= nodes; n++)); do
  say "node n$n"
  connect_node "$n"
  start_node "$n"
done
say 'DNS, storage'
sed "s#STATE#$state#g" "$here/cluster.yaml" | kubectl apply -f - > /dev/null
for ((v = 1; v <= 6; v++)); do
  sed "s#STATE#$state#g; s/NUMBER/$v/g" "$here/volume.yaml"
done | kubectl apply -f - > /dev/null
until_true 120 kubectl rollout status deployment/coredns -n kube-system --timeout=1s
kubectl get nodes -o wide
say "up: $here/kubectl"
