package postern

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

const (
	testKey    = "3f0c9a1be27d4856af0312c4d5e6b798"
	testSecret = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9"
	testNow    = 1795228800 // Sat, 21 Nov 2026 02:40:00 GMT
)

// testClock stands still, but for what the client waits.
type testClock struct {
	mutex sync.Mutex
	now   time.Time
	waits []time.Duration
	// ending is called in place of the first wait, and its error returned.
	ending func() error
}

func newTestClock() *testClock { return &testClock{now: time.Unix(testNow, 0)} }

func (c *testClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

func (c *testClock) add(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.now = c.now.Add(d)
}

func (c *testClock) option() Option {
	return withHooks(hook.Hooks{
		Now: c.Now,
		Sleep: func(_ context.Context, wait time.Duration) error {
			if c.ending != nil {
				return c.ending()
			}
			c.add(wait)
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.waits = append(c.waits, wait)
			return nil
		},
	})
}

// roundTripper is the other end. It keeps the requests with their bodies.
type roundTripper struct {
	answer func(number int, request *http.Request) (*http.Response, error)

	mutex    sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (r *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	body := ""
	if request.Body != nil {
		raw, err := io.ReadAll(request.Body)
		_ = request.Body.Close()
		if err != nil {
			return nil, err
		}
		body = string(raw)
	}
	r.mutex.Lock()
	r.requests = append(r.requests, request)
	r.bodies = append(r.bodies, body)
	number := len(r.requests)
	r.mutex.Unlock()
	return r.answer(number, request)
}

// answers gives one after the other, then 200.
func answers(responses ...*http.Response) *roundTripper {
	return &roundTripper{answer: func(number int, _ *http.Request) (*http.Response, error) {
		if number <= len(responses) {
			return responses[number-1], nil
		}
		return response(200, "", "fine"), nil
	}}
}

func response(status int, contentType, body string, headers ...string) *http.Response {
	header := http.Header{}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: header, Body: &closeCounter{Reader: strings.NewReader(body)}, ContentLength: -1,
	}
}

func refusalResponse(status int, code string, headers ...string) *http.Response {
	return response(status, "application/json", `{"code":"`+code+`","message":"No.","requestId":"r-1"}`, headers...)
}

// closeCounter counts how often a body was closed.
type closeCounter struct {
	io.Reader
	mutex  sync.Mutex
	closed int
}

func (c *closeCounter) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed++
	return nil
}

func (c *closeCounter) count() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.closed
}

func newTestHMAC(t *testing.T, options ...Option) *Client {
	t.Helper()
	client, err := NewHMAC(testKey, testSecret, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newRequest(t *testing.T, method, address, body string, headers ...string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, address, reader)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	return request
}

func wantProblem(t *testing.T, err error, code string) {
	t.Helper()
	var problem *Problem
	if !errors.As(err, &problem) || problem.Code != code {
		t.Errorf("got error %v, want the problem %s", err, code)
	}
}
