package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"postern/bench/peers/wire"
)

const (
	bufferBytes      = 64 << 10
	receiveWindow    = 1 << 30
	initialWindow    = 65535
	initialFrame     = 16384
	graceAfterLast   = 10 * time.Second
	expectedReply    = 1024
	windowUpdateStep = 1 << 24
)

// job is what all connections share.
type job struct {
	address   string
	calls     *calls
	streams   int
	remaining atomic.Int64
	deadline  time.Time
}

// take says whether one more call is to be made.
func (j *job) take() bool {
	return j.remaining.Add(-1) >= 0 && time.Now().Before(j.deadline)
}

// connection speaks HTTP/2 as Envoy does: header fields with the dynamic table, one call after the other on each of
// a number of streams, everything that is ready in one write.
type connection struct {
	job        *job
	writer     *bufio.Writer
	framer     *http2.Framer
	block      bytes.Buffer
	encoder    *hpack.Encoder
	decoder    *hpack.Decoder
	grpcStatus string
	open       map[uint32]*call
	next       uint32
	message    int
	sendWindow int64
	ownWindow  int64
	maxFrame   int
	unread     uint32
	tally      *wire.Tally
}

// call is one stream.
type call struct {
	start  time.Time
	unsent []byte
	window int64
	reply  []byte
}

// drive opens a connection, keeps its streams busy until the job is done, and gives what it saw.
func drive(job *job, firstMessage int) (*wire.Tally, error) {
	socket, err := net.Dial("tcp", job.address)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	if err := socket.SetDeadline(job.deadline.Add(graceAfterLast)); err != nil {
		return nil, err
	}
	reader := bufio.NewReaderSize(socket, bufferBytes)
	c := &connection{
		job: job, writer: bufio.NewWriterSize(socket, bufferBytes), open: map[uint32]*call{}, next: 1,
		message: firstMessage, sendWindow: initialWindow, ownWindow: initialWindow, maxFrame: initialFrame, tally: &wire.Tally{},
	}
	c.framer = http2.NewFramer(c.writer, reader)
	c.framer.SetReuseFrames()
	c.encoder = hpack.NewEncoder(&c.block)
	c.decoder = hpack.NewDecoder(4096, func(field hpack.HeaderField) {
		if field.Name == "grpc-status" {
			c.grpcStatus = field.Value
		}
	})
	if err := c.begin(); err != nil {
		return nil, err
	}
	for len(c.open) > 0 {
		if reader.Buffered() == 0 {
			if err := c.writer.Flush(); err != nil {
				return nil, err
			}
		}
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return nil, fmt.Errorf("%d calls were not answered: %w", len(c.open), err)
		}
		if err := c.handle(frame); err != nil {
			return nil, err
		}
	}
	return c.tally, nil
}

// begin greets the server, waits for its settings and opens the first calls.
func (c *connection) begin() error {
	if _, err := c.writer.WriteString(http2.ClientPreface); err != nil {
		return err
	}
	settings := http2.Setting{ID: http2.SettingInitialWindowSize, Val: receiveWindow}
	if err := c.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush}, settings); err != nil {
		return err
	}
	if err := c.framer.WriteWindowUpdate(0, receiveWindow-initialWindow); err != nil {
		return err
	}
	if err := c.writer.Flush(); err != nil {
		return err
	}
	frame, err := c.framer.ReadFrame()
	if err != nil {
		return err
	}
	if err := c.handle(frame); err != nil {
		return err
	}
	for range c.job.streams {
		if err := c.call(); err != nil {
			return err
		}
	}
	return nil
}

// call begins one more call, if there is one to make.
func (c *connection) call() error {
	if !c.job.take() {
		return nil
	}
	messages := c.job.calls.messages
	stream := c.next
	c.next += 2
	opened := &call{start: time.Now(), unsent: messages[c.message%len(messages)], window: c.ownWindow}
	opened.reply = make([]byte, 0, expectedReply)
	c.message++
	c.open[stream] = opened
	c.block.Reset()
	for _, field := range c.job.calls.headers {
		if err := c.encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.block.Bytes(), EndHeaders: true})
	if err != nil {
		return err
	}
	return c.send(stream, opened)
}

// send writes as much of a message as the windows let through.
func (c *connection) send(stream uint32, opened *call) error {
	for len(opened.unsent) > 0 {
		size := min(int64(len(opened.unsent)), int64(c.maxFrame), c.sendWindow, opened.window)
		if size <= 0 {
			return nil
		}
		piece := opened.unsent[:size]
		opened.unsent = opened.unsent[size:]
		c.sendWindow -= size
		opened.window -= size
		if err := c.framer.WriteData(stream, len(opened.unsent) == 0, piece); err != nil {
			return err
		}
	}
	return nil
}

// sendAll continues every message that waited for a window.
func (c *connection) sendAll() error {
	for stream, opened := range c.open {
		if err := c.send(stream, opened); err != nil {
			return err
		}
	}
	return nil
}
