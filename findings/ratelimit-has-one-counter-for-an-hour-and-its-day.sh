#!/bin/sh
# Go module github.com/envoyproxy/ratelimit v1.4.1-0.20260122083618-3fb702589d36 (Envoy's rate limit service).
#
# Guess: two limits that a request brings for the same descriptor, one by the hour and one by the day, are two counters.
# Seen:  the name of a counter has the descriptor and the second at which the window began, neither unit nor limit. In
#        the first hour of a UTC day the hour and the day have one counter between them, in its first minute so has the
#        minute: each request counts twice, and a limit that is changed from one unit to another goes on counting.
# Here:  every descriptor that Postern sends has its unit as an entry (docs/traffic-control.md), and a test over a real
#        service counts limits of several units (test/integration/ratelimit/limiter.test.ts).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod
cat > main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/envoyproxy/ratelimit/src/config"
	"github.com/envoyproxy/ratelimit/src/limiter"
)

func counterOf(unit pb.RateLimitResponse_RateLimit_Unit, requests uint32, at time.Time) string {
	keys := limiter.NewCacheKeyGenerator("")
	descriptor := &common.RateLimitDescriptor{Entries: []*common.RateLimitDescriptor_Entry{{Key: "partner", Value: "acme"}}}
	limit := &config.RateLimit{Limit: &pb.RateLimitResponse_RateLimit{RequestsPerUnit: requests, Unit: unit}}
	return keys.GenerateCacheKey("api", descriptor, limit, at.Unix()).Key
}

func main() {
	const hour, day = pb.RateLimitResponse_RateLimit_HOUR, pb.RateLimitResponse_RateLimit_DAY
	early := time.Date(2026, time.November, 15, 0, 30, 0, 0, time.UTC)
	late := early.Add(time.Hour)
	same, other := counterOf(hour, 10, early) == counterOf(day, 100, early), counterOf(hour, 10, late) == counterOf(day, 100, late)
	fmt.Println("00:30", counterOf(hour, 10, early), counterOf(day, 100, early))
	fmt.Println("01:30", counterOf(hour, 10, late), counterOf(day, 100, late))
	if !same || other {
		os.Exit(1)
	}
}
GO
go mod init example.com/finding 2>/dev/null
go get github.com/envoyproxy/ratelimit@v1.4.1-0.20260122083618-3fb702589d36 2>/dev/null
go run .
