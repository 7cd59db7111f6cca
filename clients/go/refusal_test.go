package postern

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRefusalOf(t *testing.T) {
	body := `{"code":"AUTHENTICATION_FAILED","message":"No.","requestId":"r-1","stringToSign":"date: x\nGET / HTTP/1.1"}`
	answer := response(401, "Application/JSON; charset=utf-8", body, "Retry-After", "7")
	refusal := RefusalOf(answer)
	if refusal == nil {
		t.Fatal("no refusal")
	}
	wait, given := refusal.RetryAfter()
	if refusal.Status != 401 || refusal.Code != "AUTHENTICATION_FAILED" || refusal.Message != "No." ||
		refusal.RequestID != "r-1" || refusal.StringToSign != "date: x\nGET / HTTP/1.1" || !given || wait != 7*time.Second {
		t.Errorf("got %#v", refusal)
	}
	if want := "postern: refused with 401 AUTHENTICATION_FAILED: No. (request ID r-1)"; refusal.Error() != want {
		t.Errorf("got %q, want %q", refusal.Error(), want)
	}
	again := RefusalOf(answer)
	rest, err := io.ReadAll(answer.Body)
	if again == nil || again.Code != refusal.Code || string(rest) != body || err != nil {
		t.Errorf("read again: %v; the body is %q, %v", again, rest, err)
	}
}

func TestWhatIsNoRefusal(t *testing.T) {
	long := strings.Repeat("x", maxRefusalBytes)
	for name, answer := range map[string]*http.Response{
		"of the API":       response(401, mediaJSON, `{"error":"no"}`),
		"another type":     response(401, "text/plain", `{"code":"A","message":"b","requestId":"c"}`),
		"no type":          response(401, "", `{"code":"A","message":"b","requestId":"c"}`),
		"a number":         response(401, mediaJSON, `{"code":1,"message":"b","requestId":"c"}`),
		"null":             response(401, mediaJSON, `{"code":"A","message":null,"requestId":"c"}`),
		"another case":     response(401, mediaJSON, `{"Code":"A","message":"b","requestId":"c"}`),
		"a list":           response(401, mediaJSON, `[{"code":"A","message":"b","requestId":"c"}]`),
		"text after it":    response(401, mediaJSON, `{"code":"A","message":"b","requestId":"c"} x`),
		"no JSON":          response(401, mediaJSON, `<html>`),
		"too long":         response(401, mediaJSON, `{"code":"A","message":"`+long+`","requestId":"c"}`),
		"a good answer":    response(200, mediaJSON, `{"code":"A","message":"b","requestId":"c"}`),
		"an empty body":    response(401, mediaJSON, ""),
		"no body":          {StatusCode: 401, Header: http.Header{"Content-Type": {mediaJSON}}},
		"compressed bytes": response(401, mediaJSON, "\x1f\x8b\x08"),
	} {
		var before string
		if counter, ok := answer.Body.(*closeCounter); ok {
			raw, _ := io.ReadAll(counter.Reader)
			before = string(raw)
			counter.Reader = strings.NewReader(before)
		}
		if refusal := RefusalOf(answer); refusal != nil {
			t.Errorf("%s: got %v", name, refusal)
		}
		if answer.Body == nil {
			continue
		}
		if after, err := io.ReadAll(answer.Body); string(after) != before || err != nil {
			t.Errorf("%s: %d bytes can be read, %v; want %d", name, len(after), err, len(before))
		}
	}
	if RefusalOf(nil) != nil {
		t.Error("nil is a refusal")
	}
}

func TestAReadErrorComesBackAfterWhatWasRead(t *testing.T) {
	broken := errors.New("broken")
	answer := response(401, mediaJSON, "")
	counter := &closeCounter{Reader: io.MultiReader(strings.NewReader(`{"code":`), failingReader{broken})}
	answer.Body = counter
	if refusal := RefusalOf(answer); refusal != nil {
		t.Errorf("got %v", refusal)
	}
	if read, err := io.ReadAll(answer.Body); string(read) != `{"code":` || err != broken {
		t.Errorf("got %q, %v", read, err)
	}
	if answer.Body.Close(); counter.count() != 1 {
		t.Error("closing does not reach the connection")
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, " 60 ": time.Minute,
		"Sat, 21 Nov 2026 02:40:30 GMT": 30 * time.Second, "Sat, 21 Nov 2026 02:39:00 GMT": 0,
		"": -1, "-1": -1, "1.5": -1, "soon": -1, "99999999999": -1,
	} {
		header := http.Header{"Retry-After": {text}, "Date": {"Sat, 21 Nov 2026 02:40:00 GMT"}}
		got := retryAfterOf(header, time.Unix(0, 0))
		if want < 0 && got != nil || want >= 0 && (got == nil || *got != want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	header := http.Header{"Retry-After": {"Sat, 21 Nov 2026 02:40:30 GMT"}}
	if got := retryAfterOf(header, time.Unix(testNow, 1)); got == nil || *got != 30*time.Second {
		t.Errorf("without Date: got %v, want 30s", got)
	}
}
