package postern

import (
	"net/http"
	"strings"
)

// setHeader sets a header in place of all of that name, also those whose keys are not canonical.
func setHeader(header http.Header, name, value string) {
	name = http.CanonicalHeaderKey(name)
	for key := range header {
		if len(key) == len(name) && key != name && strings.EqualFold(key, name) {
			delete(header, key)
		}
	}
	header[name] = []string{value}
}

// headerValues gives all values of a header, also those whose keys are not canonical.
func headerValues(header http.Header, name string) []string {
	var values []string
	for key, each := range header {
		if strings.EqualFold(key, name) {
			values = append(values, each...)
		}
	}
	return values
}

// isToken says whether a text is a name of RFC 9110 §5.6.2.
func isToken(text string) bool {
	for i := 0; i < len(text); i++ {
		if !isTokenByte(text[i]) {
			return false
		}
	}
	return text != ""
}

func isTokenByte(b byte) bool {
	return isAlphanumeric(b) || strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

func trimBlanks(text string) string { return strings.Trim(text, " \t") }
