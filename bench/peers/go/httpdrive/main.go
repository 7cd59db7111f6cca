// Command httpdrive sends HTTP/1.1 requests to Envoy and prints what it saw as one line of JSON, as drive does.
//
//	httpdrive -address HOST:PORT -messages FILE -connections N -checks COUNT -seconds MAX [-rate PER_SECOND]
//
// FILE of -messages holds whole requests as they go over the wire, each with a prefix of five bytes like a gRPC message;
// the connections send them in turn, one request at a time each. Without -rate a connection sends the next request when
// the last one was answered. With -rate requests are due by the clock, spread evenly over the connections, and latency
// counts from when they were due. A 200 counts as allowed, a 4xx as denied, anything else as failed.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"sync/atomic"
	"time"

	"postern/bench/peers/wire"
)

// job is what all connections share.
type job struct {
	address     string
	requests    [][]byte
	connections int
	rate        float64
	start       time.Time
	deadline    time.Time
	remaining   atomic.Int64
}

func main() {
	address := flag.String("address", "", "where Envoy listens")
	messages := flag.String("messages", "", "file with the requests")
	connections := flag.Int("connections", 1, "connections at once")
	checks := flag.Int64("checks", 1, "requests altogether")
	seconds := flag.Float64("seconds", 10, "no request begins after this time")
	rate := flag.Float64("rate", 0, "requests a second; 0 for as many as are answered")
	flag.Parse()
	framed, err := wire.ReadMessages(*messages)
	if err != nil {
		log.Fatal(err)
	}
	start := time.Now()
	job := &job{
		address: *address, connections: *connections, rate: *rate, start: start, deadline: start.Add(wire.Seconds(*seconds)),
	}
	for _, each := range framed {
		job.requests = append(job.requests, each[wire.PrefixBytes:])
	}
	job.remaining.Store(*checks)
	result, err := wire.Run(*connections, job.drive)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

// due says when request number `at` of a connection is to be sent.
func (j *job) due(connection, at int) time.Time {
	if j.rate == 0 {
		return time.Now()
	}
	return j.start.Add(wire.Seconds(float64(at*j.connections+connection) / j.rate))
}

// take says whether a request that is due then is to be sent.
func (j *job) take(due time.Time) bool {
	return due.Before(j.deadline) && j.remaining.Add(-1) >= 0
}
