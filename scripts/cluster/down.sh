#!/usr/bin/env bash
# Ends the cluster of up.sh; programs and images stay for the next time.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
for file in "$run"/*.pid; do
  [ -f "$file" ] || continue
  pid=$(cat "$file")
  # With a holder all processes in its namespaces end. Another process may have the number by now.
  if grep -qE 'sleep|dockerd' "/proc/$pid/cmdline" 2> /dev/null; then kill -KILL "$pid"; fi
  rm -f "$file"
done
sleep 3
umount "$state/docker-exec/netns/default" 2> /dev/null || true
if mount | grep -F " $state/"; then say 'still mounted: nothing is removed'; exit 1; fi
find /run/netns -name 'cni-*' -empty -delete 2> /dev/null || true
for group in /sys/fs/cgroup/*/postern-cluster; do
  find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || true
done
rm -rf "$state"
