package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"time"

	"postern/bench/peers/wire"
)

const (
	readBufferBytes = 16 << 10
	graceAfterLast  = 20 * time.Second
)

// drive sends the requests of one connection.
func (j *job) drive(connection int) (*wire.Tally, error) {
	socket, err := net.Dial("tcp", j.address)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	if err := socket.SetDeadline(j.deadline.Add(graceAfterLast)); err != nil {
		return nil, err
	}
	reader := bufio.NewReaderSize(socket, readBufferBytes)
	tally := &wire.Tally{}
	first := connection * len(j.requests) / j.connections
	for at := 0; ; at++ {
		due := j.due(connection, at)
		if !j.take(due) {
			return tally, nil
		}
		time.Sleep(time.Until(due))
		if _, err := socket.Write(j.requests[(first+at)%len(j.requests)]); err != nil {
			return nil, err
		}
		head, err := wire.ReadHead(reader)
		if err != nil {
			return nil, fmt.Errorf("a request was not answered: %w", err)
		}
		body := make([]byte, head.ContentLength)
		if _, err := io.ReadFull(reader, body); err != nil {
			return nil, err
		}
		count(tally, head.StartLine, body, time.Since(due))
	}
}

func count(tally *wire.Tally, statusLine string, body []byte, latency time.Duration) {
	var status int
	if _, err := fmt.Sscanf(statusLine, "HTTP/1.1 %d", &status); err != nil {
		tally.Fail(fmt.Sprintf("not an answer: %q", statusLine), latency)
		return
	}
	switch {
	case status == 200:
		tally.Count(wire.Allowed, body, latency)
	case status >= 400 && status < 500:
		tally.Count(wire.Denied, body, latency)
	default:
		tally.Fail(fmt.Sprintf("%s: %s", statusLine, body), latency)
	}
}
