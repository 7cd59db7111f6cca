package postern

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// sendOnce sends a request over one connection. When a kept connection breaks before the answer, net/http would send it
// again by itself, with the same signature: a GET, and anything that has an Idempotency-Key. The error is then errResent.
//
// Over HTTP/2 the library repeats only what the server says that it did not process.
func sendOnce(base http.RoundTripper, request *http.Request) (*http.Response, error) {
	var connections atomic.Int32
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		if connections.Add(1) > 1 && !isHTTP2(got.Conn) {
			_ = got.Conn.Close() // before anything is written to it
		}
	}}
	response, err := base.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil && connections.Load() > 1 && request.Context().Err() == nil && !isUntrusted(err) {
		return nil, fmt.Errorf("%w: %v", errResent, err)
	}
	return response, err
}

func isHTTP2(connection any) bool {
	secured, isTLS := connection.(interface{ ConnectionState() tls.ConnectionState })
	return isTLS && secured.ConnectionState().NegotiatedProtocol == "h2"
}

func isUntrusted(err error) bool {
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted)
}
