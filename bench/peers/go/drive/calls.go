package main

import (
	"encoding/json"
	"fmt"
	"os"

	"postern/bench/peers/wire"
)

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
	if read.messages, err = wire.ReadMessages(messagesPath); err != nil {
		return nil, err
	}
	return &read, nil
}
