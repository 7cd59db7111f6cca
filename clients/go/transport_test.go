package postern

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// gateway verifies a request as a server sees it: it signs the same again, with the values that came.
func gateway(t *testing.T, proto int) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		sent, err := url.Parse("http://" + request.Host + request.RequestURI)
		if err != nil {
			t.Error(err)
		}
		verifier := newTestHMAC(t, newTestClock().option(), WithSignedHeaders("host", "x-tenant"))
		again := &http.Request{
			Method: request.Method, URL: sent, Host: request.Host, Header: http.Header{"X-Tenant": request.Header["X-Tenant"]},
			Body: io.NopCloser(strings.NewReader(string(body))),
		}
		signed, err := verifier.Sign(again)
		if err != nil || request.ProtoMajor != proto {
			t.Errorf("HTTP/%d, %v", request.ProtoMajor, err)
			return
		}
		if got, want := request.Header.Get("Authorization"), signed.Header.Get("Authorization"); got != want {
			t.Errorf("HTTP/%d\n got %s\nwant %s", proto, got, want)
		}
		writer.Header().Set("X-Length", request.Header.Get("Content-Length"))
		_, _ = writer.Write(body)
	})
}

func TestWhatIsSignedIsWhatIsSent(t *testing.T) {
	for proto, start := range map[int]func(*httptest.Server){1: (*httptest.Server).StartTLS, 2: func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
	}} {
		server := httptest.NewUnstartedServer(gateway(t, proto))
		start(server)
		client := newTestHMAC(t, newTestClock().option(), WithSignedHeaders("host", "X-Tenant"))
		httpClient := &http.Client{Transport: &Transport{client, server.Client().Transport}}
		for _, each := range []struct{ method, path, host, body string }{
			{"GET", "", "", ""}, {"POST", "/a%41?b=%c3%b6+x&&y", "", "{}\n"}, {"PUT", "/é/ü?x=1#part", "", "\x00\xff"},
			{"DELETE", "/a", "api.example.com", ""}, {"POST", "?", "api.example.com:8443", "x"},
			{"GET", "/!$&'()*+,;=:@", "api.example.com:443", ""}, {"PATCH", "//a/../b", "", "x"},
		} {
			request := newRequest(t, each.method, server.URL+each.path, each.body, "x-tenant", " blue\t")
			request.Host = each.host
			answer, err := httpClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil || string(body) != each.body || answer.StatusCode != 200 {
				t.Errorf("HTTP/%d %s: got %d %q, %v", proto, each.path, answer.StatusCode, body, err)
			}
			if answer.Request.Header.Get("Authorization") != "" || request.Header.Get("Date") != "" {
				t.Errorf("HTTP/%d %s: the caller's request was changed, or is not the one of the answer", proto, each.path)
			}
		}
		server.Close()
	}
}

func TestHeadersOfAnyCaseAreReplaced(t *testing.T) {
	keys, _ := NewKey(testKey)
	for client, name := range map[*Client]string{newTestHMAC(t, WithNonce()): "authorization", keys: "x-app-key"} {
		request := newRequest(t, "POST", "https://a/", "x")
		request.Header[name], request.Header["dAtE"], request.Header["X-nonce"] = []string{"a"}, []string{"b"}, []string{"c"}
		signed, err := client.Sign(request)
		if err != nil {
			t.Fatal(err)
		}
		if values := headerValues(signed.Header, name); len(values) != 1 || values[0] == "a" {
			t.Errorf("%s is %q", name, values)
		}
		for _, each := range []string{"Date", "X-Nonce"} {
			if values := headerValues(signed.Header, each); client != keys && (len(values) != 1 || len(values[0]) == 1) {
				t.Errorf("%s is %q", each, values)
			}
		}
	}
}

func TestABodyThatCanBeReadOnceIsReadAndClosed(t *testing.T) {
	base := answers()
	body := &closeCounter{Reader: strings.NewReader("stream")}
	request := newRequest(t, "POST", "https://a/", "")
	request.Body, request.ContentLength = body, -1
	if _, err := (&Transport{newTestHMAC(t), base}).RoundTrip(request); err != nil {
		t.Fatal(err)
	}
	sent := base.requests[0]
	if base.bodies[0] != "stream" || sent.ContentLength != 6 || sent.Header.Get("Digest") == "" || body.count() == 0 {
		t.Errorf("sent %q of %d bytes; closed %d times", base.bodies[0], sent.ContentLength, body.count())
	}
}

