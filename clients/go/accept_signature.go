package postern

import (
	"net/http"
	"slices"
	"strings"
)

const (
	maxAcceptSignatureBytes = 16_384
	maxComponents           = 64
	maxNonceCharacters      = 256
)

// obey gives a signer that makes what an Accept-Signature asks for (RFC 9421 §5) of a request: it covers at least what
// this one does. Nil: nothing more is asked for, or nothing that can be done.
func (s *messageSigner) obey(accept string, request *http.Request, hasBody bool) *messageSigner {
	if len(accept) > maxAcceptSignatureBytes {
		return nil
	}
	members, ok := parseDictionary(accept)
	if !ok {
		return nil
	}
	for _, member := range members {
		if wish, ok := s.wishOf(member, request, hasBody); ok {
			return s.fulfil(member.key, wish, s.covered(request.Header, hasBody))
		}
	}
	return nil
}

// signatureWish is what a member of an Accept-Signature asks for. An empty text asks for nothing.
type signatureWish struct {
	components []string
	nonce, tag string
}

// wishOf is false for a member that asks for what this client does not do with this request.
func (s *messageSigner) wishOf(member fieldMember, request *http.Request, hasBody bool) (signatureWish, bool) {
	var wish signatureWish
	if !member.isInnerList || len(member.items) > maxComponents {
		return wish, false
	}
	for _, item := range member.items {
		name, ok := item.value.(string)
		if !ok || len(item.parameters) > 0 || slices.Contains(wish.components, name) || !canCover(request, name, hasBody) {
			return wish, false
		}
		wish.components = append(wish.components, name)
	}
	for key, value := range member.parameters {
		text, isText := value.(string)
		switch {
		case key == "created" && value == true:
		case key == "keyid" && text == s.appKey, key == "alg" && text == string(s.algorithm):
		case !isText || text == "" || !isParameterText(text):
			return wish, false
		case key == "nonce" && len(text) <= maxNonceCharacters:
			wish.nonce = text
		case key == "tag":
			wish.tag = text
		default:
			return wish, false
		}
	}
	return wish, true
}

// fulfil gives a signer of what is asked for, and nil where this one, which covers as much, does it already.
func (s *messageSigner) fulfil(label string, wish signatureWish, covered []string) *messageSigner {
	wanted := *s
	wanted.label = label
	wanted.coverAlso = slices.Clone(s.coverAlso)
	isMore := false
	for _, name := range wish.components {
		if !slices.Contains(covered, name) {
			isMore = true
			wanted.coverAlso = append(wanted.coverAlso, name)
		}
	}
	if wish.tag != "" && wish.tag != s.tag {
		isMore = true
		wanted.tag = wish.tag
	}
	if wish.nonce != "" {
		isMore = isMore || !s.sendsNonce
		wanted.sendsNonce = true
		wanted.nonce = onceThen(wish.nonce, s.nonce)
	}
	if !isMore {
		return nil
	}
	return &wanted
}

// onceThen gives this nonce for the next attempt, and nonces of its own for those after it. One call makes one attempt
// after the other.
func onceThen(nonce string, others func() (string, error)) func() (string, error) {
	isUsed := false
	return func() (string, error) {
		if isUsed {
			return others()
		}
		isUsed = true
		return nonce, nil
	}
}

// canCover says whether a signature of this request can cover a component.
func canCover(request *http.Request, name string, hasBody bool) bool {
	switch name {
	case contentDigest:
		return hasBody
	case "host":
		return true
	}
	if strings.HasPrefix(name, "@") {
		return isDerived(name)
	}
	if name != strings.ToLower(name) || checkField(name) != nil {
		return false
	}
	bodyLength := 0
	if hasBody {
		bodyLength = 1
	}
	_, err := signedValue(request, name, bodyLength)
	return err == nil
}
