package postern

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestCredentialsAndSettingsAreChecked(t *testing.T) {
	for name, build := range map[string]func() (*Client, error){
		"empty App Key":         func() (*Client, error) { return NewKey("") },
		"App Key with a blank":  func() (*Client, error) { return NewHMAC("a b", testSecret) },
		"App Key with a line":   func() (*Client, error) { return NewHMAC("abc\n", testSecret) },
		"App Key too long":      func() (*Client, error) { return NewHMAC(strings.Repeat("k", 513), testSecret) },
		"empty App Secret":      func() (*Client, error) { return NewHMAC(testKey, "") },
		"secret with a line":    func() (*Client, error) { return NewHMAC(testKey, testSecret+"\n") },
		"secret with DEL":       func() (*Client, error) { return NewParameterSignature(testKey, "a\x7fb") },
		"secret with a C1":      func() (*Client, error) { return NewParameterSignature(testKey, "a\u0085b") },
		"secret, blank first":   func() (*Client, error) { return NewParameterSignature(testKey, " "+testSecret) },
		"secret, no-break last": func() (*Client, error) { return NewHMAC(testKey, testSecret+"\u00a0") },
		"secret not UTF-8":      func() (*Client, error) { return NewHMAC(testKey, "\xff\xfe") },
		"relative token URL":    func() (*Client, error) { return NewOAuth2(testKey, testSecret, "/oauth2/token") },
		"token URL, ftp":        func() (*Client, error) { return NewOAuth2(testKey, testSecret, "ftp://a/token") },
		"token URL with a user": func() (*Client, error) { return NewOAuth2(testKey, testSecret, "https://a:b@c/token") },
		"unknown algorithm":     func() (*Client, error) { return NewHMAC(testKey, testSecret, WithAlgorithm("hmac-md5")) },
		"key header, no name":   func() (*Client, error) { return NewKey(testKey, WithKeyHeader("a b")) },
		"key parameter, empty":  func() (*Client, error) { return NewKey(testKey, WithKeyParameter("")) },
		"negative retries":      func() (*Client, error) { return NewKey(testKey, WithRetries(-1)) },
		"negative correction":   func() (*Client, error) { return NewKey(testKey, WithClockCorrection(-time.Second)) },
		"part of a second":      func() (*Client, error) { return NewKey(testKey, WithClockCorrection(time.Millisecond)) },
		"option of a method":    func() (*Client, error) { return NewKey(testKey, WithNonce()) },
		"zero option":           func() (*Client, error) { return NewKey(testKey, Option{}) },
	} {
		t.Run(name, func(t *testing.T) {
			client, err := build()
			wantProblem(t, err, CodeInvalidCredential)
			if client != nil {
				t.Error("there is a client all the same")
			}
			if err != nil && strings.Contains(err.Error(), testSecret) {
				t.Error("the error holds the App Secret")
			}
		})
	}
}

func TestTheFirstProblemOfTheListCounts(t *testing.T) {
	large := strings.Repeat("x", maxBodyBytes+1)
	form := []string{"Content-Type", mediaForm}
	for _, each := range []struct {
		code, address, body string
		headers             []string
	}{
		{CodeTargetNotSignable, "https://a/?b=ü", large, nil},
		{CodeTargetNotSignable, "https://a/?b=c d", "", nil},
		{CodeBodyTooLarge, "https://a/?b=1", large, []string{"Content-Type", "text/plain"}},
		{CodeBodyTooLarge, "https://a/", strings.Repeat("\xff", maxWrapperBytes), []string{"Content-Type", mediaJSON}},
		{CodeBodyNotSignable, "https://a/?b=1", "%zz", []string{"Content-Type", "text/plain"}},
		{CodeBodyNotSignable, "https://a/?b=1", "x", []string{"Content-Type", mediaForm, "content-type", mediaForm}},
		{CodeBodyNotSignable, "https://a/", "{}", []string{"Content-Type", `application/json; charset="utf\-8"`}},
		{CodeBodyNotSignable, "https://a/", "{}", []string{"Content-Type", "application/json; charset"}},
		{CodeBodyNotSignable, "https://a/", "{}", []string{"Content-Type", "application/json, text/plain"}},
		{CodeQueryNotSignable, "https://a/?b=1", "%zz", form},
		{CodeMalformedParameters, "https://a/", "sign=1&a=%zz", form},
		{CodeReservedParameter, "https://a/", "a%26=1&sign=1", form},
		{CodeAmbiguousParameters, "https://a/", "a%26=1" + strings.Repeat("&a=1", 100), form},
		{CodeTooManyParameters, "https://a/", strings.Repeat("a=1&", 98), form},
	} {
		client, err := NewParameterSignature(testKey, testSecret)
		if err != nil {
			t.Fatal(err)
		}
		base := answers()
		_, err = (&Transport{client, base}).RoundTrip(newRequest(t, "POST", each.address, each.body, each.headers...))
		wantProblem(t, err, each.code)
		if len(base.requests) != 0 {
			t.Errorf("%s: the request was sent", each.code)
		}
	}
}

