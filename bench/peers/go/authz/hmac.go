package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

const (
	maxBodyBytes    = 10 << 20
	clockSkew       = 300 * time.Second
	hmacAlgorithm   = "hmac-sha256"
	requestLineName = "request-line"
)

// Authorization as partners write it; Postern takes the parts in any order, which costs no less.
var authorizationForm = regexp.MustCompile(
	`^hmac appkey="([A-Za-z0-9._-]{1,128})", *algorithm="([a-z0-9-]+)", *headers="([a-z0-9 _-]+)", *signature="([A-Za-z0-9+/]+=*)"$`)

// hmacService checks an hmac signature as Postern does: headers and request line by the MAC, the time by the signed
// Date, the body by the signed Digest.
type hmacService struct {
	authv3.UnimplementedAuthorizationServer
	directory
}

func (s *hmacService) Check(_ context.Context, check *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	httpRequest := check.GetAttributes().GetRequest().GetHttp()
	request := readRequest(check)
	path, _, _ := strings.Cut(request.target, "?")
	endpoint, found := findEndpoint(path)
	if !found {
		return deny(refusal{404, "ENDPOINT_NOT_FOUND", request.id, "hmac", nil}), nil
	}
	refuse := func(status int, code string) (*authv3.CheckResponse, error) {
		return deny(refusal{status, code, request.id, "hmac", &endpoint}), nil
	}
	body := httpRequest.GetRawBody()
	if !bodyIsWhole(httpRequest) {
		return refuse(413, "BODY_TOO_LARGE")
	}
	authorizations := headerValues(httpRequest, "authorization")
	if len(authorizations) == 0 {
		return refuse(401, "CREDENTIALS_MISSING")
	}
	parts := authorizationForm.FindStringSubmatch(authorizations[0])
	dates := headerValues(httpRequest, "date")
	if len(authorizations) > 1 || parts == nil || parts[2] != hmacAlgorithm || len(dates) != 1 {
		return refuse(401, "CREDENTIALS_MALFORMED")
	}
	date, badDate := time.Parse(http.TimeFormat, dates[0])
	mac, badMAC := base64.StdEncoding.DecodeString(parts[4])
	names := strings.Fields(parts[3])
	digests := headerValues(httpRequest, "digest")
	bodyIsSigned := len(body) == 0 || len(digests) == 1 && slices.Contains(names, "digest")
	text, complete := stringToSign(httpRequest, names)
	if badDate != nil || badMAC != nil || !bodyIsSigned || !complete || len(digests) > 1 ||
		!slices.Contains(names, "date") || !slices.Contains(names, requestLineName) {
		return refuse(401, "CREDENTIALS_MALFORMED")
	}
	caller := s.credentials[sha256.Sum256([]byte(parts[1]))]
	if caller == nil {
		return refuse(401, "AUTHENTICATION_FAILED")
	}
	signer := hmac.New(sha256.New, []byte(caller.AppSecret))
	signer.Write([]byte(text))
	if !hmac.Equal(signer.Sum(nil), mac) {
		return refuse(401, "AUTHENTICATION_FAILED")
	}
	if time.Since(date).Abs() > clockSkew {
		return refuse(401, "REQUEST_EXPIRED")
	}
	if len(digests) == 1 {
		hash := sha256.Sum256(body)
		right := "SHA-256=" + base64.StdEncoding.EncodeToString(hash[:])
		if subtle.ConstantTimeCompare([]byte(right), []byte(digests[0])) != 1 {
			return refuse(401, "DIGEST_MISMATCH")
		}
	}
	removed := append([]string{"authorization"}, request.forged...)
	return allow(allowance{caller, "hmac", endpoint, "", removed}), nil
}

// bodyIsWhole says whether Envoy sent all of the body, and no more than Postern takes.
func bodyIsWhole(request *authv3.AttributeContext_HttpRequest) bool {
	body := request.GetRawBody()
	return request.GetSize() == int64(len(body)) && len(body) <= maxBodyBytes &&
		!slices.Contains(headerValues(request, "x-envoy-auth-partial-body"), "true")
}

// stringToSign gives a line for each name; false when the request lacks one of them.
func stringToSign(request *authv3.AttributeContext_HttpRequest, names []string) (string, bool) {
	lines := make([]string, 0, len(names))
	for _, name := range names {
		if name == requestLineName {
			lines = append(lines, request.GetMethod()+" "+request.GetPath()+" HTTP/1.1")
			continue
		}
		values := headerValues(request, name)
		if name == "host" {
			values = []string{request.GetHost()}
		}
		if len(values) == 0 {
			return "", false
		}
		lines = append(lines, name+": "+strings.Join(values, ", "))
	}
	return strings.Join(lines, "\n"), true
}

func headerValues(request *authv3.AttributeContext_HttpRequest, name string) []string {
	var values []string
	for _, header := range request.GetHeaderMap().GetHeaders() {
		if header.GetKey() == name {
			values = append(values, string(header.GetRawValue()))
		}
	}
	return values
}
