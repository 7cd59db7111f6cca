package main

import (
	"fmt"
	"time"

	"postern/bench/peers/wire"
)

// count takes the answer to one call: its message with the prefix, and the status of gRPC.
func count(tally *wire.Tally, reply []byte, grpcStatus string, latency time.Duration) {
	if grpcStatus != "0" {
		tally.Fail(fmt.Sprintf("grpc-status %q", grpcStatus), latency)
		return
	}
	if len(reply) < wire.PrefixBytes {
		tally.Fail("an answer without a message", latency)
		return
	}
	message := reply[wire.PrefixBytes:]
	decision := wire.Undecided
	switch wire.DecisionField(message) {
	case wire.OkResponseField:
		decision = wire.Allowed
	case wire.DeniedResponseField:
		decision = wire.Denied
	}
	tally.Count(decision, message, latency)
}
