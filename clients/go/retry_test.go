package postern

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// attempts sends one request, and gives the number of attempts and what was waited between them.
func attempts(t *testing.T, base *roundTripper, method string, options ...Option) (
	*http.Response, error, []time.Duration,
) {
	t.Helper()
	clock := newTestClock()
	client := newTestHMAC(t, append(options, clock.option())...)
	answer, err := (&Transport{client, base}).RoundTrip(newRequest(t, method, "https://a/x", "body"))
	seen := map[string]bool{}
	for i, request := range base.requests {
		signature := request.Header.Get("Authorization")
		if seen[signature] {
			t.Error("a signature was sent twice")
		}
		seen[signature] = true
		if base.bodies[i] != "body" {
			t.Errorf("attempt %d has the body %q", i+1, base.bodies[i])
		}
	}
	return answer, err, clock.waits
}

func TestWhichAnswersAreTriedAgain(t *testing.T) {
	for _, each := range []struct {
		name   string
		answer *http.Response
		least  time.Duration // 0: not tried again
	}{
		{"429", refusalResponse(429, "RATE_LIMITED", "Retry-After", "3"), 3 * time.Second},
		{"429 at once", refusalResponse(429, "RATE_LIMITED", "Retry-After", "0"), time.Second},
		{"429 after a minute", refusalResponse(429, "RATE_LIMITED", "Retry-After", "60"), time.Minute},
		{"429 later", refusalResponse(429, "RATE_LIMITED", "Retry-After", "61"), 0},
		{"429 without a time", refusalResponse(429, "RATE_LIMITED"), 0},
		{"429 of the API", response(429, mediaJSON, `{"error":"slow"}`, "Retry-After", "1"), 0},
		{"429 with another code", refusalResponse(429, "UNAVAILABLE", "Retry-After", "1"), 0},
		{"store", refusalResponse(503, "STORE_UNAVAILABLE"), time.Second},
		{"limiter", refusalResponse(503, "LIMITER_UNAVAILABLE", "Retry-After", "5"), 5 * time.Second},
		{"gateway", refusalResponse(503, "UNAVAILABLE"), time.Second},
		{"503 later", refusalResponse(503, "UNAVAILABLE", "Retry-After", "61"), 0},
		{"503 that the API may have seen", refusalResponse(503, "GATEWAY_ERROR"), 0},
		{"503 of the API", response(503, "text/html", "<html>"), 0},
		{"accepted before", refusalResponse(401, "REQUEST_REPLAYED"), 0},
		{"expired, without correction", refusalResponse(401, "REQUEST_EXPIRED"), 0},
		{"a token of another method", refusalResponse(401, "TOKEN_INVALID"), 0},
		{"wrong signature", refusalResponse(401, "AUTHENTICATION_FAILED"), 0},
		{"not authorised", refusalResponse(403, "NOT_AUTHORIZED"), 0},
		{"internal", refusalResponse(500, "INTERNAL"), 0},
	} {
		body := each.answer.Body.(*closeCounter)
		answer, err, waits := attempts(t, answers(each.answer), "POST")
		if err != nil {
			t.Fatal(err)
		}
		again := each.least > 0
		if (answer.StatusCode == 200) != again || (len(waits) == 1) != again || (body.count() > 0) != again {
			t.Errorf("%s: got %d after %v, closed %d times", each.name, answer.StatusCode, waits, body.count())
			continue
		}
		if again && (waits[0] < each.least || waits[0] > each.least+each.least/5) {
			t.Errorf("%s: waited %v, want %v and up to a fifth", each.name, waits[0], each.least)
		}
		if !again {
			if rest, err := io.ReadAll(answer.Body); err != nil || len(rest) == 0 {
				t.Errorf("%s: the body cannot be read, %v", each.name, err)
			}
		}
	}
}

func TestHowOften(t *testing.T) {
	for retries, want := range map[int]int{0: 1, 1: 2, 2: 3, 4: 5} {
		base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) {
			return refusalResponse(503, "UNAVAILABLE"), nil
		}}
		answer, err, waits := attempts(t, base, "POST", WithRetries(retries))
		if err != nil || len(base.requests) != want || RefusalOf(answer) == nil {
			t.Errorf("%d retries: %d attempts, %v", retries, len(base.requests), err)
		}
		for i, wait := range waits {
			if least := time.Second << i; wait < least || wait > least+least/5 {
				t.Errorf("wait %d is %v, want %v and up to a fifth", i+1, wait, least)
			}
		}
	}
}

