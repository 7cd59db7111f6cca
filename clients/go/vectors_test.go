package postern

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

// vectorsFile is in the repository beside this folder: these tests run there, not in a module cache.
const vectorsFile = "../vectors.json"

type vectorBody struct {
	Text   *string `json:"text"`
	Base64 *string `json:"base64"`
	Repeat string  `json:"repeat"`
	Times  int     `json:"times"`
	SHA256 string  `json:"sha256"`
	Length int     `json:"length"`
}

type vectorClient struct {
	Method    string `json:"method"`
	AppKey    string `json:"appKey"`
	AppSecret string `json:"appSecret"`
	Carrier   *struct {
		Header string `json:"header"`
		Query  string `json:"query"`
	} `json:"carrier"`
	Algorithm     string   `json:"algorithm"`
	SignedHeaders []string `json:"signedHeaders"`
	Encoding      string   `json:"encoding"`
	Nonce         bool     `json:"nonce"`
}

type vectorCase struct {
	Name    string       `json:"name"`
	Client  vectorClient `json:"client"`
	Now     int64        `json:"now"`
	Nonce   string       `json:"nonce"`
	Request *struct {
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers [][2]string `json:"headers"`
		Body    *vectorBody `json:"body"`
	} `json:"request"`
	Signed *struct {
		Target  string      `json:"target"`
		Headers [][2]string `json:"headers"`
		Body    *vectorBody `json:"body"`
	} `json:"signed"`
	Problem    string      `json:"problem"`
	Parameters [][2]string `json:"parameters"`
	Encoded    string      `json:"encoded"`
}

func TestVectors(t *testing.T) {
	raw, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Format int          `json:"format"`
		Cases  []vectorCase `json:"cases"`
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if vectors.Format != 1 || len(vectors.Cases) < 461 {
		t.Fatalf("format %d with %d cases; want format 1 with at least 461", vectors.Format, len(vectors.Cases))
	}
	for _, each := range vectors.Cases {
		t.Run(each.Name, each.run)
	}
	t.Logf("%d vectors", len(vectors.Cases))
}

func (v *vectorCase) run(t *testing.T) {
	if v.Request == nil {
		if got := EncodeParameters(v.Parameters); got != v.Encoded {
			t.Errorf("got %q, want %q", got, v.Encoded)
		}
		return
	}
	client := v.client(t)
	body := v.Request.Body.bytes(t)
	request, err := http.NewRequest(v.Request.Method, v.Request.URL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range v.Request.Headers {
		request.Header.Add(header[0], header[1])
	}
	before := request.Header.Clone()
	address := request.URL.String()
	signed, err := client.Sign(request)
	if v.Problem != "" {
		var problem *Problem
		if !errors.As(err, &problem) || problem.Code != v.Problem {
			t.Fatalf("got error %v, want the problem %s", err, v.Problem)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if request.URL.String() != address || !sameHeader(request.Header, before) {
		t.Error("the caller's request was changed")
	}
	if got := signed.URL.RequestURI(); got != v.Signed.Target {
		t.Errorf("target\n got %s\nwant %s", got, v.Signed.Target)
	}
	for _, header := range v.Signed.Headers {
		before.Set(header[0], header[1])
	}
	if !sameHeader(signed.Header, before) {
		t.Errorf("headers\n got %v\nwant %v", signed.Header, before)
	}
	v.checkBody(t, signed, body)
}

func (v *vectorCase) checkBody(t *testing.T, signed *http.Request, body []byte) {
	t.Helper()
	var sent []byte
	if signed.Body != nil {
		var err error
		if sent, err = io.ReadAll(signed.Body); err != nil {
			t.Fatal(err)
		}
	}
	if v.Client.Method != "key" && signed.ContentLength != int64(len(sent)) {
		t.Errorf("ContentLength is %d, the body has %d bytes", signed.ContentLength, len(sent))
	}
	if want := v.Signed.Body; want != nil && want.SHA256 != "" {
		sum := sha256.Sum256(sent)
		if hex.EncodeToString(sum[:]) != want.SHA256 || len(sent) != want.Length {
			t.Errorf("the body has %d bytes and SHA-256 %x, want %d and %s", len(sent), sum, want.Length, want.SHA256)
		}
		return
	} else if want != nil {
		body = want.bytes(t)
	}
	if !bytes.Equal(sent, body) {
		t.Errorf("body\n got %.200q\nwant %.200q", sent, body)
	}
}

func (v *vectorCase) client(t *testing.T) *Client {
	t.Helper()
	options := []Option{withHooks(hook.Hooks{
		Now:   func() time.Time { return time.Unix(v.Now, 0) },
		Nonce: func() (string, error) { return v.Nonce, nil },
	})}
	settings := v.Client
	if settings.Algorithm != "" {
		options = append(options, WithAlgorithm(Algorithm(settings.Algorithm)))
	}
	if settings.SignedHeaders != nil {
		options = append(options, WithSignedHeaders(settings.SignedHeaders...))
	}
	if settings.Nonce {
		options = append(options, WithNonce())
	}
	if settings.Encoding == "raw" {
		options = append(options, WithRawEncoding())
	}
	if settings.Carrier != nil && settings.Carrier.Header != "" {
		options = append(options, WithKeyHeader(settings.Carrier.Header))
	} else if settings.Carrier != nil {
		options = append(options, WithKeyParameter(settings.Carrier.Query))
	}
	var client *Client
	var err error
	switch settings.Method {
	case "key":
		client, err = NewKey(settings.AppKey, options...)
	case "hmac":
		client, err = NewHMAC(settings.AppKey, settings.AppSecret, options...)
	case "parameter-signature":
		client, err = NewParameterSignature(settings.AppKey, settings.AppSecret, options...)
	default:
		t.Fatalf("unknown method %q", settings.Method)
	}
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (b *vectorBody) bytes(t *testing.T) []byte {
	t.Helper()
	switch {
	case b == nil:
		return nil
	case b.Text != nil:
		return []byte(*b.Text)
	case b.Base64 != nil:
		raw, err := base64.StdEncoding.DecodeString(*b.Base64)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	return []byte(strings.Repeat(b.Repeat, b.Times))
}

func sameHeader(left, right http.Header) bool {
	if len(left) != len(right) {
		return false
	}
	for name, values := range left {
		if strings.Join(values, "\n") != strings.Join(right[name], "\n") {
			return false
		}
	}
	return true
}
