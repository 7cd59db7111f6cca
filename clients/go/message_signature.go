package postern

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

const contentDigest = "content-digest"

// messageSigner signs as CONTRACT.md says under "http-message-signature" (RFC 9421).
type messageSigner struct {
	appKey     string
	key        *PrivateKey
	algorithm  SignatureAlgorithm
	coverAlso  []string // in lower case
	tag        string   // empty: none
	label      string
	sendsNonce bool
	nonce      func() (string, error)
}

func (s *messageSigner) bodyLimit(http.Header) int64 { return maxBodyBytes }

func (s *messageSigner) sign(out *http.Request, body []byte, now int64) ([]byte, error) {
	target, err := signableTarget(out.URL)
	if err != nil {
		return nil, err
	}
	if out.Host, err = signableAuthority(out); err != nil {
		return nil, err
	}
	if len(body) > 0 {
		setHeader(out.Header, contentDigest, digestOf(body))
	}
	covered := s.covered(out.Header, len(body) > 0)
	base := make([]byte, 0, 512)
	for _, name := range covered {
		value, err := componentValue(out, name, target, len(body))
		if err != nil {
			return nil, err
		}
		base = append(append(append(append(append(base, '"'), name...), `": `...), value...), '\n')
	}
	base = append(base, `"@signature-params": `...)
	start := len(base)
	if base, err = s.appendParameters(base, covered, now); err != nil {
		return nil, err
	}
	signature, err := s.key.signature(out.Context(), s.algorithm, base)
	if err != nil {
		return nil, err
	}
	setHeader(out.Header, "Signature-Input", s.label+"="+string(base[start:]))
	setHeader(out.Header, "Signature", s.label+"=:"+base64.StdEncoding.EncodeToString(signature)+":")
	return body, nil
}

// covered are the components of a signature in their order, each once.
func (s *messageSigner) covered(header http.Header, hasBody bool) []string {
	names := append(make([]string, 0, 5+len(s.coverAlso)), "@method", "@authority", "@path", "@query")
	if hasBody {
		names = append(names, contentDigest)
	}
	for _, name := range s.coverAlso {
		if !contains(names, name) && (hasBody || !isLeftOut(header, name)) {
			names = append(names, name)
		}
	}
	return names
}

// isLeftOut says whether a request without a body does not have a field that it would have with one.
func isLeftOut(header http.Header, name string) bool {
	switch name {
	case contentDigest, "content-length":
		return true
	case "content-type":
		return len(headerValues(header, name)) == 0
	}
	return false
}

// appendParameters adds the list of what is covered, with the parameters of the signature.
func (s *messageSigner) appendParameters(base []byte, covered []string, now int64) ([]byte, error) {
	for i, name := range covered {
		mark := ` "`
		if i == 0 {
			mark = `("`
		}
		base = append(append(append(base, mark...), name...), '"')
	}
	base = strconv.AppendInt(append(base, ");created="...), now, 10)
	base = append(append(append(base, `;keyid="`...), s.appKey...), '"')
	if s.sendsNonce {
		nonce, err := s.nonce()
		if err != nil {
			return nil, err
		}
		base = append(append(append(base, `;nonce="`...), nonce...), '"')
	}
	if s.tag != "" {
		base = append(append(append(base, `;tag="`...), s.tag...), '"')
	}
	return base, nil
}

// componentValue is the value of a component (RFC 9421 §2) as net/http sends it.
func componentValue(out *http.Request, name, target string, bodyLength int) (string, error) {
	switch name {
	case "@method":
		return out.Method, nil
	case "@authority":
		return strings.ToLower(out.Host), nil
	case "@scheme":
		return out.URL.Scheme, nil
	case "@target-uri":
		return out.URL.Scheme + "://" + strings.ToLower(out.Host) + target, nil
	case "@request-target":
		return target, nil
	case "@path":
		path, _, _ := strings.Cut(target, "?")
		return path, nil
	case "@query":
		_, query, _ := strings.Cut(target, "?")
		return "?" + query, nil
	case contentDigest:
		return out.Header["Content-Digest"][0], nil
	}
	if err := checkField(name); err != nil {
		return "", err
	}
	return signedValue(out, name, bodyLength)
}

func isDerived(name string) bool {
	switch name {
	case "@method", "@authority", "@scheme", "@target-uri", "@request-target", "@path", "@query":
		return true
	}
	return false
}

// checkField refuses what is no field that the gateway takes as covered. It returns a *Problem.
func checkField(name string) error {
	if name == "signature" || name == "signature-input" || !isToken(name) || isNeverSignable(name) {
		return problem(CodeHeaderNotSignable, "the gateway does not take "+strconv.Quote(name)+" as covered")
	}
	return nil
}

// digestOf is the Content-Digest of a body (RFC 9530).
func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return enclosed("sha-256=:", sum[:], ":")
}
