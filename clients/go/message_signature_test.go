package postern

import (
	"crypto/elliptic"
	"net/http"
	"strings"
	"testing"
	"time"
)

const asksForTag = `sig1=("@method" "@authority" "@path" "@query");created;nonce="theirs";tag="app"`

func newTestKey(t *testing.T) *PrivateKey {
	t.Helper()
	key, err := NewSignerKey(newECDSA(t, elliptic.P256()))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestTheSignatureThatA401AsksForIsMadeOnce(t *testing.T) {
	for name, each := range map[string]struct {
		answers  []*http.Response
		attempts int
	}{
		"asks and takes": {[]*http.Response{
			refusalResponse(401, "AUTHENTICATION_FAILED", "Accept-Signature", asksForTag)}, 2},
		"asks again": {[]*http.Response{
			refusalResponse(401, "CREDENTIALS_MALFORMED", "Accept-Signature", asksForTag),
			refusalResponse(401, "CREDENTIALS_MISSING", "Accept-Signature", strings.Replace(asksForTag, "app", "b", 1)),
		}, 2},
		"asks for nothing more": {[]*http.Response{
			refusalResponse(401, "AUTHENTICATION_FAILED", "Accept-Signature", `sig1=("@method");created`)}, 1},
		"another code": {[]*http.Response{
			refusalResponse(401, "REQUEST_EXPIRED", "Accept-Signature", asksForTag)}, 1},
		"another status": {[]*http.Response{
			refusalResponse(403, "CREDENTIALS_MISSING", "Accept-Signature", asksForTag)}, 1},
		"no field": {[]*http.Response{refusalResponse(401, "AUTHENTICATION_FAILED")}, 1},
		"of the API": {[]*http.Response{
			response(401, "text/plain", "no", "Accept-Signature", asksForTag)}, 1},
	} {
		base := answers(each.answers...)
		client := newMessageClient(t, newTestKey(t), WithRetries(0))
		if _, err := (&Transport{client, base}).RoundTrip(newRequest(t, "POST", "https://a/", "body")); err != nil {
			t.Fatal(err)
		}
		if len(base.requests) != each.attempts {
			t.Errorf("%s: %d attempts, want %d", name, len(base.requests), each.attempts)
		}
		for i, request := range base.requests {
			input := request.Header.Get("Signature-Input")
			asked := strings.Contains(input, `;nonce="theirs";tag="app"`)
			if asked != (i == 1) || base.bodies[i] != "body" {
				t.Errorf("%s: attempt %d has %s and the body %q", name, i+1, input, base.bodies[i])
			}
		}
	}
}

func TestWhatWasAskedForStaysForTheCallAndNoLonger(t *testing.T) {
	base := answers(
		refusalResponse(401, "AUTHENTICATION_FAILED", "Accept-Signature", asksForTag),
		refusalResponse(503, "UNAVAILABLE", "Retry-After", "1"),
	)
	transport := &Transport{newMessageClient(t, newTestKey(t), WithoutNonce()), base}
	for i := 0; i < 2; i++ {
		if _, err := transport.RoundTrip(newRequest(t, "GET", "https://a/", "")); err != nil {
			t.Fatal(err)
		}
	}
	inputs := make([]string, len(base.requests))
	for i, request := range base.requests {
		inputs[i] = request.Header.Get("Signature-Input")
	}
	if len(inputs) != 4 {
		t.Fatalf("%d attempts: %q", len(inputs), inputs)
	}
	if !strings.HasSuffix(inputs[1], `;nonce="theirs";tag="app"`) {
		t.Errorf("not what was asked for: %s", inputs[1])
	}
	if strings.Contains(inputs[2], "theirs") || !strings.Contains(inputs[2], ";nonce=") ||
		!strings.HasSuffix(inputs[2], `;tag="app"`) {
		t.Errorf("the next attempt has no nonce of its own, or no tag: %s", inputs[2])
	}
	if strings.Contains(inputs[3], "nonce") || strings.Contains(inputs[3], "tag") {
		t.Errorf("the next call has it too: %s", inputs[3])
	}
}

func TestAnOriginElsewhereGetsNoMessageSignature(t *testing.T) {
	base := answers()
	request := newRequest(t, "GET", "https://b/", "")
	request.Response = &http.Response{Request: newRequest(t, "GET", "https://a/", "")}
	if _, err := (&Transport{newMessageClient(t, newTestKey(t)), base}).RoundTrip(request); err != nil {
		t.Fatal(err)
	}
	if input := base.requests[0].Header.Get("Signature-Input"); input != "" {
		t.Errorf("got %s", input)
	}
}

func TestHostsThatAreSentOtherwise(t *testing.T) {
	client := newMessageClient(t, newTestKey(t), WithCoverAlso("host"))
	for host, want := range map[string]string{
		"api.example.com": "api.example.com", "API.Example.com:443": "api.example.com", "[fe80::1%25eth0]:8": "[fe80::1]:8",
		"api.example.com:": "api.example.com", "köln.example": "", "a$b": "",
	} {
		signed, err := client.Sign(newRequest(t, "GET", "https://"+host+"/", ""))
		if want == "" {
			wantProblem(t, err, CodeTargetNotSignable)
		} else if err != nil || !strings.EqualFold(signed.Host, want) {
			t.Errorf("%s: got %v, %v", host, signed, err)
		}
	}
}

func TestAClockThatAnAssertionShowsWrongIsCorrectedOnce(t *testing.T) {
	for name, each := range map[string]struct {
		ahead     time.Duration
		most      time.Duration
		questions int
	}{
		"far away":        {time.Hour, 2 * time.Hour, 2},
		"too far":         {3 * time.Hour, 2 * time.Hour, 1},
		"too little":      {29 * time.Second, 2 * time.Hour, 1},
		"just enough":     {30 * time.Second, 2 * time.Hour, 2},
		"without a bound": {time.Hour, 0, 1},
	} {
		date := time.Unix(testNow, 0).Add(each.ahead).UTC().Format(http.TimeFormat)
		base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) {
			return response(401, mediaJSON, `{"error":"invalid_client"}`, "Date", date), nil
		}}
		client, err := NewPrivateKeyJWT("acme", newTestKey(t), "https://a/token", newTestClock().option(),
			WithClockCorrection(each.most))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&Transport{client, base}).RoundTrip(newRequest(t, "GET", "https://a/", "")); err == nil {
			t.Errorf("%s: no error", name)
		}
		if len(base.requests) != each.questions {
			t.Errorf("%s: %d questions, want %d", name, len(base.requests), each.questions)
		}
	}
}

// FuzzDictionary: no text ends the program, and what is read was within its bounds.
func FuzzDictionary(f *testing.F) {
	for _, seed := range []string{
		"", asksForTag, `a=1, b=("x";y=?1);z=:AAAA:`, `a=(`, `a="\"`, "*=-1.5;b=c/d:e", ",", "a,",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, ok := parseDictionary(text)
		if !ok && members != nil {
			t.Errorf("%q has members although it is none", text)
		}
		for _, member := range members {
			if !isKey(member.key) {
				t.Errorf("%q has the key %q", text, member.key)
			}
		}
	})
}
