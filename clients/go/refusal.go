package postern

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRefusalBytes bounds what is read of an answer to find a refusal in it.
const maxRefusalBytes = 65_536

// Refusal is the gateway's answer to a request that it did not let through. It is also an error, for programs that
// want to return it.
type Refusal struct {
	// Status is the HTTP status, such as 401.
	Status int
	// Code is the gateway's code, such as AUTHENTICATION_FAILED. Codes do not change.
	Code string
	// Message says in English what the code means.
	Message string
	// RequestID names the request in the gateway's log. Quote it when you ask the operator. Empty when the gateway gave
	// none.
	RequestID string
	// StringToSign is what the gateway built, where its operator switched signature hints on; else it is empty.
	StringToSign string

	retryAfter *time.Duration
}

// RetryAfter is the gateway's Retry-After, in whole seconds. It is false when the answer had none.
func (r *Refusal) RetryAfter() (time.Duration, bool) {
	if r.retryAfter == nil {
		return 0, false
	}
	return *r.retryAfter, true
}

// AcceptedBefore is true when the gateway let an equal request through before: the API has it. With WithNonce it was this
// very call, whose answer was lost. See whether it took effect before you call again.
func (r *Refusal) AcceptedBefore() bool {
	return r.Status == http.StatusUnauthorized && r.Code == "REQUEST_REPLAYED"
}

// Error gives the status, the code, the message and the request ID.
func (r *Refusal) Error() string {
	return "postern: refused with " + strconv.Itoa(r.Status) + " " + r.Code + ": " + r.Message +
		" (request ID " + r.RequestID + ")"
}

// RefusalOf reads the gateway's refusal from an answer. It is nil for every other answer, such as one of the API
// itself. The body of the answer can be read afterwards as if nothing had been read.
func RefusalOf(response *http.Response) *Refusal {
	if response == nil || response.Body == nil || response.StatusCode < 400 || response.ContentLength > maxRefusalBytes {
		return nil
	}
	essence, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(trimBlanks(essence), mediaJSON) {
		return nil
	}
	original := response.Body
	start, err := io.ReadAll(io.LimitReader(original, maxRefusalBytes+1))
	rest := io.Reader(original)
	if err != nil {
		rest = failingReader{err}
	}
	response.Body = &rereadBody{io.MultiReader(bytes.NewReader(start), rest), original}
	if err != nil || len(start) > maxRefusalBytes {
		return nil
	}
	return parseRefusal(response, start)
}

func parseRefusal(response *http.Response, body []byte) *Refusal {
	// A map, because a struct would also take members whose names differ by case.
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	code, message, requestID := textOf(members["code"]), textOf(members["message"]), textOf(members["requestId"])
	if requestID == nil && string(members["requestId"]) == "null" {
		requestID = new(string)
	}
	if code == nil || message == nil || requestID == nil {
		return nil
	}
	refusal := &Refusal{Status: response.StatusCode, Code: *code, Message: *message, RequestID: *requestID}
	if hint := textOf(members["stringToSign"]); hint != nil {
		refusal.StringToSign = *hint
	}
	refusal.retryAfter = retryAfterOf(response.Header, time.Now())
	return refusal
}

func textOf(member json.RawMessage) *string {
	var text *string
	if member == nil || json.Unmarshal(member, &text) != nil {
		return nil
	}
	return text
}

// retryAfterOf reads a number of seconds or a date, which counts from the Date of the answer. Nil: absent or neither.
func retryAfterOf(header http.Header, now time.Time) *time.Duration {
	text := trimBlanks(header.Get("Retry-After"))
	seconds, err := strconv.ParseUint(text, 10, 32)
	if err == nil {
		wait := time.Duration(seconds) * time.Second
		return &wait
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		now = theirs
	}
	wait := (date.Sub(now) + time.Second - 1).Truncate(time.Second)
	if wait < 0 {
		wait = 0
	}
	return &wait
}

// rereadBody is a body whose beginning was read before.
type rereadBody struct {
	io.Reader
	io.Closer
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }
