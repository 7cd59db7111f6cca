package postern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WithoutNonce leaves out the random value that method http-message-signature otherwise adds to every signature.
func WithoutNonce() Option {
	return Option{"WithoutNonce", methodMessageSignature, func(s *settings) error {
		s.noNonce = true
		return nil
	}}
}

// WithSignatureAlgorithm signs with another algorithm of an RSA key than the default of the method.
func WithSignatureAlgorithm(algorithm SignatureAlgorithm) Option {
	return Option{"WithSignatureAlgorithm", methodMessageSignature + " " + methodPrivateKeyJWT, func(s *settings) error {
		if _, known := keyAlgorithms[algorithm]; !known {
			return invalid("the signature algorithm is not one that the gateway takes")
		}
		s.signatureAlgorithm = algorithm
		return nil
	}}
}

// WithCoverAlso covers more than the method, the address and the body: names of headers, @target-uri, @scheme or
// @request-target, in this order. content-type is a good one.
func WithCoverAlso(names ...string) Option {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	return Option{"WithCoverAlso", methodMessageSignature, func(s *settings) error {
		s.coverAlso = lower
		return nil
	}}
}

// WithTag gives every signature this tag, which the operator of the API may ask for.
func WithTag(tag string) Option {
	return Option{"WithTag", methodMessageSignature, func(s *settings) error {
		if tag == "" || !isParameterText(tag) {
			return invalid(`the tag is empty, or not printable ASCII without '"' and '\'`)
		}
		s.tag = tag
		return nil
	}}
}

// WithLabel gives signatures another label than sig1. The gateway does not look at it.
func WithLabel(label string) Option {
	return Option{"WithLabel", methodMessageSignature, func(s *settings) error {
		if !isKey(label) {
			return invalid("the label is not a lower-case letter or '*', then lower-case letters, digits, '_', '.', '*' or '-'")
		}
		s.label = label
		return nil
	}}
}

// WithAudience puts another aud into assertions than the token URL, such as the issuer of the gateway.
func WithAudience(audience string) Option {
	return Option{"WithAudience", methodPrivateKeyJWT, func(s *settings) error {
		if audience == "" || !utf8.ValidString(audience) || strings.IndexFunc(audience, unicode.IsControl) >= 0 {
			return invalid("the audience is empty, not UTF-8, or has a control character")
		}
		s.audience = audience
		return nil
	}}
}

// checkKeyID checks the App Key of the methods of private keys.
func checkKeyID(appKey string) error {
	if appKey == "" || len(appKey) > 512 || !isParameterText(appKey) {
		return invalid(`the App Key is not 1 to 512 characters of printable ASCII without '"' and '\'`)
	}
	return nil
}

// isParameterText says whether a text can be a parameter of a signature as it stands: printable ASCII without quotes.
func isParameterText(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x20 || text[i] > 0x7e || text[i] == '"' || text[i] == '\\' {
			return false
		}
	}
	return true
}
