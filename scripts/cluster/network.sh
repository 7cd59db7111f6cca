# Namespaces for the control plane and each node, and a bridge between them; no route leads out of them.
# The first process of each is a holder: when it ends, everything in its namespaces ends.
holder() {
  unshare --mount --net --uts --pid --fork --mount-proc --propagation slave --kill-child \
    sh -c "hostname $1; ip link set lo up; exec sleep infinity" > /dev/null 2>&1 < /dev/null &
  until_true 5 pgrep -P $!
  pgrep -P $! > "$run/$1.pid"
  sleep 0.2
}

make_bridge() {
  holder cp
  in_ns cp sh -c "ip link add nodes0 type bridge && ip addr add $net.1/24 dev nodes0 && ip link set nodes0 up &&
    sysctl -qw net.ipv4.ip_forward=1"
}

# connect_node N: a namespace for it, on the bridge, with a route to the pods of every other.
connect_node() {
  local n=$1 m
  holder "n$n"
  ip link add "node$n" type veth peer name eth0 netns "$(cat "$run/n$n.pid")"
  ip link set "node$n" netns "$(cat "$run/cp.pid")"
  in_ns cp sh -c "ip link set node$n master nodes0 up && ip route replace $pods.$n.0/24 via $net.1$n"
  in_ns "n$n" sh -c "ip addr add $net.1$n/24 dev eth0 && ip link set eth0 up && ip route add default via $net.1 &&
    sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1"
  for ((m = 1; m <= nodes; m++)); do
    [ "$m" = "$n" ] || in_ns "n$n" ip route add "$pods.$m.0/24" via "$net.1$m"
  done
}
