package main

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"strings"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

const (
	messageSignature = "http-message-signature"
	scheme           = "https"
	defaultPort      = ":443"
	aheadAtMost      = 60 * time.Second
)

// messageSignatureService checks a signature by RFC 9421 as Postern does with the default options, and no less
// strictly. It knows fewer components: no @query-param, and no field with a parameter. A request has one signature.
type messageSignatureService struct {
	authv3.UnimplementedAuthorizationServer
	directory
}

// signedMessage is the signature of a request, read.
type signedMessage struct {
	base    string
	bytes   []byte
	keyID   string
	alg     string
	created time.Time
	// Zero for never.
	expires time.Time
	// Nil when the body is not signed.
	digests map[string][]byte
}

func (s *messageSignatureService) Check(_ context.Context, check *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	httpRequest := check.GetAttributes().GetRequest().GetHttp()
	request := readRequest(check)
	path, _, _ := strings.Cut(request.target, "?")
	endpoint, found := findEndpoint(path)
	if !found {
		return deny(refusal{404, "ENDPOINT_NOT_FOUND", request.id, messageSignature, nil}), nil
	}
	refuse := func(status int, code string) (*authv3.CheckResponse, error) {
		return deny(refusal{status, code, request.id, messageSignature, &endpoint}), nil
	}
	if !bodyIsWhole(httpRequest) {
		return refuse(413, "BODY_TOO_LARGE")
	}
	inputs, signatures := headerValues(httpRequest, "signature-input"), headerValues(httpRequest, "signature")
	if len(inputs) == 0 || len(signatures) == 0 {
		return refuse(401, "CREDENTIALS_MISSING")
	}
	signed, ok := readSignedMessage(httpRequest, strings.Join(inputs, ", "), strings.Join(signatures, ", "))
	if !ok {
		return refuse(401, "CREDENTIALS_MALFORMED")
	}
	caller := s.credentials[sha256.Sum256([]byte(signed.keyID))]
	if caller == nil || signed.alg != "" && signed.alg != caller.key.Algorithm ||
		!caller.key.Verify([]byte(signed.base), signed.bytes) {
		return refuse(401, "AUTHENTICATION_FAILED")
	}
	now := time.Now()
	age := now.Sub(signed.created)
	if age >= clockSkew+time.Second || age < -aheadAtMost || !signed.expires.IsZero() && !signed.expires.After(now) {
		return refuse(401, "REQUEST_EXPIRED")
	}
	if !digestsAreRight(signed.digests, httpRequest.GetRawBody()) {
		return refuse(401, "DIGEST_MISMATCH")
	}
	removed := append([]string{"signature-input", "signature"}, request.forged...)
	return allow(allowance{caller, messageSignature, endpoint, "", removed}), nil
}

// readSignedMessage reads the two fields, sees that all is covered that has to be, and writes the signature base.
func readSignedMessage(request *authv3.AttributeContext_HttpRequest, inputs, signatures string) (signedMessage, bool) {
	var input innerList
	var label string
	badInput := readDictionary(inputs, func(key string, r *fieldReader) (err error) {
		if label != "" {
			return errField
		}
		label = key
		input, err = r.readInnerList()
		return err
	})
	var signed signedMessage
	badSignature := readDictionary(signatures, func(key string, r *fieldReader) error {
		value, _, err := r.readItem()
		bytes, isBytes := value.([]byte)
		if err != nil || !isBytes || key != label {
			return errField
		}
		signed.bytes = bytes
		return nil
	})
	if badInput != nil || badSignature != nil || signed.bytes == nil || !signed.readParameters(input.parameters) {
		return signed, false
	}
	covered := make(map[string]struct{}, len(input.items))
	var base strings.Builder
	for _, item := range input.items {
		name, isString := item.value.(string)
		if _, repeated := covered[name]; !isString || repeated || item.parameters != nil {
			return signed, false
		}
		covered[name] = struct{}{}
		value, present := componentValue(request, name)
		if !present {
			return signed, false
		}
		base.WriteString(`"` + name + `": ` + value + "\n")
	}
	base.WriteString(`"@signature-params": ` + input.text)
	signed.base = base.String()
	return signed, coversEnough(covered, request) && signed.readDigests(covered, request)
}

// readParameters says whether each is of its type, and the needed ones are there.
func (s *signedMessage) readParameters(parameters parameterList) bool {
	for name, value := range parameters {
		text, isText := value.(string)
		number, isInteger := value.(int64)
		isRight := isText
		switch name {
		case "created":
			s.created, isRight = time.Unix(number, 0), isInteger
		case "expires":
			s.expires, isRight = time.Unix(number, 0), isInteger
		case "keyid":
			s.keyID = text
		case "alg":
			s.alg = text
		case "nonce", "tag":
		default:
			isRight = true
		}
		if !isRight {
			return false
		}
	}
	return s.keyID != "" && !s.created.IsZero()
}

func (s *signedMessage) readDigests(covered map[string]struct{}, request *authv3.AttributeContext_HttpRequest) bool {
	if _, isSigned := covered["content-digest"]; !isSigned {
		return true
	}
	s.digests = make(map[string][]byte, 1)
	text := strings.Join(headerValues(request, "content-digest"), ", ")
	err := readDictionary(text, func(key string, r *fieldReader) error {
		value, _, err := r.readItem()
		if key != "sha-256" && key != "sha-512" {
			return err
		}
		digest, isBytes := value.([]byte)
		if err != nil || !isBytes {
			return errField
		}
		s.digests[key] = digest
		return nil
	})
	return err == nil && len(s.digests) > 0
}

func componentValue(request *authv3.AttributeContext_HttpRequest, name string) (string, bool) {
	if !strings.HasPrefix(name, "@") {
		return fieldValue(request, name)
	}
	target := request.GetPath()
	path, query, _ := strings.Cut(target, "?")
	switch name {
	case "@method":
		return request.GetMethod(), true
	case "@authority":
		return strings.TrimSuffix(strings.ToLower(request.GetHost()), defaultPort), true
	case "@target-uri":
		return scheme + "://" + request.GetHost() + target, true
	case "@scheme":
		return scheme, true
	case "@request-target":
		return target, true
	case "@path":
		if path == "" {
			path = "/"
		}
		return path, true
	case "@query":
		return "?" + query, true
	}
	return "", false
}

func fieldValue(request *authv3.AttributeContext_HttpRequest, name string) (string, bool) {
	if name == "host" {
		return request.GetHost(), true
	}
	if strings.ToLower(name) != name || name == "signature" || name == "signature-input" {
		return "", false
	}
	values := headerValues(request, name)
	for at, value := range values {
		values[at] = strings.Trim(value, " \t")
	}
	return strings.Join(values, ", "), len(values) > 0
}

func coversEnough(covered map[string]struct{}, request *authv3.AttributeContext_HttpRequest) bool {
	has := func(name string) bool {
		_, found := covered[name]
		return found
	}
	if !has("@method") || len(request.GetRawBody()) > 0 && !has("content-digest") {
		return false
	}
	if has("@target-uri") {
		return true
	}
	if !has("@authority") {
		return false
	}
	return has("@request-target") || has("@path") && (has("@query") || !strings.Contains(request.GetPath(), "?"))
}

func digestsAreRight(digests map[string][]byte, body []byte) bool {
	for name, digest := range digests {
		var right []byte
		if name == "sha-256" {
			hash := sha256.Sum256(body)
			right = hash[:]
		} else {
			hash := sha512.Sum512(body)
			right = hash[:]
		}
		if len(digest) != len(right) || subtle.ConstantTimeCompare(digest, right) != 1 {
			return false
		}
	}
	return true
}
