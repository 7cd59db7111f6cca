package postern

import (
	"net/http"
	"net/url"
	"strings"
)

// signableTarget gives the path and query as net/http sends them.
func signableTarget(address *url.URL) (string, error) {
	target := address.RequestURI()
	if !strings.HasPrefix(target, "/") {
		return "", problem(CodeTargetNotSignable, "the target of the request does not begin with a slash")
	}
	if strings.Contains(address.Opaque, "?") {
		return "", problem(CodeTargetNotSignable, "the opaque part of the URL holds a query; put it into RawQuery")
	}
	if address.Opaque != "" && address.Scheme == "http" {
		// It would go to a forward proxy without the host.
		return "", problem(CodeTargetNotSignable, "the URL has an opaque part; put it into Path and RawPath")
	}
	for i := 0; i < len(target); i++ {
		if target[i] < 0x21 || target[i] > 0x7e {
			return "", problem(CodeTargetNotSignable, "the target has bytes outside 0x21-0x7E; percent-encode them")
		}
	}
	return target, nil
}

// authorityOf is the host of a request as the gateway sees it: with its port, unless that is the one of the scheme.
func authorityOf(request *http.Request) string {
	authority := request.Host
	if authority == "" {
		authority = request.URL.Host
	}
	authority = withoutZone(strings.TrimSuffix(authority, ":"))
	switch request.URL.Scheme {
	case "https":
		return strings.TrimSuffix(authority, ":443")
	case "http":
		return strings.TrimSuffix(authority, ":80")
	}
	return authority
}

// signableAuthority is authorityOf, or a *Problem where net/http would send another spelling or nothing.
func signableAuthority(request *http.Request) (string, error) {
	authority := authorityOf(request)
	for i := 0; i < len(authority); i++ {
		if !isAlphanumeric(authority[i]) && strings.IndexByte("-._~:[]", authority[i]) < 0 {
			return "", problem(CodeTargetNotSignable, "the host of the request has a byte that net/http sends otherwise")
		}
	}
	if authority == "" {
		return "", problem(CodeTargetNotSignable, "the request has no host")
	}
	return authority, nil
}

// withoutZone drops the zone of an IPv6 address, as net/http does before it sends the host.
func withoutZone(authority string) string {
	end := strings.LastIndexByte(authority, ']')
	if !strings.HasPrefix(authority, "[") || end < 0 {
		return authority
	}
	zone := strings.LastIndexByte(authority[:end], '%')
	if zone < 0 {
		return authority
	}
	return authority[:zone] + authority[end:]
}

// staysAtOrigin is false for a request that follows a redirect which led to another scheme, host or port at any time:
// what lies behind such a redirect is chosen by somebody else, and gets no credential.
func staysAtOrigin(request *http.Request) bool {
	for each := request; each.Response != nil && each.Response.Request != nil; each = each.Response.Request {
		if originOf(each.Response.Request) != originOf(request) {
			return false
		}
	}
	return true
}

func originOf(request *http.Request) string {
	if request.URL == nil {
		return ""
	}
	host, port := request.URL.Hostname(), request.URL.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[request.URL.Scheme]
	}
	return request.URL.Scheme + "://" + strings.ToLower(host) + ":" + port
}
