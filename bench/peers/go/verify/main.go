// Command verify checks signatures, one after the other, and prints what one costs: the part of a check that is
// cryptography, on Go's standard library.
//
//	verify -messages FILE -checks N -seconds N
//
// The file holds a message for each signature: JSON with its algorithm, key, signed bytes and signature. The output is
// that of the drivers.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"postern/bench/peers/publickey"
	"postern/bench/peers/wire"
)

const warmUpChecks = 1000

type signed struct {
	Key       []byte `json:"key"`
	Base      []byte `json:"base"`
	Signature []byte `json:"signature"`
	key       publickey.Key
}

func main() {
	path := flag.String("messages", "", "file with the signatures")
	checks := flag.Int("checks", 1, "how many of them are checked, in turn")
	seconds := flag.Float64("seconds", 1, "how long at most")
	flag.Parse()
	list := read(*path)
	for at := range warmUpChecks {
		list[at%len(list)].verify()
	}
	var seen wire.Result
	latencies := make([]time.Duration, 0, *checks)
	start, before := time.Now(), wire.UsedCPU()
	end := start
	for ; seen.Checks < *checks && end.Sub(start) < wire.Seconds(*seconds); seen.Checks++ {
		if list[seen.Checks%len(list)].verify() {
			seen.Allowed++
		} else {
			seen.Denied++
		}
		now := time.Now()
		latencies = append(latencies, now.Sub(end))
		end = now
	}
	seen.DriverUsPerCheck = wire.Microseconds(wire.UsedCPU()-before) / float64(max(1, seen.Checks))
	seen.Seconds = end.Sub(start).Seconds()
	quantiles := wire.Summarize(latencies)
	seen.P50Us, seen.P99Us = quantiles.P50Us, quantiles.P99Us
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		log.Fatal(err)
	}
}

func (s *signed) verify() bool { return s.key.Verify(s.Base, s.Signature) }

func read(path string) []*signed {
	messages, err := wire.ReadMessages(path)
	if err != nil {
		log.Fatal(err)
	}
	list := make([]*signed, 0, len(messages))
	for _, message := range messages {
		each := new(signed)
		if err := json.Unmarshal(message[wire.PrefixBytes:], each); err != nil {
			log.Fatal(err)
		}
		key, known := publickey.Parse(each.Key)
		if !known {
			log.Fatal("a key is of a kind that is not known")
		}
		each.key = key
		list = append(list, each)
	}
	return list
}
