package main

import (
	"context"
	"strings"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

// openService lets every request to a known endpoint through, as Postern does on an open endpoint: it only finds the
// endpoint by the path and removes forged identity headers.
type openService struct {
	authv3.UnimplementedAuthorizationServer
}

func (openService) Check(_ context.Context, check *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	request := readRequest(check)
	path, _, _ := strings.Cut(request.target, "?")
	endpoint, found := findEndpoint(path)
	if !found {
		return deny(refusal{404, "ENDPOINT_NOT_FOUND", request.id, "", nil}), nil
	}
	return allow(allowance{endpoint: endpoint, removed: request.forged}), nil
}
