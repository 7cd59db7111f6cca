// Command pace calls Check at a steady rate and prints the latencies it saw as one line of JSON.
//
//	pace -address HOST:PORT -messages FILE -rate PER_SECOND -seconds N \
//	  [-large FILE -largeRate PER_SECOND]
//
// Calls begin by the clock, whether earlier ones were answered or not, and latency counts from when they were due: a
// service that is stuck shows in every call that it makes wait. With -large, other messages come at a rate of their own
// on a connection of their own. Every call must be allowed.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"

	"postern/bench/peers/wire"
)

const method = "/envoy.service.auth.v3.Authorization/Check"

// asIs passes message bytes on as they are.
type asIs struct{}

func (asIs) Name() string { return "proto" }

func (asIs) Marshal(message any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(message.([]byte))}, nil
}

func (asIs) Unmarshal(data mem.BufferSlice, message any) error {
	*message.(*[]byte) = data.Materialize()
	return nil
}

// traffic is a kind of message at a rate.
type traffic struct {
	messages  [][]byte
	perSecond float64
	latencies []time.Duration
	failure   error
	lock      sync.Mutex
}

func main() {
	address := flag.String("address", "", "where the service listens")
	small := flag.String("messages", "", "file with the messages that are measured")
	rate := flag.Float64("rate", 100, "how many of them a second")
	large := flag.String("large", "", "file with the messages beside them")
	largeRate := flag.Float64("largeRate", 0, "how many of those a second; 0 for none")
	seconds := flag.Float64("seconds", 1, "how long")
	flag.Parse()
	kinds := []*traffic{read(*small, *rate)}
	if *largeRate > 0 {
		kinds = append(kinds, read(*large, *largeRate))
	}
	var group sync.WaitGroup
	for _, kind := range kinds {
		group.Go(func() { kind.drive(*address, wire.Seconds(*seconds)) })
	}
	group.Wait()
	for _, kind := range kinds {
		if kind.failure != nil {
			log.Fatal(kind.failure)
		}
	}
	result := map[string]wire.Quantiles{"small": wire.Summarize(kinds[0].latencies)}
	if len(kinds) > 1 {
		result["large"] = wire.Summarize(kinds[1].latencies)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

func read(path string, perSecond float64) *traffic {
	messages, err := wire.ReadMessages(path)
	if err != nil {
		log.Fatal(err)
	}
	return &traffic{messages: messages, perSecond: perSecond}
}

// drive makes the calls of one kind on one connection.
func (t *traffic) drive(address string, duration time.Duration) {
	client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.failure = err
		return
	}
	defer client.Close()
	t.call(client, 0, time.Now()) // connects
	t.latencies = nil
	var group sync.WaitGroup
	start := time.Now()
	for at := 0; ; at++ {
		due := start.Add(time.Duration(float64(at) / t.perSecond * float64(time.Second)))
		if due.Sub(start) >= duration {
			break
		}
		time.Sleep(time.Until(due))
		group.Go(func() { t.call(client, at, due) })
	}
	group.Wait()
}

func (t *traffic) call(client *grpc.ClientConn, at int, due time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var reply []byte
	message := t.messages[at%len(t.messages)][wire.PrefixBytes:]
	err := client.Invoke(ctx, method, message, &reply, grpc.ForceCodecV2(asIs{}))
	if err == nil && !wire.IsAllowed(reply) {
		err = fmt.Errorf("a call was not allowed: %q", reply)
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.latencies = append(t.latencies, time.Since(due))
	if t.failure == nil {
		t.failure = err
	}
}
