package main

import (
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"postern/bench/peers/wire"
)

// tally is what one connection saw.
type tally struct {
	latencies  []time.Duration
	allowed    int
	denied     int
	undecided  int
	failed     int
	firstReply []byte
	failure    string
}

// result is what all connections saw, as it is printed.
type result struct {
	Checks           int     `json:"checks"`
	Seconds          float64 `json:"seconds"`
	P50Us            float64 `json:"p50Us"`
	P99Us            float64 `json:"p99Us"`
	Allowed          int     `json:"allowed"`
	Denied           int     `json:"denied"`
	Undecided        int     `json:"undecided"`
	Failed           int     `json:"failed"`
	Failure          string  `json:"failure"`
	FirstReply       string  `json:"firstReply"`
	DriverUsPerCheck float64 `json:"driverUsPerCheck"`
}

// count takes the answer to one call: its message with the prefix, and the status of gRPC.
func (t *tally) count(reply []byte, grpcStatus string, latency time.Duration) {
	t.latencies = append(t.latencies, latency)
	if grpcStatus != "0" {
		t.fail(fmt.Sprintf("grpc-status %q", grpcStatus))
		return
	}
	if len(reply) < wire.PrefixBytes {
		t.fail("an answer without a message")
		return
	}
	message := reply[wire.PrefixBytes:]
	if t.firstReply == nil {
		t.firstReply = slices.Clone(message)
	}
	switch wire.DecisionField(message) {
	case wire.OkResponseField:
		t.allowed++
	case wire.DeniedResponseField:
		t.denied++
	default:
		t.undecided++
	}
}

func (t *tally) fail(why string) {
	t.failed++
	if t.failure == "" {
		t.failure = why
	}
}

func summarize(tallies []*tally, elapsed, cpu time.Duration) *result {
	var all result
	var latencies []time.Duration
	var reply []byte
	for _, each := range tallies {
		latencies = append(latencies, each.latencies...)
		all.Allowed += each.allowed
		all.Denied += each.denied
		all.Undecided += each.undecided
		all.Failed += each.failed
		if all.Failure == "" {
			all.Failure = each.failure
		}
		if reply == nil {
			reply = each.firstReply
		}
	}
	quantiles := wire.Summarize(latencies)
	all.Checks = quantiles.Calls
	all.Seconds = elapsed.Seconds()
	all.P50Us = quantiles.P50Us
	all.P99Us = quantiles.P99Us
	all.FirstReply = base64.StdEncoding.EncodeToString(reply)
	all.DriverUsPerCheck = wire.Microseconds(cpu) / float64(max(1, all.Checks))
	return &all
}
