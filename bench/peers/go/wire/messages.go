// Package wire is what the programs that make calls have in common.
package wire

import (
	"encoding/binary"
	"fmt"
	"os"
)

// PrefixBytes come before each message (gRPC over HTTP/2, "Length-Prefixed-Message").
const PrefixBytes = 5

// ReadMessages reads a file of messages, each with its prefix.
func ReadMessages(path string) ([][]byte, error) {
	rest, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var messages [][]byte
	for len(rest) > 0 {
		if len(rest) < PrefixBytes {
			return nil, fmt.Errorf("%s ends within a message", path)
		}
		length := PrefixBytes + int(binary.BigEndian.Uint32(rest[1:]))
		if len(rest) < length {
			return nil, fmt.Errorf("%s ends within a message", path)
		}
		messages = append(messages, rest[:length])
		rest = rest[length:]
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("%s holds no message", path)
	}
	return messages, nil
}
