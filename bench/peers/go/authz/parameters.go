package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

const (
	maxParameters = 100
	formMediaType = "application/x-www-form-urlencoded"
)

var (
	signForm      = regexp.MustCompile(`^[0-9a-f]{128}$`)
	timestampForm = regexp.MustCompile(`^[0-9]{1,15}$`)

	errMalformed = errors.New("MALFORMED_REQUEST")
	errTooMany   = errors.New("TOO_MANY_PARAMETERS")
	errAmbiguous = errors.New("AMBIGUOUS_PARAMETERS")
)

// parametersService checks a signature over the parameters of the URL or a form as Postern does with the default
// options. It does not know JSON wrappers.
type parametersService struct {
	authv3.UnimplementedAuthorizationServer
	directory
}

// parameter is one decoded parameter.
type parameter struct{ name, value string }

func (s *parametersService) Check(_ context.Context, check *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	httpRequest := check.GetAttributes().GetRequest().GetHttp()
	request := readRequest(check)
	path, query, _ := strings.Cut(request.target, "?")
	endpoint, found := findEndpoint(path)
	if !found {
		return deny(refusal{404, "ENDPOINT_NOT_FOUND", request.id, "parameter-signature", nil}), nil
	}
	refuse := func(status int, code string) (*authv3.CheckResponse, error) {
		return deny(refusal{status, code, request.id, "parameter-signature", &endpoint}), nil
	}
	body := httpRequest.GetRawBody()
	if !bodyIsWhole(httpRequest) {
		return refuse(413, "BODY_TOO_LARGE")
	}
	text := query
	if len(body) > 0 {
		if !isForm(httpRequest) {
			return refuse(415, "BODY_NOT_VERIFIABLE")
		}
		text = string(body)
	}
	parameters, err := parseParameters(text)
	if err == nil && len(body) > 0 && query != "" {
		err = errMalformed // this peer takes no query beside a form
	}
	if err == nil && isAmbiguous(parameters) {
		err = errAmbiguous
	}
	if err != nil {
		return refuse(400, err.Error())
	}
	appKeys := valuesOf(parameters, "appKey")
	signs := valuesOf(parameters, "sign")
	timestamps := valuesOf(parameters, "apiTimestamp")
	if len(appKeys) == 0 || len(signs) == 0 {
		return refuse(401, "CREDENTIALS_MISSING")
	}
	if len(appKeys) > 1 || appKeys[0] == "" || len(signs) > 1 || !signForm.MatchString(signs[0]) ||
		len(timestamps) > 1 || len(timestamps) == 1 && !timestampForm.MatchString(timestamps[0]) {
		return refuse(401, "CREDENTIALS_MALFORMED")
	}
	caller := s.credentials[sha256.Sum256([]byte(appKeys[0]))]
	if caller == nil {
		return refuse(401, "AUTHENTICATION_FAILED")
	}
	mac := sha512.Sum512(parametersToSign(parameters, caller.AppSecret))
	given, _ := hex.DecodeString(signs[0]) // signForm matched
	if subtle.ConstantTimeCompare(mac[:], given) != 1 {
		return refuse(401, "AUTHENTICATION_FAILED")
	}
	if len(timestamps) == 1 {
		seconds, _ := strconv.ParseInt(timestamps[0], 10, 64) // timestampForm matched
		if time.Since(time.Unix(seconds, 0)).Abs() > clockSkew {
			return refuse(401, "REQUEST_EXPIRED")
		}
	}
	return allow(allowance{caller, "parameter-signature", endpoint, "", request.forged}), nil
}

// isForm says whether the body is a form in UTF-8 without a content encoding.
func isForm(request *authv3.AttributeContext_HttpRequest) bool {
	types := headerValues(request, "content-type")
	if len(types) != 1 || len(headerValues(request, "content-encoding")) > 0 {
		return false
	}
	mediaType, options, err := mime.ParseMediaType(types[0])
	charset, hasCharset := options["charset"]
	return err == nil && mediaType == formMediaType && (!hasCharset || strings.EqualFold(charset, "utf-8"))
}

// parseParameters splits a query or a form and decodes it.
func parseParameters(text string) ([]parameter, error) {
	var parameters []parameter
	for segment := range strings.SplitSeq(text, "&") {
		if segment == "" {
			continue
		}
		if len(parameters) == maxParameters {
			return nil, errTooMany
		}
		rawName, rawValue, _ := strings.Cut(segment, "=")
		name, badName := url.QueryUnescape(rawName)
		value, badValue := url.QueryUnescape(rawValue)
		if badName != nil || badValue != nil || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, errMalformed
		}
		parameters = append(parameters, parameter{name, value})
	}
	return parameters, nil
}

// isAmbiguous says whether the text to sign could be read as that of other parameters.
func isAmbiguous(parameters []parameter) bool {
	return slices.ContainsFunc(parameters, func(each parameter) bool {
		_, after, hasAmpersand := strings.Cut(each.value, "&")
		return strings.ContainsAny(each.name, "&=") || hasAmpersand && strings.Contains(after, "=")
	})
}

func valuesOf(parameters []parameter, name string) []string {
	var values []string
	for _, each := range parameters {
		if each.name == name {
			values = append(values, each.value)
		}
	}
	return values
}

// parametersToSign joins all parameters but sign, sorted by name, and appends the secret.
func parametersToSign(parameters []parameter, secret string) []byte {
	signed := slices.DeleteFunc(slices.Clone(parameters), func(each parameter) bool { return each.name == "sign" })
	slices.SortStableFunc(signed, func(a, b parameter) int { return strings.Compare(a.name, b.name) })
	var text bytes.Buffer
	for at, each := range signed {
		if at > 0 {
			text.WriteByte('&')
		}
		text.WriteString(each.name)
		text.WriteByte('=')
		text.WriteString(each.value)
	}
	text.WriteString(secret)
	return text.Bytes()
}
