package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	postern "github.com/postern-gateway/postern/clients/go"
	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

const adapterName = "net/http"

// clientSettings are those of the vectors, and those for tests.
type clientSettings struct {
	Method    string `json:"method"`
	AppKey    string `json:"appKey"`
	AppSecret string `json:"appSecret"`
	Carrier   *struct {
		Header *string `json:"header"`
		Query  *string `json:"query"`
	} `json:"carrier"`
	Algorithm       *string  `json:"algorithm"`
	SignedHeaders   []string `json:"signedHeaders"`
	Encoding        string   `json:"encoding"`
	Nonce           *bool    `json:"nonce"`
	Retries         *int     `json:"retries"`
	ClockCorrection *float64 `json:"clockCorrection"`
	TokenURL        string   `json:"tokenUrl"`

	PrivateKey *keySettings `json:"privateKey"`
	Tag        *string      `json:"tag"`
	CoverAlso  []string     `json:"coverAlso"`
	Label      *string      `json:"label"`
	Audience   *string      `json:"audience"`

	Now         *int64   `json:"now"`
	ClockOffset float64  `json:"clockOffset"`
	Nonces      []string `json:"nonces"`
	CA          string   `json:"ca"`
	Proxy       string   `json:"proxy"`
}

// credential is a client with a connection pool for each version of HTTP.
type credential struct {
	client *postern.Client
	key    *postern.PrivateKey // nil for methods without one
	bases  map[string]http.RoundTripper
}

func newCredential(s *clientSettings) (*credential, error) {
	key, err := s.privateKey()
	if err != nil {
		return nil, err
	}
	client, err := s.client(key)
	if err != nil {
		return nil, err
	}
	roots, err := rootsOf(s.CA)
	if err != nil {
		return nil, err
	}
	first := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{}, // no HTTP/2
	}
	second := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}
	if s.Proxy != "" {
		proxy, err := url.Parse(s.Proxy)
		if err != nil {
			return nil, err
		}
		first.Proxy, second.Proxy = http.ProxyURL(proxy), http.ProxyURL(proxy)
	}
	return &credential{client, key, map[string]http.RoundTripper{"": first, "1.1": first, "2": second}}, nil
}

func rootsOf(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file of the authority holds no certificate")
	}
	return roots, nil
}

func (s *clientSettings) client(key *postern.PrivateKey) (*postern.Client, error) {
	options := []postern.Option{hook.Option(s.hooks()).(postern.Option)}
	if s.Carrier != nil && s.Carrier.Header != nil {
		options = append(options, postern.WithKeyHeader(*s.Carrier.Header))
	}
	if s.Carrier != nil && s.Carrier.Query != nil {
		options = append(options, postern.WithKeyParameter(*s.Carrier.Query))
	}
	if s.PrivateKey == nil && s.Algorithm != nil {
		options = append(options, postern.WithAlgorithm(postern.Algorithm(*s.Algorithm)))
	}
	if s.SignedHeaders != nil {
		options = append(options, postern.WithSignedHeaders(s.SignedHeaders...))
	}
	if s.Encoding == "raw" {
		options = append(options, postern.WithRawEncoding())
	} else if s.Encoding != "" && s.Encoding != "decoded" {
		return nil, &postern.Problem{Code: postern.CodeInvalidCredential, Message: "the encoding is neither decoded nor raw"}
	}
	if s.PrivateKey == nil && s.Nonce != nil && *s.Nonce {
		options = append(options, postern.WithNonce())
	}
	if s.Retries != nil {
		options = append(options, postern.WithRetries(*s.Retries))
	}
	if s.ClockCorrection != nil {
		options = append(options, postern.WithClockCorrection(time.Duration(*s.ClockCorrection*float64(time.Second))))
	}
	if key != nil {
		options = append(options, s.keyOptions()...)
	}
	switch s.Method {
	case "http-message-signature":
		return postern.NewMessageSignature(s.AppKey, key, options...)
	case "private-key-jwt":
		return postern.NewPrivateKeyJWT(s.AppKey, key, s.TokenURL, options...)
	case "key":
		return postern.NewKey(s.AppKey, options...)
	case "hmac":
		return postern.NewHMAC(s.AppKey, s.AppSecret, options...)
	case "parameter-signature":
		return postern.NewParameterSignature(s.AppKey, s.AppSecret, options...)
	case "oauth2":
		return postern.NewOAuth2(s.AppKey, s.AppSecret, s.TokenURL, options...)
	}
	return nil, &postern.Problem{Code: postern.CodeInvalidCredential, Message: "the method is not known"}
}

func (s *clientSettings) hooks() hook.Hooks {
	hooks := hook.Hooks{Now: func() time.Time {
		return time.Now().Add(time.Duration(s.ClockOffset * float64(time.Second)))
	}}
	if s.Now != nil {
		hooks.Now = func() time.Time { return time.Unix(*s.Now, 0) }
	}
	if s.Nonces != nil {
		var mutex sync.Mutex
		left := s.Nonces
		hooks.Nonce = func() (string, error) {
			mutex.Lock()
			defer mutex.Unlock()
			if len(left) == 0 {
				return "", errors.New("the list of nonces is used up")
			}
			nonce := left[0]
			left = left[1:]
			return nonce, nil
		}
	}
	return hooks
}

// printed is every way to print the client and what it is made of.
func (c *credential) printed() string {
	var text bytes.Buffer
	transport := &postern.Transport{Client: c.client}
	values := []any{
		c.client, c.key, transport, *transport, c.client.HTTPClient(), map[string]any{"client": c.client}, struct{ C any }{c.client},
	}
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
			fmt.Fprintf(&text, verb+"\n", value)
		}
		fmt.Fprintln(&text, value)
		if marshalled, err := json.Marshal(value); err == nil {
			text.Write(append(marshalled, '\n'))
		}
		slog.New(slog.NewTextHandler(&text, nil)).Info("printed", "value", value)
		slog.New(slog.NewJSONHandler(&text, nil)).Info("printed", "value", value)
	}
	return strings.ToValidUTF8(text.String(), "?")
}