func TestFormsAreCountedAsTheyAreSent(t *testing.T) {
	for name, options := range map[string][]Option{"plain": nil, "with a nonce": {WithNonce()}} {
		client, err := NewParameterSignature(testKey, testSecret, append(options, newTestClock().option())...)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"x", "&"} {
			form := func(size int) *http.Request {
				body := "a=" + strings.Repeat("x", size-3) + end
				return newRequest(t, "POST", "https://a/", body, "Content-Type", mediaForm)
			}
			signed, err := client.Sign(form(100))
			if err != nil {
				t.Fatal(err)
			}
			largest := maxBodyBytes - int(signed.ContentLength) + 100
			if signed, err = client.Sign(form(largest)); err != nil || signed.ContentLength != maxBodyBytes {
				t.Errorf("%s: %d bytes: %v", name, largest, err)
			}
			_, err = client.Sign(form(largest + 1))
			wantProblem(t, err, CodeBodyTooLarge)
		}
	}
}

func TestWrappersAreCountedAsTheyAreSent(t *testing.T) {
	client, err := NewParameterSignature(testKey, testSecret, newTestClock().option())
	if err != nil {
		t.Fatal(err)
	}
	wrapped := func(size int) (*http.Request, error) {
		return client.Sign(newRequest(t, "POST", "https://a/", strings.Repeat("x", size), "Content-Type", mediaJSON))
	}
	signed, err := wrapped(100)
	if err != nil {
		t.Fatal(err)
	}
	largest := maxWrapperBytes - int(signed.ContentLength) + 100
	if signed, err = wrapped(largest); err != nil || signed.ContentLength != maxWrapperBytes {
		t.Errorf("%d bytes: %v", largest, err)
	}
	_, err = wrapped(largest + 1)
	wantProblem(t, err, CodeBodyTooLarge)
}

func TestTargetsThatNetHTTPWouldSendOtherwise(t *testing.T) {
	for _, address := range []*url.URL{
		{Scheme: "https", Host: "a", Opaque: "//b/c"},
		{Scheme: "https", Host: "a", Opaque: "/b?c=1"},
		{Scheme: "https", Host: "a", Opaque: "*"},
		{Scheme: "http", Host: "a", Opaque: "/b"},
	} {
		_, err := newTestHMAC(t).Sign(&http.Request{Method: "GET", URL: address, Header: http.Header{}})
		wantProblem(t, err, CodeTargetNotSignable)
	}
}

func TestSignedHeadersThatNetHTTPDoesNotSend(t *testing.T) {
	for name, headers := range map[string][]string{
		"user-agent":     {"User-Agent", ""},
		"trailer":        {"Trailer", "X"},
		"content-length": {"Content-Length", "7"},
		"digest":         nil,
	} {
		client := newTestHMAC(t, WithSignedHeaders(name))
		_, err := client.Sign(newRequest(t, "GET", "https://a/", "", headers...))
		wantProblem(t, err, CodeHeaderNotSignable)
	}
}

func TestMust(t *testing.T) {
	client, err := NewKey("the-app-key")
	if Must(client, err) != client {
		t.Error("another client")
	}
	defer func() {
		problem, ok := recover().(*Problem)
		if !ok || problem.Code != CodeInvalidCredential {
			t.Errorf("panicked with %v; want the problem of the constructor", problem)
		}
	}()
	Must(NewHMAC("the-app-key", "a secret with a line feed\n"))
	t.Error("no panic")
}
