package postern

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
)

// Transport is an http.RoundTripper that signs requests with a [Client] and sends them through another RoundTripper.
// It is safe for concurrent use when Base is.
//
// It never changes the request that it is given: it signs a copy for each attempt. With methods hmac,
// http-message-signature and parameter-signature it reads the whole body first, up to what the gateway takes; with the
// others bodies pass through.
// A request that follows a redirect to another scheme, host or port is sent on without a credential.
//
// Retries and waiting end with the context of the request. When the context's deadline would come first, the answer is
// given as it is. Answers carry the caller's request, so that printing one shows no credential.
type Transport struct {
	// Client signs. It must not be nil.
	Client *Client
	// Base sends, and asks for access tokens; nil is http.DefaultTransport.
	Base http.RoundTripper
}

var errNoClient = errors.New("postern: the Transport has no Client")

// RoundTrip signs and sends a request, and tries again what may be tried again. The error is a *[Problem] or a
// *[TokenError], or that of Base or of the context. A refusal is no error: see [RefusalOf].
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.Client == nil || t.Client.appKey == nil {
		closeBody(request)
		return nil, errNoClient
	}
	if !staysAtOrigin(request) {
		return t.base().RoundTrip(request)
	}
	call, err := t.begin(request, request.Body)
	if err != nil {
		closeBody(request)
		return nil, err
	}
	return call.send()
}

// Sign gives a signed copy of a request, for those who send it by other means. Every attempt needs a copy of its own.
// With hmac, http-message-signature and parameter-signature a body that can be read once is read; with the others both
// requests share it.
func (t *Transport) Sign(request *http.Request) (*http.Request, error) {
	return t.signOnce(request, func(*call) bool { return true })
}

// SignAgain gives a signed copy of a request that was refused with 401 and an Accept-Signature, the text of that field,
// for those who send by other means: the new signature covers what the field asks for besides, once. It is nil, without
// an error, where the field asks for nothing more than was signed, or for what this client cannot do.
func (t *Transport) SignAgain(request *http.Request, acceptSignature string) (*http.Request, error) {
	return t.signOnce(request, func(c *call) bool { return c.obey(acceptSignature) })
}

// signOnce signs a copy of a request, unless prepare says no.
func (t *Transport) signOnce(request *http.Request, prepare func(*call) bool) (*http.Request, error) {
	if t.Client == nil || t.Client.appKey == nil {
		return nil, errNoClient
	}
	body := request.Body
	if hasBody(request) && request.GetBody != nil {
		var err error
		if body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	call, err := t.begin(request, body)
	if err != nil {
		return nil, err
	}
	if !prepare(call) {
		call.abandon()
		return nil, nil
	}
	attempt, err := call.sign()
	if err != nil {
		return nil, err
	}
	return attempt.request, nil
}

// CloseIdleConnections closes those of Base, for http.Client.CloseIdleConnections.
func (t *Transport) CloseIdleConnections() {
	if closer, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// String shows the client, without secrets.
func (t Transport) String() string { return "postern.Transport{client: " + t.Client.String() + "}" }

// Format prints [Transport.String] for every verb of package fmt.
func (t Transport) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(t.String())) }

// LogValue is [Transport.String], for package log/slog.
func (t Transport) LogValue() slog.Value { return slog.StringValue(t.String()) }

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

// call is a request of the caller, which is sent at least once.
type call struct {
	client   *Client
	base     http.RoundTripper
	signer   signer        // that of the client, until the gateway asks for another signature
	request  *http.Request // the caller's; never changed
	body     io.ReadCloser // for the first attempt, unless the body is buffered
	isInUse  bool          // body was given to an attempt
	buffer   []byte
	buffered bool
}

// attempt is one signed copy of a call's request.
type attempt struct {
	request *http.Request
	offset  int64  // the correction of the clock that it was signed with
	token   *token // only for OAuth2
}

// begin reads the body where the method needs it.
func (t *Transport) begin(request *http.Request, body io.ReadCloser) (*call, error) {
	c := &call{client: t.Client, base: t.base(), signer: t.Client.signer, request: request, body: body}
	if c.signer == nil {
		return c, nil
	}
	limit := c.signer.bodyLimit(request.Header)
	if limit < 0 {
		return c, nil
	}
	if _, err := signableTarget(request.URL); err != nil {
		return nil, err
	}
	c.buffered = true
	if !hasBody(request) {
		return c, nil
	}
	var err error
	c.buffer, err = readBody(request.Context(), body, request.ContentLength, limit)
	return c, err
}

// canRepeat says whether the body can be sent again.
func (c *call) canRepeat() bool { return c.buffered || !hasBody(c.request) || c.request.GetBody != nil }

// sign makes the next attempt.
func (c *call) sign() (*attempt, error) {
	ctx := c.request.Context()
	out := c.request.Clone(ctx)
	if out.Method == "" {
		out.Method = http.MethodGet
	}
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if c.client.tokens != nil {
		token, err := c.client.tokens.get(ctx, c.base)
		if err != nil {
			c.abandon()
			return nil, err
		}
		setHeader(out.Header, "Authorization", "Bearer "+token.text())
		return &attempt{request: out, token: token}, c.passBody(out)
	}
	offset := c.client.offset.Load()
	body, err := c.signer.sign(out, c.buffer, c.client.settings.hooks.Now().Unix()+offset)
	if err != nil {
		c.abandon()
		return nil, err
	}
	if c.buffered {
		setBody(out, body)
		return &attempt{request: out, offset: offset}, nil
	}
	return &attempt{request: out, offset: offset}, c.passBody(out)
}

// passBody gives an attempt the caller's body, or another one that reads the same.
func (c *call) passBody(out *http.Request) error {
	if !hasBody(c.request) {
		return nil
	}
	if !c.isInUse {
		c.isInUse = true
		out.Body = c.body
		return nil
	}
	var err error
	out.Body, err = c.request.GetBody()
	return err
}

// abandon closes a body that no attempt got.
func (c *call) abandon() {
	if !c.isInUse && !c.buffered && c.body != nil {
		c.isInUse = true
		_ = c.body.Close()
	}
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}

// wait sleeps between attempts. It is false when the context ends before, and then does not sleep at all.
func (c *call) wait(ctx context.Context, plan plan) (bool, error) {
	if deadline, ok := ctx.Deadline(); ok && c.client.settings.hooks.Until(deadline) <= plan.wait {
		return false, nil
	}
	if plan.wait == 0 {
		return true, ctx.Err()
	}
	return true, c.client.settings.hooks.Sleep(ctx, plan.wait)
}
