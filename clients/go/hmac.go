package postern

import (
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// maxBodyBytes is the largest body that the gateway takes for method hmac and for forms.
const maxBodyBytes = 10_485_760

var algorithms = map[Algorithm]func() hash.Hash{
	HMACSHA256: sha256.New,
	HMACSHA384: sha512.New384,
	HMACSHA512: sha512.New,
}

// hmacSigner signs as CONTRACT.md says under "hmac".
type hmacSigner struct {
	appKey        string
	secret        secret
	algorithm     Algorithm
	signedHeaders []string
	nonce         func() (string, error) // nil: none

	withBody, withoutBody signedList
	pads                  sync.Pool // of *notepad
	dates                 lastDate
}

// signedList is what is signed, in its order and each once, and the Authorization up to the signature.
type signedList struct {
	names         []string
	authorization string
}

// prepare makes what is the same for all requests.
func (s *hmacSigner) prepare() *hmacSigner {
	list := func(hasBody bool) signedList {
		names := s.names(hasBody)
		return signedList{names, `hmac appkey="` + s.appKey + `", algorithm="` + string(s.algorithm) + `", headers="` +
			strings.Join(names, " ") + `", signature="`}
	}
	s.withBody, s.withoutBody = list(true), list(false)
	return s
}

func (s *hmacSigner) bodyLimit(http.Header) int64 { return maxBodyBytes }

func (s *hmacSigner) sign(out *http.Request, body []byte, now int64) ([]byte, error) {
	target, err := signableTarget(out.URL)
	if err != nil {
		return nil, err
	}
	if err := s.setSignedValues(out, body, now); err != nil {
		return nil, err
	}
	list := s.withBody
	if len(body) == 0 {
		list = s.withoutBody
	}
	pad := s.pad()
	defer s.pads.Put(pad)
	text := pad.text[:0]
	for i, name := range list.names {
		if i > 0 {
			text = append(text, '\n')
		}
		if name == "request-line" {
			text = append(append(append(append(text, out.Method...), ' '), target...), " HTTP/1.1"...)
			continue
		}
		value := ""
		if own := s.ownHeader(name, len(body) > 0); own != "" {
			value = out.Header[own][0]
		} else if value, err = signedValue(out, name, len(body)); err != nil {
			return nil, err
		}
		text = append(append(append(text, name...), ": "...), value...)
	}
	pad.text = text
	pad.mac.Reset()
	pad.mac.Write(text)
	setHeader(out.Header, "Authorization", enclosed(list.authorization, pad.mac.Sum(pad.sum[:0]), `"`))
	return body, nil
}

// setSignedValues sets the headers that are signed and that this client makes.
func (s *hmacSigner) setSignedValues(out *http.Request, body []byte, now int64) error {
	setHeader(out.Header, "Date", s.dates.text(now))
	if len(body) > 0 {
		digest := sha256.Sum256(body)
		setHeader(out.Header, "Digest", enclosed("SHA-256=", digest[:], ""))
	}
	if s.nonce != nil {
		nonce, err := s.nonce()
		if err != nil {
			return err
		}
		setHeader(out.Header, "X-Nonce", nonce)
	}
	return nil
}

// ownHeader gives the canonical name of a header that setSignedValues has set, and "" for all others.
func (s *hmacSigner) ownHeader(name string, hasBody bool) string {
	switch {
	case name == "date":
		return "Date"
	case name == "digest" && hasBody:
		return "Digest"
	case name == "x-nonce" && s.nonce != nil:
		return "X-Nonce"
	}
	return ""
}

// names is the list of what is signed, in its order and each once.
func (s *hmacSigner) names(hasBody bool) []string {
	names := []string{"date", "request-line"}
	if hasBody {
		names = append(names, "digest")
	}
	for _, each := range s.signedHeaders {
		name := strings.ToLower(each)
		if !contains(names, name) {
			names = append(names, name)
		}
	}
	if s.nonce != nil && !contains(names, "x-nonce") {
		names = append(names, "x-nonce")
	}
	return names
}

// signedValue is the value of a header as net/http sends it. It fixes the host of the request, so that what is signed
// is what is sent.
func signedValue(out *http.Request, name string, bodyLength int) (string, error) {
	if !isToken(name) || isNeverSignable(name) {
		return "", problem(CodeHeaderNotSignable, "the gateway does not take "+strconv.Quote(name)+" as a signed header")
	}
	values := sentValues(out, name, bodyLength)
	switch {
	case len(values) == 0:
		return "", problem(CodeHeaderNotSignable, "the signed header "+name+" is not in the request")
	case len(values) > 1:
		return "", problem(CodeHeaderNotSignable, "the signed header "+name+" is in the request more than once")
	}
	value := trimBlanks(values[0])
	for i := 0; i < len(value); i++ {
		if (value[i] < 0x20 || value[i] > 0x7e) && value[i] != '\t' {
			return "", problem(CodeHeaderNotSignable, "the signed header "+name+" has bytes outside 0x20-0x7E")
		}
	}
	return value, nil
}

// sentValues knows the headers that net/http does not take from Request.Header.
func sentValues(out *http.Request, name string, bodyLength int) []string {
	switch name {
	case "host":
		out.Host = authorityOf(out)
		return []string{out.Host}
	case "content-length":
		if bodyLength == 0 {
			return nil
		}
		return []string{strconv.Itoa(bodyLength)}
	case "trailer":
		return nil
	case "user-agent":
		if out.UserAgent() == "" {
			return nil
		}
	}
	return headerValues(out.Header, name)
}

var (
	neverSignable = []string{
		"authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "x-anonymous-consumer",
	}
	neverSignablePrefixes = []string{"x-forwarded-", "x-envoy-", "x-consumer-", "x-credential-", "x-authenticated-"}
)

// isNeverSignable says whether proxies or the gateway change this header. Some programs read "_" as "-".
func isNeverSignable(name string) bool {
	name = strings.ReplaceAll(name, "_", "-")
	for _, prefix := range neverSignablePrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return contains(neverSignable, name)
}

func contains(list []string, wanted string) bool {
	for _, each := range list {
		if each == wanted {
			return true
		}
	}
	return false
}