func TestBodiesAreClosedWhenNothingIsSent(t *testing.T) {
	refused := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) {
		return response(401, mediaJSON, `{"error":"invalid_client"}`), nil
	}}
	tokens, _ := NewOAuth2(testKey, testSecret, "https://a/token")
	keys, _ := NewKey(testKey, WithKeyParameter("k"))
	for name, transport := range map[string]*Transport{
		"problem of the header": {newTestHMAC(t, WithSignedHeaders("te")), refused}, "no token": {tokens, refused},
		"problem of the query": {keys, refused},
	} {
		body := &closeCounter{Reader: strings.NewReader("x")}
		request := newRequest(t, "POST", "https://a/?k=1", "")
		request.Body = body
		if _, err := transport.RoundTrip(request); err == nil || body.count() == 0 {
			t.Errorf("%s: error %v, closed %d times", name, err, body.count())
		}
	}
}

func TestLargeBodies(t *testing.T) {
	for name, length := range map[string]int64{"of known length": maxBodyBytes + 1, "of unknown length": -1} {
		base := answers()
		source := &closeCounter{Reader: io.LimitReader(endless{}, maxBodyBytes+1)}
		request := newRequest(t, "POST", "https://a/", "")
		request.Body, request.ContentLength = source, length
		_, err := (&Transport{newTestHMAC(t), base}).RoundTrip(request)
		wantProblem(t, err, CodeBodyTooLarge)
		if len(base.requests) != 0 || source.count() == 0 {
			t.Errorf("%s: %d requests, closed %d times", name, len(base.requests), source.count())
		}
	}
	client, _ := NewKey(testKey)
	base := answers()
	request := newRequest(t, "POST", "https://a/", "")
	request.Body, request.ContentLength = io.NopCloser(io.LimitReader(endless{}, maxBodyBytes+1)), -1
	if _, err := (&Transport{client, base}).RoundTrip(request); err != nil || len(base.bodies[0]) != maxBodyBytes+1 {
		t.Errorf("with key: %v", err)
	}
}

type endless struct{}

func (endless) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = 'x'
	}
	return len(buffer), nil
}

func TestABodyOfAnotherLengthIsNotSent(t *testing.T) {
	base := answers()
	request := newRequest(t, "POST", "https://a/", "")
	request.Body, request.ContentLength = io.NopCloser(strings.NewReader("half")), 8
	_, err := (&Transport{newTestHMAC(t), base}).RoundTrip(request)
	if err == nil || !strings.Contains(err.Error(), "ContentLength") || len(base.requests) != 0 {
		t.Errorf("got %v, %d requests", err, len(base.requests))
	}
}

func TestReadingABodyEndsWithTheContext(t *testing.T) {
	reader, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "POST", "https://a/", reader)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := (&Transport{newTestHMAC(t), answers()}).RoundTrip(request); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSignLeavesABodyThatCanBeReadAgain(t *testing.T) {
	request := newRequest(t, "POST", "https://a/", "text")
	signed, err := newTestHMAC(t).Sign(request)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := io.ReadAll(signed.Body)
	second, _ := io.ReadAll(request.Body)
	if string(first) != "text" || string(second) != "text" {
		t.Errorf("signed %q, the caller's %q", first, second)
	}
}

func TestConcurrentUse(t *testing.T) {
	client := newTestHMAC(t, WithNonce(), WithSignedHeaders("host"))
	base := answers()
	transport := &Transport{client, base}
	var group sync.WaitGroup
	for i := 0; i < 32; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			request := newRequest(t, "POST", "https://a/", "body")
			if answer, err := transport.RoundTrip(request); err != nil || answer.StatusCode != 200 {
				t.Errorf("got %v, %v", answer, err)
			}
		}()
	}
	group.Wait()
	signatures := map[string]bool{}
	for _, request := range base.requests {
		signatures[request.Header.Get("Authorization")] = true
	}
	if len(signatures) != 32 {
		t.Errorf("%d signatures of 32 requests", len(signatures))
	}
}
