package main

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2"
)

// handle does what one frame from the server asks for.
func (c *connection) handle(frame http2.Frame) error {
	switch frame := frame.(type) {
	case *http2.HeadersFrame:
		return c.handleHeaders(frame)
	case *http2.DataFrame:
		return c.handleData(frame)
	case *http2.SettingsFrame:
		return c.handleSettings(frame)
	case *http2.WindowUpdateFrame:
		return c.handleWindow(frame)
	case *http2.PingFrame:
		if frame.IsAck() {
			return nil
		}
		return c.framer.WritePing(true, frame.Data)
	case *http2.RSTStreamFrame:
		if opened := c.open[frame.StreamID]; opened != nil {
			return c.end(frame.StreamID, opened, fmt.Sprintf("reset: %v", frame.ErrCode))
		}
		return nil
	case *http2.GoAwayFrame:
		return fmt.Errorf("the server closed the connection: %v", frame.ErrCode)
	}
	return nil
}

func (c *connection) handleHeaders(frame *http2.HeadersFrame) error {
	if !frame.HeadersEnded() {
		return errors.New("header fields in more than one frame")
	}
	c.grpcStatus = ""
	if _, err := c.decoder.Write(frame.HeaderBlockFragment()); err != nil {
		return err
	}
	if err := c.decoder.Close(); err != nil {
		return err
	}
	opened := c.open[frame.StreamID]
	if opened == nil || !frame.StreamEnded() {
		return nil
	}
	return c.end(frame.StreamID, opened, c.grpcStatus)
}

func (c *connection) handleData(frame *http2.DataFrame) error {
	if c.unread += frame.Length; c.unread > windowUpdateStep {
		if err := c.framer.WriteWindowUpdate(0, c.unread); err != nil {
			return err
		}
		c.unread = 0
	}
	opened := c.open[frame.StreamID]
	if opened == nil {
		return nil
	}
	opened.reply = append(opened.reply, frame.Data()...)
	if frame.StreamEnded() {
		return c.end(frame.StreamID, opened, "none: the answer ended without trailers")
	}
	return nil
}

// end counts an answer and begins the next call.
func (c *connection) end(stream uint32, answered *call, grpcStatus string) error {
	delete(c.open, stream)
	count(c.tally, answered.reply, grpcStatus, time.Since(answered.start))
	return c.call()
}

func (c *connection) handleSettings(frame *http2.SettingsFrame) error {
	if frame.IsAck() {
		return nil
	}
	if size, given := frame.Value(http2.SettingMaxFrameSize); given {
		c.maxFrame = int(size)
	}
	if size, given := frame.Value(http2.SettingHeaderTableSize); given {
		c.encoder.SetMaxDynamicTableSizeLimit(size)
	}
	if size, given := frame.Value(http2.SettingInitialWindowSize); given {
		for _, opened := range c.open {
			opened.window += int64(size) - c.ownWindow
		}
		c.ownWindow = int64(size)
	}
	if err := c.framer.WriteSettingsAck(); err != nil {
		return err
	}
	return c.sendAll()
}

func (c *connection) handleWindow(frame *http2.WindowUpdateFrame) error {
	if frame.StreamID == 0 {
		c.sendWindow += int64(frame.Increment)
		return c.sendAll()
	}
	opened := c.open[frame.StreamID]
	if opened == nil {
		return nil
	}
	opened.window += int64(frame.Increment)
	return c.send(frame.StreamID, opened)
}
