# A node: containerd, kubelet, kube-proxy and what enforces network policies.

# Kernel tunables belong to the machine, not to a node: the kubelet reads here that they are as it wants them.
fake_tunables() {
  in_ns "n$1" mount --make-rshared /
  local tunable file
  for tunable in vm/overcommit_memory=1 kernel/panic=10 kernel/panic_on_oops=1; do
    file=$node/tunables/$(basename "${tunable%=*}")
    mkdir -p "$node/tunables"
    echo "${tunable#*=}" > "$file"
    in_ns "n$1" mount --bind "$file" "/proc/sys/${tunable%=*}"
  done
}

# Control groups of version 1. All pods together weigh as ten processes; the default is one.
make_cgroups() {
  local group file
  for group in /sys/fs/cgroup/*/; do
    case $group in */unified/) ;; *) mkdir -p "$group/postern-cluster/n$1" ;; esac
  done
  echo "${CPU_SHARES:-10240}" > /sys/fs/cgroup/cpu/postern-cluster/cpu.shares
  for file in cpuset.cpus cpuset.mems; do
    for group in postern-cluster "postern-cluster/n$1"; do
      cat "/sys/fs/cgroup/cpuset/$file" > "/sys/fs/cgroup/cpuset/$group/$file"
    done
  done
}

write_settings() {
  echo 'nameserver 127.0.0.1' > "$node/resolv.conf"
  cat > "$node/cni/cluster.conflist" << END
{"cniVersion": "0.4.0", "name": "cluster", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isDefaultGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$node/ipam", "ranges": [[{"subnet": "$pods.$1.0/24"}]]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
END
  cat > "$node/containerd.toml" << END
version = 2
root = "$node/containerd"
state = "$node/state"
[grpc]
  address = "$node/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/local/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$node/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
END
  cat > "$node/kubelet.yaml" << END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
containerRuntimeEndpoint: unix://$node/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /postern-cluster/n$1
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
maxOpenFiles: 20000
clusterDomain: cluster.local
clusterDNS: [$services.10]
resolvConf: $node/resolv.conf
podLogsDir: $node/logs
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: { memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1% }
END
  cat > "$node/proxy.yaml" << END
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: { kubeconfig: $state/kubeconfig }
hostnameOverride: n$1
mode: iptables
clusterCIDR: $pods.0.0/16
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
oomScoreAdj: 0
END
}

start_kubelet() {
  start "$1" kubelet "$bin/kubelet" --config="$state/$1/kubelet.yaml" --kubeconfig="$state/kubeconfig" \
    --hostname-override="$1" --node-ip="$net.1${1#n}" --root-dir="$state/$1/kubelet" \
    --node-labels="topology.kubernetes.io/zone=z${1#n}"
}

start_node() {
  node=$state/n$1
  mkdir -p "$node"/{kubelet,containerd,state,cni,logs,volumes/{1,2,3,4,5,6}}
  fake_tunables "$1"
  make_cgroups "$1"
  write_settings "$1"
  start "n$1" containerd containerd --config "$node/containerd.toml"
  until_true 30 in_ns "n$1" ctr -a "$node/containerd.sock" version
  for part in system servers postern former; do # steps bring the others
    [ ! -f "$cache/$part.tar" ] ||
      in_ns "n$1" ctr -a "$node/containerd.sock" -n k8s.io images import "$cache/$part.tar" >> "$run/n$1-images.log"
  done
  start_kubelet "n$1"
  start "n$1" proxy "$bin/kube-proxy" --config="$node/proxy.yaml"
  until_true 120 kubectl wait "node/n$1" --for=condition=Ready --timeout=1s
  start "n$1" policies "$bin/network-policies" --kubeconfig="$state/kubeconfig" --node="n$1" --services="$services.0/16"
}
