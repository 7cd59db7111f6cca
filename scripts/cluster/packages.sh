# Debian packages that the nodes are made of, and the engine that builds images. Needs root.
need_packages() {
  local missing=
  for program in containerd runc iptables ipset conntrack openssl dockerd mmdebstrap socat nsenter; do
    command -v "$program" > /dev/null || missing="$missing $program"
  done
  [ -x /usr/lib/cni/bridge ] || missing="$missing cni"
  [ -n "$missing" ] || return 0
  say "packages for:$missing"
  apt-get update -qq > "$run/apt.log" 2>&1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    containerd runc containernetworking-plugins iptables ipset conntrack docker.io mmdebstrap openssl socat util-linux \
    >> "$run/apt.log" 2>&1 || { tail -n 5 "$run/apt.log"; return 1; }
}
