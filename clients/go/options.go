package postern

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

// Algorithm is an HMAC algorithm of method hmac.
type Algorithm string

// The algorithms that the gateway knows. An endpoint takes HMACSHA256 unless its operator allowed others.
const (
	HMACSHA256 Algorithm = "hmac-sha256"
	HMACSHA384 Algorithm = "hmac-sha384"
	HMACSHA512 Algorithm = "hmac-sha512"
)

// Option is a setting of a [Client]. A constructor refuses an option that its method does not have.
type Option struct {
	name    string
	methods string // separated by blanks; empty: all
	apply   func(*settings) error
}

type settings struct {
	keyHeader, keyParameter string
	algorithm               Algorithm
	signedHeaders           []string
	raw, nonce, noNonce     bool
	signatureAlgorithm      SignatureAlgorithm
	coverAlso               []string
	tag, label, audience    string
	retries                 int
	correction              int64 // seconds; 0: off
	hooks                   hook.Hooks
}

const (
	defaultRetries = 2
	maxRetries     = 10
)

// WithKeyHeader sends the App Key in this header, in place of X-App-Key.
func WithKeyHeader(name string) Option {
	return Option{"WithKeyHeader", methodKey, func(s *settings) error {
		if !isToken(name) {
			return invalid("the name of the key header is no header name")
		}
		s.keyHeader, s.keyParameter = name, ""
		return nil
	}}
}

// WithKeyParameter sends the App Key as this query parameter. A header is better: it stays out of logs.
func WithKeyParameter(name string) Option {
	return Option{"WithKeyParameter", methodKey, func(s *settings) error {
		if name == "" || !utf8.ValidString(name) {
			return invalid("the name of the key parameter is empty or not UTF-8")
		}
		s.keyHeader, s.keyParameter = "", name
		return nil
	}}
}

// WithAlgorithm signs with another algorithm than HMACSHA256.
func WithAlgorithm(algorithm Algorithm) Option {
	return Option{"WithAlgorithm", methodHMAC, func(s *settings) error {
		if _, known := algorithms[algorithm]; !known {
			return invalid("the algorithm is not hmac-sha256, hmac-sha384 or hmac-sha512")
		}
		s.algorithm = algorithm
		return nil
	}}
}

// WithSignedHeaders signs these headers too, in this order. host is a good one: it ties a signature to one API.
func WithSignedHeaders(names ...string) Option {
	names = append([]string(nil), names...)
	return Option{"WithSignedHeaders", methodHMAC, func(s *settings) error {
		s.signedHeaders = names
		return nil
	}}
}

// WithRawEncoding signs names and values as they are on the wire, for endpoints with parameterEncoding raw.
func WithRawEncoding() Option {
	return Option{"WithRawEncoding", methodParameterSignature, func(s *settings) error {
		s.raw = true
		return nil
	}}
}

// WithNonce adds a random value to every request, for endpoints with replay protection: two equal requests of one
// second then have different signatures.
func WithNonce() Option {
	return Option{"WithNonce", methodHMAC + " " + methodParameterSignature, func(s *settings) error {
		s.nonce = true
		return nil
	}}
}

// WithRetries sets how often a request is tried again, besides the first time: 0 to 10, 2 by default.
func WithRetries(retries int) Option {
	return Option{"WithRetries", "", func(s *settings) error {
		if retries < 0 || retries > maxRetries {
			return invalid("the number of retries is not between 0 and 10")
		}
		s.retries = retries
		return nil
	}}
}

// WithClockCorrection makes the client follow the gateway's clock when its own is wrong by at most this much, in
// whole seconds: after a refusal REQUEST_EXPIRED, the client takes over the Date of that answer and tries once more.
// 0, the default, switches it off.
func WithClockCorrection(most time.Duration) Option {
	return Option{"WithClockCorrection", "", func(s *settings) error {
		if most < 0 || most%time.Second != 0 {
			return invalid("the clock correction is negative or not in whole seconds")
		}
		s.correction = int64(most / time.Second)
		return nil
	}}
}

// withHooks replaces the clock, the nonces and the waiting, for tests.
func withHooks(hooks hook.Hooks) Option {
	return Option{"withHooks", "", func(s *settings) error {
		s.hooks = hooks
		return nil
	}}
}

func init() { hook.Option = func(hooks hook.Hooks) any { return withHooks(hooks) } }

func newSettings(method string, options []Option) (settings, error) {
	s := settings{algorithm: HMACSHA256, keyHeader: "X-App-Key", label: "sig1", retries: defaultRetries}
	for _, option := range options {
		if option.apply == nil {
			return s, invalid("an option is empty")
		}
		if option.methods != "" && !containsField(option.methods, method) {
			return s, invalid(option.name + " is no option of method " + method)
		}
		if err := option.apply(&s); err != nil {
			return s, err
		}
	}
	s.hooks = s.hooks.WithDefaults()
	return s, nil
}

// nonceSource is nil when no nonce is wanted.
func (s *settings) nonceSource() func() (string, error) {
	if !s.nonce {
		return nil
	}
	return s.hooks.Nonce
}

func (s *settings) text(method string) string {
	text := ""
	switch method {
	case methodKey:
		if s.keyHeader != "" {
			text = ", header: " + s.keyHeader
		} else {
			text = ", parameter: " + s.keyParameter
		}
	case methodHMAC:
		text = fmt.Sprintf(", algorithm: %s, signedHeaders: %q, nonce: %t", s.algorithm, s.signedHeaders, s.nonce)
	case methodParameterSignature:
		text = fmt.Sprintf(", raw: %t, nonce: %t", s.raw, s.nonce)
	case methodMessageSignature:
		text = fmt.Sprintf(", coverAlso: %q, tag: %q, label: %s, nonce: %t", s.coverAlso, s.tag, s.label, !s.noNonce)
	}
	return text + fmt.Sprintf(", retries: %d, clockCorrection: %ds", s.retries, s.correction)
}

func invalid(message string) error { return problem(CodeInvalidCredential, message) }

var appKeyPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,512}$`)

func checkAppKey(appKey string) error {
	if !appKeyPattern.MatchString(appKey) {
		return invalid("the App Key is not 1 to 512 of the characters A-Z, a-z, 0-9, '.', '_' and '-'")
	}
	return nil
}

func checkAppSecret(appSecret string) error {
	switch {
	case appSecret == "":
		return invalid("the App Secret is empty")
	case !utf8.ValidString(appSecret):
		return invalid("the App Secret is not UTF-8")
	case strings.IndexFunc(appSecret, unicode.IsControl) >= 0:
		return invalid("the App Secret has a control character, such as a line feed")
	case strings.TrimFunc(appSecret, unicode.IsSpace) != appSecret:
		return invalid("the App Secret has white space at an end")
	}
	return nil
}

func checkTokenURL(text string) error {
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") || parsed.Host == "" {
		return invalid("the token URL is not an absolute http or https address")
	}
	if parsed.User != nil || parsed.Fragment != "" {
		return invalid("the token URL has a user name or a fragment")
	}
	if _, err := http.NewRequest(http.MethodPost, text, nil); err != nil {
		return invalid("the token URL cannot be used")
	}
	return nil
}

func containsField(list, wanted string) bool {
	for _, each := range strings.Fields(list) {
		if each == wanted {
			return true
		}
	}
	return false
}
