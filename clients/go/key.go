package postern

import (
	"net/http"
	"strings"
)

// keySigner sends the App Key as CONTRACT.md says under "key".
type keySigner struct {
	key       secret
	header    string // empty: the parameter
	parameter string
}

func (s *keySigner) bodyLimit(http.Header) int64 { return -1 }

func (s *keySigner) sign(out *http.Request, body []byte, _ int64) ([]byte, error) {
	if s.header != "" {
		setHeader(out.Header, s.header, s.key())
		return body, nil
	}
	if _, err := signableTarget(out.URL); err != nil {
		return nil, err
	}
	for _, segment := range strings.Split(out.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(segment, "=")
		if decoded, ok := formDecode(name); ok && segment != "" && decoded == s.parameter {
			return nil, problem(CodeReservedParameter, "the query has a parameter "+s.parameter+" already")
		}
	}
	out.URL.RawQuery = extend(out.URL.RawQuery, percentEncode(s.parameter)+"="+s.key())
	return body, nil
}
