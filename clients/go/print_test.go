package postern

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestNothingPrintsASecret(t *testing.T) {
	const accessToken = "eyJhbGciOiJIUzI1NiJ9.access"
	key, _ := NewKey(testKey)
	parameters, _ := NewParameterSignature(testKey, testSecret)
	tokens, _ := NewOAuth2(testKey, testSecret, "https://a.example/oauth2/token")
	base := &roundTripper{answer: func(int, *http.Request) (*http.Response, error) {
		return response(200, mediaJSON, `{"access_token":"`+accessToken+`","token_type":"bearer","expires_in":3600}`), nil
	}}
	if _, err := (&Transport{tokens, base}).RoundTrip(newRequest(t, "GET", "https://a.example/", "")); err != nil {
		t.Fatal(err)
	}
	for _, each := range []struct {
		client  *Client
		secrets []string
	}{
		{key, []string{testKey}}, {newTestHMAC(t), []string{testSecret}}, {parameters, []string{testSecret}},
		{tokens, []string{testSecret, accessToken}},
	} {
		text := everyPrint(each.client)
		if !strings.Contains(text, redacted) {
			t.Errorf("%s: [secret] is nowhere", each.client.Method())
		}
		for _, secret := range each.secrets {
			for _, form := range []string{
				secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
				base64.StdEncoding.EncodeToString([]byte(secret)), strings.Trim(fmt.Sprint([]byte(secret)), "[]"),
			} {
				if strings.Contains(text, form) {
					t.Errorf("%s: a secret is printed", each.client.Method())
				}
			}
		}
	}
}

func everyPrint(client *Client) string {
	var text bytes.Buffer
	transport := &Transport{Client: client}
	values := []any{
		client, transport, *transport, client.HTTPClient(), client.signer, client.tokens, client.settings,
		struct{ hidden *Client }{client}, &struct{ Client Transport }{*transport}, []any{client.appKey}, [1]*Client{client},
	}
	for _, value := range values {
		for _, verb := range []string{"v", "+v", "#v", "s", "q", "x", "X", "d", "T", "08.3v"} {
			fmt.Fprintf(&text, "%"+verb+"\n", value)
		}
		marshalled, _ := json.Marshal(value)
		text.Write(marshalled)
		slog.New(slog.NewTextHandler(&text, nil)).Info("printed", "value", value)
		slog.New(slog.NewJSONHandler(&text, nil)).Info("printed", "value", value)
	}
	return text.String()
}

func TestEveryVerbPrintsTheSame(t *testing.T) {
	client := newTestHMAC(t, WithSignedHeaders("host"), WithNonce())
	want := "postern.Client{method: hmac, appKey: " + testKey + ", appSecret: [secret], algorithm: hmac-sha256, " +
		`signedHeaders: ["host"], nonce: true, retries: 2, clockCorrection: 0s}`
	transport := Transport{Client: client}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, client); got != want {
			t.Errorf("%s\n got %s\nwant %s", verb, got, want)
		}
		for _, value := range []any{transport, &transport} {
			if got := fmt.Sprintf(verb, value); got != "postern.Transport{client: "+want+"}" {
				t.Errorf("%s: got %s", verb, got)
			}
		}
	}
}

func TestEmptyValuesPrint(t *testing.T) {
	var none *Client
	for _, value := range []any{none, &Client{}, Transport{}, &Transport{}} {
		if text := fmt.Sprintf("%+v", value); !strings.HasPrefix(text, "postern.") {
			t.Errorf("got %q", text)
		}
	}
}

func TestAClientThatWasNotMadeIsRefused(t *testing.T) {
	for _, transport := range []*Transport{{}, {Client: &Client{}}} {
		body := &closeCounter{Reader: strings.NewReader("x")}
		request := newRequest(t, "POST", "https://a/", "")
		request.Body = body
		if _, err := transport.RoundTrip(request); err != errNoClient {
			t.Errorf("got %v", err)
		}
		if body.count() != 1 {
			t.Errorf("the body was closed %d times", body.count())
		}
		if _, err := transport.Sign(request); err != errNoClient {
			t.Errorf("got %v", err)
		}
	}
}