func TestFailedConnections(t *testing.T) {
	broken := errors.New("connection reset")
	for method, want := range map[string]int{
		"GET": 3, "HEAD": 3, "OPTIONS": 3, "PUT": 3, "DELETE": 3, "POST": 1, "PATCH": 1, "get": 1, "PROPFIND": 1,
	} {
		base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) { return nil, broken }}
		if _, err, _ := attempts(t, base, method); err != broken || len(base.requests) != want {
			t.Errorf("%s: %d attempts, want %d; %v", method, len(base.requests), want, err)
		}
	}
	untrusted := &tls.CertificateVerificationError{Err: broken}
	base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) { return nil, untrusted }}
	if _, err, _ := attempts(t, base, "GET"); err != untrusted || len(base.requests) != 1 {
		t.Errorf("a certificate that is not trusted: %d attempts, %v", len(base.requests), err)
	}
}

func TestABodyThatCanBeReadOnceIsNotSentTwice(t *testing.T) {
	client, _ := NewKey(testKey, newTestClock().option())
	for name, isAgain := range map[string]bool{"stream": false, "with GetBody": true} {
		base := answers(refusalResponse(503, "UNAVAILABLE"))
		request := newRequest(t, "PUT", "https://a/", "body")
		if name == "stream" {
			request.GetBody = nil
		}
		answer, err := (&Transport{client, base}).RoundTrip(request)
		if err != nil || (answer.StatusCode == 200) != isAgain || strings.Join(base.bodies, "") == "" {
			t.Errorf("%s: got %v, %v", name, answer, err)
		}
		if isAgain && base.bodies[1] != "body" {
			t.Errorf("the second attempt has the body %q", base.bodies[1])
		}
		if refusal := RefusalOf(answer); !isAgain && (refusal == nil || refusal.Code != "UNAVAILABLE") {
			t.Errorf("the answer is no longer the refusal: %v", refusal)
		}
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	refused := refusalResponse(503, "UNAVAILABLE")
	body := refused.Body.(*closeCounter)
	clock := newTestClock()
	ctx, cancel := context.WithCancel(context.Background())
	clock.ending = func() error { cancel(); return ctx.Err() }
	client := newTestHMAC(t, clock.option())
	request := newRequest(t, "GET", "https://a/", "").WithContext(ctx)
	_, err := (&Transport{client, answers(refused)}).RoundTrip(request)
	if !errors.Is(err, context.Canceled) || body.count() == 0 {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerIsGivenWhenThereIsNoTimeToWait(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	base := answers(refusalResponse(429, "RATE_LIMITED", "Retry-After", "60"))
	clock := newTestClock()
	request := newRequest(t, "GET", "https://a/", "").WithContext(ctx)
	answer, err := (&Transport{newTestHMAC(t, clock.option()), base}).RoundTrip(request)
	if err != nil || answer.StatusCode != 429 || len(clock.waits) != 0 || RefusalOf(answer) == nil {
		t.Errorf("got %v, %v after %v", answer, err, clock.waits)
	}
}

func TestClockCorrection(t *testing.T) {
	date := func(seconds int) string { return time.Unix(testNow+int64(seconds), 0).UTC().Format(http.TimeFormat) }
	for _, each := range []struct {
		name    string
		date    string
		allowed time.Duration
		again   bool
	}{
		{"behind", date(-600), 10 * time.Minute, true}, {"ahead", date(600), 10 * time.Minute, true},
		{"too far", date(601), 10 * time.Minute, false}, {"too far behind", date(-601), 10 * time.Minute, false},
		{"off", date(600), 0, false}, {"the same", date(0), time.Minute, false}, {"no date", "", time.Hour, false},
		{"no such date", "yesterday", time.Hour, false},
	} {
		base := answers(refusalResponse(401, "REQUEST_EXPIRED", "Date", each.date))
		answer, err, waits := attempts(t, base, "POST", WithClockCorrection(each.allowed), WithRetries(0))
		if err != nil || (answer.StatusCode == 200) != each.again || len(waits) != 0 {
			t.Errorf("%s: got %v, %v", each.name, answer, err)
		}
		if each.again && base.requests[1].Header.Get("Date") != each.date {
			t.Errorf("%s: signed at %s, want %s", each.name, base.requests[1].Header.Get("Date"), each.date)
		}
	}
}

func TestTheClockIsCorrectedOnceForACall(t *testing.T) {
	number := 0
	base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) {
		number++
		theirs := time.Unix(testNow+int64(number)*100, 0).UTC().Format(http.TimeFormat)
		return refusalResponse(401, "REQUEST_EXPIRED", "Date", theirs), nil
	}}
	answer, err, _ := attempts(t, base, "GET", WithClockCorrection(time.Hour))
	if err != nil || answer.StatusCode != 401 || len(base.requests) != 2 {
		t.Errorf("%d attempts, %v", len(base.requests), err)
	}
}
