package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
)

const prefixBytes = 5

// calls is what is sent: the same header fields each time, and the messages in turn.
type calls struct {
	headers  [][2]string
	messages [][]byte
}

func readCalls(messagesPath, headersPath string) (*calls, error) {
	var read calls
	text, err := os.ReadFile(headersPath)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &read.headers); err != nil {
		return nil, fmt.Errorf("%s: %w", headersPath, err)
	}
	rest, err := os.ReadFile(messagesPath)
	if err != nil {
		return nil, err
	}
	for len(rest) > 0 {
		if len(rest) < prefixBytes {
			return nil, fmt.Errorf("%s ends within a message", messagesPath)
		}
		length := prefixBytes + int(binary.BigEndian.Uint32(rest[1:]))
		if len(rest) < length {
			return nil, fmt.Errorf("%s ends within a message", messagesPath)
		}
		read.messages = append(read.messages, rest[:length])
		rest = rest[length:]
	}
	if len(read.messages) == 0 {
		return nil, fmt.Errorf("%s holds no message", messagesPath)
	}
	return &read, nil
}
