package wire

import (
	"encoding/base64"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Tally is what one connection saw.
type Tally struct {
	latencies  []time.Duration
	allowed    int
	denied     int
	undecided  int
	failed     int
	firstReply []byte
	failure    string
}

// Decision is what an answer says.
type Decision int

// What an answer can say.
const (
	Undecided Decision = iota
	Allowed
	Denied
)

// Result is what all connections saw, as it is printed.
type Result struct {
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

// Count takes a good answer to one call.
func (t *Tally) Count(decision Decision, reply []byte, latency time.Duration) {
	t.latencies = append(t.latencies, latency)
	if t.firstReply == nil {
		t.firstReply = slices.Clone(reply)
	}
	switch decision {
	case Allowed:
		t.allowed++
	case Denied:
		t.denied++
	default:
		t.undecided++
	}
}

// Fail takes a call without a good answer.
func (t *Tally) Fail(why string, latency time.Duration) {
	t.latencies = append(t.latencies, latency)
	t.failed++
	if t.failure == "" {
		t.failure = why
	}
}

// Run drives every connection in a goroutine of its own and sums up what they saw.
func Run(connections int, drive func(connection int) (*Tally, error)) (*Result, error) {
	tallies := make([]*Tally, connections)
	failures := make([]error, connections)
	start := time.Now()
	var group sync.WaitGroup
	for at := range connections {
		group.Go(func() { tallies[at], failures[at] = drive(at) })
	}
	group.Wait()
	elapsed := time.Since(start)
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return summarize(tallies, elapsed, UsedCPU()), nil
}

func summarize(tallies []*Tally, elapsed, cpu time.Duration) *Result {
	var all Result
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
	quantiles := Summarize(latencies)
	all.Checks = quantiles.Calls
	all.Seconds = elapsed.Seconds()
	all.P50Us = quantiles.P50Us
	all.P99Us = quantiles.P99Us
	all.FirstReply = base64.StdEncoding.EncodeToString(reply)
	all.DriverUsPerCheck = Microseconds(cpu) / float64(max(1, all.Checks))
	return &all
}

func UsedCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
