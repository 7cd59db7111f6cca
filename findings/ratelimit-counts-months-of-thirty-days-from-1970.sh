#!/bin/sh
# Go module github.com/envoyproxy/ratelimit v1.4.1-0.20260122083618-3fb702589d36 (Envoy's rate limit service).
#
# Guess: the window of a limit with the unit MONTH begins on the first of a month, and that of YEAR on 1 January.
# Seen:  a month is 30 days and a year 365, counted from 1970: in the middle of November 2026 the month has begun on the
#        3rd and ends on 3 December, and the year begins on 18 December. A partner with a quota by the month gets it
#        anew on a day that no contract names, and in some months twice.
# Here:  a limit by the month is a calendar month: the descriptor says which (period), and its counter has the unit YEAR.
#        docs/traffic-control.md says in which month of a year counting starts again.
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
	"strconv"
	"strings"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/envoyproxy/ratelimit/src/config"
	"github.com/envoyproxy/ratelimit/src/limiter"
)

// beginOf is when the window has begun whose counter the service takes at a time.
func beginOf(unit pb.RateLimitResponse_RateLimit_Unit, at time.Time) string {
	keys := limiter.NewCacheKeyGenerator("")
	descriptor := &common.RateLimitDescriptor{Entries: []*common.RateLimitDescriptor_Entry{{Key: "partner", Value: "acme"}}}
	limit := &config.RateLimit{Limit: &pb.RateLimitResponse_RateLimit{RequestsPerUnit: 1000, Unit: unit}}
	key := keys.GenerateCacheKey("api", descriptor, limit, at.Unix()).Key
	begin, err := strconv.ParseInt(key[strings.LastIndex(key, "_")+1:], 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Unix(begin, 0).UTC().Format(time.DateOnly)
}

func main() {
	at := time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)
	month, year := beginOf(pb.RateLimitResponse_RateLimit_MONTH, at), beginOf(pb.RateLimitResponse_RateLimit_YEAR, at)
	fmt.Println("on 2026-11-15 the month has begun on", month, "and the year on", year)
	if month != "2026-11-03" || year != "2025-12-18" {
		os.Exit(1)
	}
}
GO
go mod init example.com/finding 2>/dev/null
go get github.com/envoyproxy/ratelimit@v1.4.1-0.20260122083618-3fb702589d36 2>/dev/null
go run .
