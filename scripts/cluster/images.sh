#!/usr/bin/env bash
# images.sh PART …: makes images without a registry of images, with a Docker engine of its own. An archive of each
# part goes to $CLUSTER_CACHE.
#   postern   of this working tree
#   former    postern:former, of the commit $CLUSTER_FORMER: by default the last version, or the commit before
#   servers   the others that the manifests name
#   system    what the nodes need
#   gateway   the control plane of Envoy Gateway
#   istio     the control plane of Istio, and its gateway with stock Envoy
#   metrics   the metrics server
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$here/packages.sh"
need_packages
export DOCKER_HOST=unix://$state/docker.sock DOCKER_BUILDKIT=0
work=$(mktemp -d "$state/images.XXXX")
quiet="nice -n ${NICE:-10}"

start_engine() {
  # No network of its own: builds take the machine's.
  setsid $quiet dockerd --data-root "$cache/docker" --exec-root "$state/docker-exec" -p "$run/docker.pid" \
    -H "$DOCKER_HOST" --iptables=false --ip-forward=false --ip-masq=false --bridge=none \
    > "$run/docker.log" 2>&1 < /dev/null &
  until_true 30 docker version
}

# Ends the engine, and what it leaves mounted.
stop_engine() {
  kill "$(cat "$run/docker.pid")" && until_true 30 test ! -e "$run/docker.pid"
  umount "$state/docker-exec/netns/default" 2> /dev/null || true
  rm -rf "$work"
}

# As the manifests call it.
named() { grep -rhoE "image: $1:[^ ]+" "$root/deploy" --include=*.yaml | head -1 | cut -d' ' -f2; }

# place TREE PROGRAM PATH: a program and its libraries.
place() {
  install -D "$(readlink -f "$2")" "$1$3"
  for library in $(ldd "$2" 2> /dev/null | grep -oE '/\S+'); do
    [ -e "$1$library" ] || install -D "$(readlink -f "$library")" "$1$library"
  done
}

# image NAME TREE [LINES]: the tree on a Debian with bash, as the public images have it.
image() {
  printf 'FROM %s\nCOPY . /\n%b' "$base" "${3:-}" > "$work/Dockerfile"
  docker build -q -t "$1" -f "$work/Dockerfile" "$2" > /dev/null 2>> "$run/docker-build.log"
  say "$1"
}

save() { docker save -o "$cache/$1.part" "${@:2}" && mv "$cache/$1.part" "$cache/$1.tar"; }

make_postern() {
  (cd "$root" && $quiet npm run --silent image -- --local-base --network host > "$run/image.log" 2>&1) ||
    { tail -n 20 "$run/image.log"; return 1; }
  say "$(named postern)"
  save postern "$(named postern)"
}

make_former() {
  local commit=${CLUSTER_FORMER:-$(git -C "$root" describe --tags --abbrev=0 HEAD~1 2> /dev/null || echo HEAD~1)}
  git -C "$root" worktree add -q --detach "$work/former" "$commit"
  local made=0
  (cd "$work/former" && $quiet node scripts/image.mjs --local-base --network host --tag postern:former \
    > "$run/image-former.log" 2>&1) || made=1
  git -C "$root" worktree remove --force "$work/former"
  [ "$made" = 0 ] || { tail -n 20 "$run/image-former.log"; return 1; }
  say "postern:former of $commit"
  save former postern:former
}

make_mongo() {
  local tree=$work/mongo shell=$work/mongo/opt/mongosh
  place "$tree" "$bin/mongodb" /usr/local/bin/mongod
  mkdir -p "$shell" "$tree/data/db" "$tree/etc"
  (cd "$shell" && npm init -y > /dev/null &&
    $quiet npm install --silent --omit=optional --ignore-scripts mongosh@2.12.0 > "$run/mongosh.log" 2>&1)
  ln -s /opt/mongosh/node_modules/.bin/mongosh "$tree/usr/local/bin/mongosh"
  image "$(named mongo)" "$tree" \
    'RUN echo mongodb:x:999:999::/data/db:/bin/bash >> /etc/passwd && echo mongodb:x:999: >> /etc/group\n'
}

make_servers() {
  base=$(docker images --format '{{.Repository}}:{{.Tag}}' local/node-build | head -1)
  [ -n "$base" ] || { make_postern; make_servers; return; }
  link_programs envoy mongodb ratelimit redis
  place "$work/envoy" "$bin/envoy" /usr/local/bin/envoy
  image "$(named envoyproxy/envoy)" "$work/envoy"
  place "$work/ratelimit" "$bin/ratelimit" /usr/bin/ratelimit # /bin of the base is a link
  image "$(named envoyproxy/ratelimit)" "$work/ratelimit"
  place "$work/valkey" "$bin/redis" /usr/local/bin/valkey-server
  image "$(named valkey/valkey)" "$work/valkey"
  make_mongo
  save servers "$(named envoyproxy/envoy)" "$(named envoyproxy/ratelimit)" "$(named valkey/valkey)" "$(named mongo)"
}

make_system() {
  link_programs coredns pause
  for name in coredns pause; do
    tar -C "$(dirname "$(readlink -f "$bin/$name")")" -c "$name" |
      docker import -c "ENTRYPOINT [\"/$name\"]" - "local/$name:1" > /dev/null
  done
  save system local/coredns:1 local/pause:1
}

make_gateway() {
  link_programs envoy-gateway
  place "$work/gateway" "$bin/envoy-gateway" /usr/local/bin/envoy-gateway
  tar -C "$work/gateway" -c . | docker import - local/envoy-gateway:1 > /dev/null
  save gateway local/envoy-gateway:1
}

# As Istio's own images: the program is the entry point, and the user is the one of its charts.
make_istio() {
  link_programs envoy pilot-agent pilot-discovery
  place "$work/pilot" "$bin/pilot-discovery" /usr/local/bin/pilot-discovery
  place "$work/proxy" "$bin/pilot-agent" /usr/local/bin/pilot-agent
  place "$work/proxy" "$bin/envoy" /usr/local/bin/envoy
  mkdir -m 1777 "$work"/{pilot,proxy}/tmp
  tar -C "$work/pilot" -c . |
    docker import -c 'USER 1337:1337' -c 'ENTRYPOINT ["/usr/local/bin/pilot-discovery"]' - local/pilot:1 > /dev/null
  tar -C "$work/proxy" -c . |
    docker import -c 'USER 1337:1337' -c 'ENTRYPOINT ["/usr/local/bin/pilot-agent"]' - local/proxyv2:1 > /dev/null
  save istio local/pilot:1 local/proxyv2:1
}

make_metrics() {
  link_programs metrics-server
  place "$work/metrics" "$bin/metrics-server" /metrics-server
  tar -C "$work/metrics" -c . | docker import -c 'ENTRYPOINT ["/metrics-server"]' - local/metrics-server:1 > /dev/null
  save metrics local/metrics-server:1
}

trap stop_engine EXIT
start_engine
for part in "$@"; do "make_$part"; done
say "images: $(du -ch "$cache"/*.tar | tail -1 | cut -f1)"
