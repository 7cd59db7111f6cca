package postern

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
)

// The methods of authentication, as [Client.Method] gives them.
const (
	methodKey                = "key"
	methodHMAC               = "hmac"
	methodParameterSignature = "parameter-signature"
	methodOAuth2             = "oauth2"
	methodMessageSignature   = "http-message-signature"
	methodPrivateKeyJWT      = "private-key-jwt"
)

// Client holds one credential and signs requests with it. It is safe for concurrent use. Make one for each credential
// and keep it: it remembers access tokens and the correction of the clock.
type Client struct {
	method   string
	appKey   secret
	settings settings
	signer   signer
	tokens   *tokenSource // only for OAuth2
	offset   atomic.Int64 // seconds to add to the machine's clock
}

// signer adds a credential to a request that is the client's own copy, and whose body was read when the signer asks
// for it. It returns a *Problem.
type signer interface {
	// bodyLimit is the number of bytes that the signer takes, for a request with these headers. Negative: the signer
	// does not look at the body.
	bodyLimit(header http.Header) int64
	// sign changes out, and returns the body to send, which is body unless the method rewrites it.
	sign(out *http.Request, body []byte, now int64) ([]byte, error)
}

// NewKey makes a client for method key: the App Key is sent as it is, in the header X-App-Key unless
// [WithKeyHeader] or [WithKeyParameter] says otherwise. The App Key is a secret.
//
// Options: [WithKeyHeader], [WithKeyParameter], [WithRetries], [WithClockCorrection].
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewKey(appKey string, options ...Option) (*Client, error) {
	client, err := newClient(methodKey, appKey, checkAppKey, options)
	if err != nil {
		return nil, err
	}
	client.signer = &keySigner{
		key: client.appKey, header: client.settings.keyHeader, parameter: client.settings.keyParameter,
	}
	return client, nil
}

// Must gives the client that a constructor made, and panics with the error where it made none. It is for programs
// that cannot run without one: postern.Must(postern.NewHMAC(appKey, appSecret)).
func Must(client *Client, err error) *Client {
	if err != nil {
		panic(err)
	}
	return client
}

// NewHMAC makes a client for method hmac, which signs the date, the request line, the body and chosen headers.
//
// Options: [WithAlgorithm], [WithSignedHeaders], [WithNonce], [WithRetries], [WithClockCorrection].
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewHMAC(appKey, appSecret string, options ...Option) (*Client, error) {
	client, key, err := newSecretClient(methodHMAC, appKey, appSecret, options)
	if err != nil {
		return nil, err
	}
	signer := &hmacSigner{
		appKey: appKey, secret: key, algorithm: client.settings.algorithm,
		signedHeaders: client.settings.signedHeaders, nonce: client.settings.nonceSource(),
	}
	client.signer = signer.prepare()
	return client, nil
}

// NewParameterSignature makes a client for method parameter-signature, which signs the parameters of the query or of a
// form, or wraps and signs a JSON body. The method, the path and the headers are not signed.
//
// Options: [WithRawEncoding], [WithNonce], [WithRetries], [WithClockCorrection].
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewParameterSignature(appKey, appSecret string, options ...Option) (*Client, error) {
	client, key, err := newSecretClient(methodParameterSignature, appKey, appSecret, options)
	if err != nil {
		return nil, err
	}
	client.signer = &parameterSigner{
		appKey: appKey, secret: key, raw: client.settings.raw, nonce: client.settings.nonceSource(),
		made: &madeSignatures{},
	}
	return client, nil
}

// NewOAuth2 makes a client for method oauth2. It asks tokenURL, the gateway's /oauth2/token, for an access token by
// the client credentials grant, keeps it in memory and renews it before it ends.
//
// Options: [WithRetries], [WithClockCorrection].
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewOAuth2(appKey, appSecret, tokenURL string, options ...Option) (*Client, error) {
	client, key, err := newSecretClient(methodOAuth2, appKey, appSecret, options)
	if err != nil {
		return nil, err
	}
	if err := checkTokenURL(tokenURL); err != nil {
		return nil, err
	}
	client.tokens = &tokenSource{url: tokenURL, appKey: appKey, secret: key, clock: client.settings.hooks.Now}
	return client, nil
}

// NewMessageSignature makes a client for method http-message-signature (RFC 9421), which signs the method, the address
// and the body with a private key. The gateway has only the public key.
//
// Options: [WithCoverAlso], [WithTag], [WithoutNonce], [WithLabel], [WithSignatureAlgorithm], [WithRetries],
// [WithClockCorrection]. The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewMessageSignature(appKey string, key *PrivateKey, options ...Option) (*Client, error) {
	client, algorithm, err := newKeyClient(methodMessageSignature, appKey, key, options,
		Ed25519, ECDSAP256SHA256, ECDSAP384SHA384, RSAPSSSHA512, RSAv15SHA256)
	if err != nil {
		return nil, err
	}
	s := &client.settings
	client.signer = &messageSigner{
		appKey: appKey, key: key, algorithm: algorithm, coverAlso: s.coverAlso, tag: s.tag, label: s.label,
		sendsNonce: !s.noNonce, nonce: s.hooks.Nonce,
	}
	return client, nil
}

