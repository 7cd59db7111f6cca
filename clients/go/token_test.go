package postern

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// tokenServer numbers the tokens that it gives, and takes the last one only.
type tokenServer struct {
	mutex  sync.Mutex
	given  int
	life   string
	refuse int // how many calls are refused
	hold   chan struct{}
}

func (s *tokenServer) base() *roundTripper {
	return &roundTripper{answer: func(_ int, request *http.Request) (*http.Response, error) {
		if request.URL.Path == "/oauth2/token" {
			if s.hold != nil {
				<-s.hold
			}
			s.mutex.Lock()
			defer s.mutex.Unlock()
			s.given++
			token := `{"access_token":"token-` + strconv.Itoa(s.given) + `","token_type":"Bearer"` + s.life + `}`
			return response(200, mediaJSON, token), nil
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if s.refuse > 0 {
			s.refuse--
			return refusalResponse(401, "TOKEN_INVALID"), nil
		}
		return response(200, "", request.Header.Get("Authorization")), nil
	}}
}

func oauth2Transport(t *testing.T, secret string, base http.RoundTripper, clock *testClock) *Transport {
	t.Helper()
	client, err := NewOAuth2(testKey, secret, "https://a/oauth2/token", clock.option())
	if err != nil {
		t.Fatal(err)
	}
	return &Transport{client, base}
}

func TestTheTokenIsAskedForAndKept(t *testing.T) {
	server := &tokenServer{life: `,"expires_in":3600`}
	base := server.base()
	transport := oauth2Transport(t, "a b+c&é", base, newTestClock())
	for i := 0; i < 3; i++ {
		if _, err := transport.RoundTrip(newRequest(t, "GET", "https://a/x", "", "Authorization", "mine")); err != nil {
			t.Fatal(err)
		}
	}
	if len(base.requests) != 4 || server.given != 1 {
		t.Fatalf("%d requests, %d tokens", len(base.requests), server.given)
	}
	question := base.requests[0]
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(testKey+":a+b%2Bc%26%C3%A9"))
	if question.Method != "POST" || question.Header.Get("Authorization") != basic ||
		question.Header.Get("Content-Type") != mediaForm || base.bodies[0] != "grant_type=client_credentials" {
		t.Errorf("asked by %s with %v and %q", question.Method, question.Header, base.bodies[0])
	}
	for _, request := range base.requests[1:] {
		if got := request.Header["Authorization"]; len(got) != 1 || got[0] != "Bearer token-1" {
			t.Errorf("called with %q", got)
		}
	}
}

func TestTheTokenIsRenewedInTime(t *testing.T) {
	for _, each := range []struct {
		life      string
		after     time.Duration
		isRenewed bool
	}{
		{`,"expires_in":3600`, 3539 * time.Second, false}, {`,"expires_in":3600`, 3541 * time.Second, true},
		{`,"expires_in":100`, 89 * time.Second, false}, {`,"expires_in":100`, 91 * time.Second, true},
		{`,"expires_in":0`, 0, true}, {`,"expires_in":-5`, 0, true}, {``, 1000 * time.Hour, false},
		{`,"expires_in":1e300`, 24 * time.Hour, false},
	} {
		server, clock := &tokenServer{life: each.life}, newTestClock()
		transport := oauth2Transport(t, testSecret, server.base(), clock)
		for i := 0; i < 2; i++ {
			if _, err := transport.RoundTrip(newRequest(t, "GET", "https://a/x", "")); err != nil {
				t.Fatal(err)
			}
			clock.add(each.after)
		}
		if (server.given == 2) != each.isRenewed {
			t.Errorf("%s after %v: %d tokens", each.life, each.after, server.given)
		}
	}
}

func TestCallsAtTheSameTimeShareOneQuestion(t *testing.T) {
	server := &tokenServer{life: `,"expires_in":3600`, hold: make(chan struct{})}
	transport := oauth2Transport(t, testSecret, server.base(), newTestClock())
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() { // asks first, and leaves
		_, err := transport.RoundTrip(newRequest(t, "GET", "https://a/x", "").WithContext(ctx))
		left <- err
	}()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var group sync.WaitGroup
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if _, err := transport.RoundTrip(newRequest(t, "GET", "https://a/x", "")); err != nil {
				t.Error(err)
			}
		}()
	}
	close(server.hold)
	group.Wait()
	if server.given != 1 {
		t.Errorf("%d questions", server.given)
	}
}

func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	for refusals, want := range map[int]struct{ status, tokens int }{1: {200, 2}, 2: {401, 2}} {
		server, clock := &tokenServer{life: `,"expires_in":3600`, refuse: refusals}, newTestClock()
		transport := oauth2Transport(t, testSecret, server.base(), clock)
		answer, err := transport.RoundTrip(newRequest(t, "POST", "https://a/x", "body"))
		if err != nil || answer.StatusCode != want.status || server.given != want.tokens || len(clock.waits) != 0 {
			t.Errorf("%d refusals: %v, %v, %d tokens, waited %v", refusals, answer, err, server.given, clock.waits)
		}
	}
	server := &tokenServer{life: `,"expires_in":3600`, refuse: 1}
	transport := oauth2Transport(t, testSecret, server.base(), newTestClock())
	request := newRequest(t, "POST", "https://a/x", "stream")
	request.GetBody = nil
	if answer, err := transport.RoundTrip(request); err != nil || answer.StatusCode != 401 || server.given != 1 {
		t.Errorf("a stream: %v, %v, %d tokens", answer, err, server.given)
	}
	answer, err := transport.RoundTrip(newRequest(t, "GET", "https://a/x", ""))
	if err != nil || answer.StatusCode != 200 {
		t.Errorf("the next call: %v, %v", answer, err)
	}
	if server.given != 2 {
		t.Errorf("the refused token was kept: %d tokens", server.given)
	}
}

func TestAnAnswerThatIsNoToken(t *testing.T) {
	const notJSON, notBearer = "the answer is not the JSON of RFC 6749", "the answer holds no bearer token"
	const none = "the token URL gave none"
	refused := func(code, description string) *http.Response {
		return response(401, mediaJSON, `{"error":"`+code+`","error_description":"`+description+`"}`)
	}
	for name, each := range map[string]struct {
		answer            *http.Response
		code, description string
	}{
		"refused":            {refused("invalid_client", "No."), "invalid_client", none},
		"repeats the secret": {refused(testSecret, `\u000a`+testSecret), "", none},
		"HTML":               {response(502, "text/html", "<html>"), "", none},
		"redirect":           {response(302, "", "", "Location", "https://b/"), "", none},
		"no JSON":            {response(200, mediaJSON, "x"), "", notJSON},
		"no token":           {response(200, mediaJSON, `{"token_type":"bearer"}`), "", notBearer},
		"a line feed":        {response(200, mediaJSON, `{"token_type":"bearer","access_token":"a\nb"}`), "", notBearer},
		"another type":       {response(200, mediaJSON, `{"token_type":"mac","access_token":"abc"}`), "", notBearer},
	} {
		base := answers(each.answer)
		_, err := oauth2Transport(t, testSecret, base, newTestClock()).RoundTrip(newRequest(t, "GET", "https://a/x", ""))
		var failure *TokenError
		if !errors.As(err, &failure) || failure.Code != each.code || failure.Description != each.description ||
			failure.Status != each.answer.StatusCode {
			t.Errorf("%s: got %#v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), testSecret) || len(base.requests) != 1 {
			t.Errorf("%s: %d requests, %v", name, len(base.requests), err)
		}
	}
}
