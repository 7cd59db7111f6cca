package postern

import (
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxParameters counts what the client adds too.
const maxParameters = 100

// parameterSigner signs as CONTRACT.md says under "Parameter signature".
type parameterSigner struct {
	appKey string
	secret secret
	raw    bool
	nonce  func() (string, error) // nil: none
	made   *madeSignatures
}

func (s *parameterSigner) bodyLimit(header http.Header) int64 {
	if mediaTypeOf(header).essence == mediaJSON {
		return maxWrapperBytes
	}
	return maxBodyBytes
}

func (s *parameterSigner) sign(out *http.Request, body []byte, now int64) ([]byte, error) {
	if _, err := signableTarget(out.URL); err != nil {
		return nil, err
	}
	if len(body) == 0 {
		query, err := s.signText(out.URL.RawQuery, now)
		if err != nil {
			return nil, err
		}
		out.URL.RawQuery = query
		return body, nil
	}
	media := mediaTypeOf(out.Header)
	var escaped string
	switch media.essence {
	case mediaJSON:
		escaped = escapeJSON(body)
		if len(s.wrap(escaped, noSign, now)) > maxWrapperBytes {
			return nil, problem(CodeBodyTooLarge, "the JSON body has more than 2097152 bytes when it is wrapped")
		}
	case mediaForm:
		if s.signedFormSize(body, now) > maxBodyBytes {
			return nil, problem(CodeBodyTooLarge, "the form has more than 10485760 bytes when it is signed")
		}
	}
	if err := media.check(out.Header, body); err != nil {
		return nil, err
	}
	if out.URL.RawQuery != "" {
		return nil, problem(CodeQueryNotSignable, "the URL has a query, and a parameter signature covers only the body")
	}
	if media.essence == mediaJSON {
		return s.signWrapper(body, escaped, now), nil
	}
	form, err := s.signText(string(body), now)
	return []byte(form), err
}

// noSign and noNonce are as long as what they stand for.
var (
	noSign  = strings.Repeat("0", 2*sha512.Size)
	noNonce = strings.Repeat("0", 32)
)

// signedFormSize is the size of a form with what will be added.
func (s *parameterSigner) signedFormSize(form []byte, now int64) int {
	nonce := ""
	if s.nonce != nil {
		nonce = noNonce
	}
	size := len(form) + len(join(s.added(now, nonce))) + len("&sign="+noSign)
	if form[len(form)-1] != '&' {
		size++
	}
	return size
}

// added are the parameters that the client adds, but for the signature.
func (s *parameterSigner) added(now int64, nonce string) []parameter {
	added := []parameter{{"appKey", s.appKey}, {"apiTimestamp", strconv.FormatInt(now, 10)}}
	if nonce != "" {
		added = append(added, parameter{"nonce", nonce})
	}
	return added
}

// parameter is a name with its value, as they are signed.
type parameter struct{ name, value string }

// signText signs the text of a query or form, and gives it with what is added.
func (s *parameterSigner) signText(text string, now int64) (string, error) {
	parameters, err := s.parse(text)
	if err != nil {
		return "", err
	}
	nonce := ""
	if s.nonce != nil {
		if nonce, err = s.nonce(); err != nil {
			return "", err
		}
	}
	added := s.added(now, nonce)
	if len(parameters)+len(added)+1 > maxParameters {
		return "", problem(CodeTooManyParameters, "there are more than 100 parameters, with those that are added")
	}
	parameters = append(parameters, added...)
	sort.SliceStable(parameters, func(i, j int) bool { return parameters[i].name < parameters[j].name })
	sign := s.hash(join(parameters))
	return extend(text, join(added), "sign="+sign), nil
}

// parse finds the parameters of a text, and checks them in the order of CONTRACT.md's list of problems.
func (s *parameterSigner) parse(text string) ([]parameter, error) {
	var parameters []parameter
	var reserved string
	ambiguous := false
	for _, segment := range strings.Split(text, "&") {
		if segment == "" {
			continue
		}
		name, value, _ := strings.Cut(segment, "=")
		decodedName, nameIsRight := formDecode(name)
		decodedValue, valueIsRight := formDecode(value)
		if !nameIsRight || !valueIsRight {
			return nil, problem(CodeMalformedParameters, `a "%" in the parameters is not followed by two hexadecimal digits`)
		}
		if !utf8.ValidString(decodedName) || !utf8.ValidString(decodedValue) {
			return nil, problem(CodeMalformedParameters, "the parameters are not UTF-8")
		}
		if s.isReserved(decodedName) {
			reserved = decodedName
		}
		if s.raw {
			parameters = append(parameters, parameter{name, value})
			continue
		}
		ambiguous = ambiguous || isAmbiguous(decodedName, decodedValue)
		parameters = append(parameters, parameter{decodedName, decodedValue})
	}
	if reserved != "" {
		return nil, problem(CodeReservedParameter, "a parameter is named "+reserved+", which the client sets itself")
	}
	if ambiguous {
		return nil, problem(CodeAmbiguousParameters,
			`a name holds "&" or "=", or a value holds "&" and later "="; send the parameters as JSON`)
	}
	return parameters, nil
}

func (s *parameterSigner) isReserved(name string) bool {
	return name == "appKey" || name == "sign" || name == "apiTimestamp" || name == "nonce" && s.nonce != nil
}

// isAmbiguous says whether other parameters, joined, would give the same text.
func isAmbiguous(name, value string) bool {
	if strings.ContainsAny(name, "&=") {
		return true
	}
	_, after, found := strings.Cut(value, "&")
	return found && strings.Contains(after, "=")
}

func join(parameters []parameter) string {
	parts := make([]string, len(parameters))
	for i, each := range parameters {
		parts[i] = each.name + "=" + each.value
	}
	return strings.Join(parts, "&")
}

// hash is the signature of a string to sign.
func (s *parameterSigner) hash(stringToSign string) string {
	sum := sha512.New()
	sum.Write([]byte(stringToSign))
	sum.Write([]byte(s.secret()))
	return hex.EncodeToString(sum.Sum(nil))
}
