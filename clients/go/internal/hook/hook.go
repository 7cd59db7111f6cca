// Package hook lets tests of this module set what is otherwise taken from the machine.
package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// Hooks are the client's sources of time and chance. A nil field has its default.
type Hooks struct {
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Nonce gives 32 lower-case hex characters, from crypto/rand by default.
	Nonce func() (string, error)
	// Until says how far away a time of the machine's clock is; time.Until by default.
	Until func(time.Time) time.Duration
	// Sleep waits between attempts, or until the context ends, whose error it then returns.
	Sleep func(context.Context, time.Duration) error
}

// Option makes a postern.Option of hooks. Package postern sets it.
var Option func(Hooks) any

// WithDefaults fills in what is not set.
func (h Hooks) WithDefaults() Hooks {
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Nonce == nil {
		h.Nonce = randomNonce
	}
	if h.Until == nil {
		h.Until = time.Until
	}
	if h.Sleep == nil {
		h.Sleep = sleep
	}
	return h
}

func randomNonce() (string, error) {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return "", fmt.Errorf("postern: no random bytes for a nonce: %w", err)
	}
	return hex.EncodeToString(bytes[:]), nil
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
