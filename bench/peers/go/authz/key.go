package main

import (
	"context"
	"crypto/sha256"
	"net/url"
	"strings"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

const (
	keyParameter = "appKey"
	keyHeader    = "x-app-key"
)

// keyService checks an App Key as Postern does on an endpoint of the method key: it finds the endpoint by the path,
// the credential by the hash of the key, takes the key out of the request and sets the identity headers.
type keyService struct {
	authv3.UnimplementedAuthorizationServer
	directory
}

func (s *keyService) Check(_ context.Context, check *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	request := readRequest(check)
	path, query, hasQuery := strings.Cut(request.target, "?")
	endpoint, found := findEndpoint(path)
	if !found {
		return deny(refusal{404, "ENDPOINT_NOT_FOUND", request.id, "key", nil}), nil
	}
	appKey, present := findParameter(query, keyParameter)
	if !present {
		appKey, present = request.appKey, request.hasAppKey
	}
	if !present {
		return deny(refusal{401, "CREDENTIALS_MISSING", request.id, "key", &endpoint}), nil
	}
	caller := s.credentials[sha256.Sum256([]byte(appKey))]
	if caller == nil {
		return deny(refusal{401, "AUTHENTICATION_FAILED", request.id, "key", &endpoint}), nil
	}
	target := path
	if hasQuery {
		if kept := removeParameter(query, keyParameter); kept != "" {
			target = path + "?" + kept
		}
	}
	return allow(allowance{caller, "key", endpoint, target, request.forged}), nil
}

// request is what the check needs of a CheckRequest.
type request struct {
	target    string
	id        string
	appKey    string
	hasAppKey bool
	forged    []string
}

func readRequest(check *authv3.CheckRequest) request {
	var read request
	for _, header := range check.GetAttributes().GetRequest().GetHttp().GetHeaderMap().GetHeaders() {
		switch name := header.GetKey(); name {
		case ":path":
			read.target = string(header.GetRawValue())
		case "x-request-id":
			read.id = string(header.GetRawValue())
		case keyHeader:
			read.appKey, read.hasAppKey = string(header.GetRawValue()), true
		default:
			if looksLikeIdentity(name) {
				read.forged = append(read.forged, name)
			}
		}
	}
	return read
}

func looksLikeIdentity(name string) bool {
	if len(name) < len("x-consumer-") || name[0] != 'x' {
		return false
	}
	comparable := strings.ReplaceAll(name, "_", "-")
	return strings.HasPrefix(comparable, "x-consumer-") || strings.HasPrefix(comparable, "x-credential-") ||
		strings.HasPrefix(comparable, "x-authenticated-") || comparable == "x-anonymous-consumer"
}

// findParameter gives the value of the parameter; a second one makes it an empty value, which is the key of no credential.
func findParameter(query, name string) (value string, present bool) {
	for query != "" {
		var segment string
		segment, query, _ = strings.Cut(query, "&")
		key, raw, hasValue := strings.Cut(segment, "=")
		if decoded, err := url.QueryUnescape(key); !hasValue || err != nil || decoded != name {
			continue
		}
		decoded, err := url.QueryUnescape(raw)
		if present || err != nil {
			return "", true
		}
		value, present = decoded, true
	}
	return value, present
}

func removeParameter(query, name string) string {
	kept := make([]string, 0, strings.Count(query, "&")+1)
	for _, segment := range strings.Split(query, "&") {
		key, _, _ := strings.Cut(segment, "=")
		if decoded, err := url.QueryUnescape(key); err != nil || decoded != name {
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, "&")
}
