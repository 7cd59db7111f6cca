// Command drive calls Check over gRPC in a closed loop and prints what it saw as one line of JSON.
//
//	drive -address HOST:PORT -messages FILE -headers FILE -connections N -streams M -checks COUNT -seconds MAX
//
// FILE of -messages holds gRPC messages one after the other, each with its five bytes of prefix; the calls take them
// in turn. FILE of -headers holds the header fields of a call as a JSON list of pairs. Every answer is looked at: an
// error in the trailers is a failure, whatever the status of HTTP.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"postern/bench/peers/wire"
)

func main() {
	address := flag.String("address", "", "where the service listens")
	messages := flag.String("messages", "", "file with the messages")
	headers := flag.String("headers", "", "file with the header fields")
	connections := flag.Int("connections", 1, "connections at once")
	streams := flag.Int("streams", 1, "calls at once on each connection")
	checks := flag.Int64("checks", 1, "calls altogether")
	seconds := flag.Float64("seconds", 10, "no call begins after this time")
	flag.Parse()
	calls, err := readCalls(*messages, *headers)
	if err != nil {
		log.Fatal(err)
	}
	job := &job{address: *address, calls: calls, streams: *streams, deadline: time.Now().Add(wire.Seconds(*seconds))}
	job.remaining.Store(*checks)
	result, err := wire.Run(*connections, func(at int) (*wire.Tally, error) {
		return drive(job, at*len(job.calls.messages) / *connections)
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}