// NewPrivateKeyJWT makes a client for method oauth2 of a credential with a public key (RFC 7523). It asks tokenURL, the
// gateway's /oauth2/token, for access tokens as [NewOAuth2] does, with an assertion signed by the private key in place
// of an App Secret.
//
// Options: [WithAudience], [WithSignatureAlgorithm], [WithRetries], [WithClockCorrection].
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewPrivateKeyJWT(appKey string, key *PrivateKey, tokenURL string, options ...Option) (*Client, error) {
	client, algorithm, err := newKeyClient(methodPrivateKeyJWT, appKey, key, options,
		Ed25519, ECDSAP256SHA256, ECDSAP384SHA384, RSAPSSSHA256, RSAPSSSHA512, RSAv15SHA256)
	if err != nil {
		return nil, err
	}
	if err := checkTokenURL(tokenURL); err != nil {
		return nil, err
	}
	audience := client.settings.audience
	if audience == "" {
		audience = tokenURL
	}
	client.tokens = &tokenSource{
		url: tokenURL, appKey: appKey, clock: client.settings.hooks.Now,
		asserter: &asserter{appKey: appKey, key: key, algorithm: algorithm, audience: audience, client: client},
	}
	return client, nil
}

// newKeyClient also chooses one of the algorithms of the method, the first that the key has.
func newKeyClient(
	method, appKey string, key *PrivateKey, options []Option, algorithms ...SignatureAlgorithm,
) (*Client, SignatureAlgorithm, error) {
	client, err := newClient(method, appKey, checkKeyID, options)
	if err != nil {
		return nil, "", err
	}
	if key == nil || key.sign == nil {
		return nil, "", invalid("there is no private key")
	}
	algorithm, err := key.choose(client.settings.signatureAlgorithm, algorithms)
	return client, algorithm, err
}

func newClient(method, appKey string, check func(string) error, options []Option) (*Client, error) {
	if err := check(appKey); err != nil {
		return nil, err
	}
	settings, err := newSettings(method, options)
	if err != nil {
		return nil, err
	}
	return &Client{method: method, appKey: newSecret(appKey), settings: settings}, nil
}

func newSecretClient(method, appKey, appSecret string, options []Option) (*Client, secret, error) {
	client, err := newClient(method, appKey, checkAppKey, options)
	if err != nil {
		return nil, nil, err
	}
	if err := checkAppSecret(appSecret); err != nil {
		return nil, nil, err
	}
	return client, newSecret(appSecret), nil
}

// Method is the method of authentication: key, hmac, parameter-signature, oauth2, http-message-signature or
// private-key-jwt.
func (c *Client) Method() string { return c.method }

// HTTPClient gives a new *http.Client that sends through a [Transport] over http.DefaultTransport. Set its Timeout and
// CheckRedirect as you like.
func (c *Client) HTTPClient() *http.Client { return &http.Client{Transport: &Transport{Client: c}} }

// Sign gives a signed copy of a request, as [Transport.Sign] does over http.DefaultTransport.
func (c *Client) Sign(request *http.Request) (*http.Request, error) {
	return (&Transport{Client: c}).Sign(request)
}

// SignAgain gives a signed copy of a request that the gateway refused, as [Transport.SignAgain] does.
func (c *Client) SignAgain(request *http.Request, acceptSignature string) (*http.Request, error) {
	return (&Transport{Client: c}).SignAgain(request, acceptSignature)
}

// Assertion gives an assertion that stands for an App Secret (RFC 7523), another one each time, for a library that asks
// the token URL itself. It counts once, and for a minute. A client of another method than [NewPrivateKeyJWT] has none.
func (c *Client) Assertion(ctx context.Context) (string, error) {
	if c.tokens == nil || c.tokens.asserter == nil {
		return "", errNoAssertion
	}
	return c.tokens.asserter.assertion(ctx, c.offset.Load())
}

var errNoAssertion = errors.New("postern: only a client of NewPrivateKeyJWT makes assertions")

// String shows the method and the settings; secrets are shown as [secret].
func (c *Client) String() string {
	if c == nil || c.appKey == nil {
		return "postern.Client{}"
	}
	var text strings.Builder
	text.WriteString("postern.Client{method: " + c.method)
	switch c.method {
	case methodKey:
		text.WriteString(", appKey: " + redacted)
	case methodMessageSignature, methodPrivateKeyJWT:
		text.WriteString(", appKey: " + c.appKey() + ", privateKey: " + redacted)
	default:
		text.WriteString(", appKey: " + c.appKey() + ", appSecret: " + redacted)
	}
	text.WriteString(c.settings.text(c.method))
	if c.tokens != nil {
		text.WriteString(", tokenURL: " + c.tokens.url + ", token: " + redacted)
	}
	return text.String() + "}"
}

// Format prints [Client.String] for every verb of package fmt.
func (c *Client) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(c.String())) }

// LogValue is [Client.String], for package log/slog.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
