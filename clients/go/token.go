package postern

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxTokenBytes  = 65_536
	tokenTimeout   = 30 * time.Second
	maxTokenMargin = 60 * time.Second
)

// TokenError is an answer of the token URL that is no token.
type TokenError struct {
	// Status is the HTTP status of the answer.
	Status int
	// Code is the error of RFC 6749, such as invalid_client; empty when the answer has none of those.
	Code string
	// Description is what is wrong with the answer, in words of this package: what the other end wrote may repeat the
	// App Secret.
	Description string
}

// Error gives the status, the code and the description.
func (e *TokenError) Error() string {
	text := "postern: no access token: " + strconv.Itoa(e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	return text + ": " + e.Description
}

// token is an access token. It is renewed from renewAt on; zero means when the gateway refuses it.
type token struct {
	text    secret
	renewAt time.Time
}

// tokenSource keeps the token of one credential. Calls at the same time share one question.
type tokenSource struct {
	url    string
	appKey string
	secret secret
	clock  func() time.Time
	// asserter makes what stands for the secret; nil: there is a secret.
	asserter *asserter

	mutex   sync.Mutex
	current *token
	asking  *question
}

// question is under way until done is closed.
type question struct {
	done  chan struct{}
	token *token
	err   error
}

// get gives a token that is good for a while. A caller whose context ends leaves; the question goes on for the others.
func (s *tokenSource) get(ctx context.Context, base http.RoundTripper) (*token, error) {
	s.mutex.Lock()
	current := s.current
	if current != nil && (current.renewAt.IsZero() || s.now().Before(current.renewAt)) {
		s.mutex.Unlock()
		return current, nil
	}
	asked := s.asking
	if asked == nil {
		asked = &question{done: make(chan struct{})}
		s.asking = asked
		go s.answer(context.WithoutCancel(ctx), base, asked)
	}
	s.mutex.Unlock()
	select {
	case <-asked.done:
		return asked.token, asked.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drop forgets a token that the gateway refused, unless there is a newer one.
func (s *tokenSource) drop(refused *token) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.current == refused {
		s.current = nil
	}
}

func (s *tokenSource) answer(ctx context.Context, base http.RoundTripper, asked *question) {
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	asked.token, asked.err = s.ask(ctx, base)
	s.mutex.Lock()
	s.asking = nil
	if asked.err == nil {
		s.current = asked.token
	}
	s.mutex.Unlock()
	close(asked.done)
}

// now has no monotonic part: that stops while a machine sleeps.
func (s *tokenSource) now() time.Time { return s.clock().Round(0) }

// ask asks once, and once more where an assertion was refused that a wrong clock may have dated.
func (s *tokenSource) ask(ctx context.Context, base http.RoundTripper) (*token, error) {
	if s.asserter == nil {
		made, _, err := s.askWith(ctx, base, "grant_type=client_credentials")
		return made, err
	}
	client := s.asserter.client
	for isCorrected := false; ; isCorrected = true {
		offset := client.offset.Load()
		form, err := s.asserter.form(ctx, offset)
		if err != nil {
			return nil, err
		}
		made, response, err := s.askWith(ctx, base, form)
		var refused *TokenError
		isRefused := errors.As(err, &refused) && refused.Code == "invalid_client"
		if isCorrected || !isRefused || !client.correctAssertions(response, offset) {
			return made, err
		}
	}
}

func (s *tokenSource) askWith(ctx context.Context, base http.RoundTripper, form string) (*token, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(form))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", mediaForm)
	request.Header.Set("Accept", mediaJSON)
	if s.asserter == nil {
		basic := url.QueryEscape(s.appKey) + ":" + url.QueryEscape(s.secret())
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(basic)))
	}
	asked := s.now()
	// RoundTrip follows no redirect, so the secret goes to the token URL only.
	response, err := base.RoundTrip(request)
	if err != nil {
		return nil, nil, withoutAnswer(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxTokenBytes+1))
	if err != nil {
		return nil, nil, withoutAnswer(err)
	}
	made, err := s.parse(response.StatusCode, body, asked)
	return made, response, err
}

var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

func (s *tokenSource) parse(status int, body []byte, asked time.Time) (*token, error) {
	var answer struct {
		Token     string   `json:"access_token"`
		Type      string   `json:"token_type"`
		ExpiresIn *float64 `json:"expires_in"`
		Error     string   `json:"error"`
	}
	err := json.Unmarshal(body, &answer)
	if status != http.StatusOK {
		return nil, refused(status, answer.Error, "the token URL gave none")
	}
	if err != nil || len(body) > maxTokenBytes {
		return nil, refused(status, "", "the answer is not the JSON of RFC 6749")
	}
	if !tokenPattern.MatchString(answer.Token) || !strings.EqualFold(answer.Type, "bearer") {
		return nil, refused(status, "", "the answer holds no bearer token")
	}
	made := &token{text: newSecret(answer.Token)}
	if answer.ExpiresIn != nil {
		made.renewAt = renewalOf(asked, *answer.ExpiresIn)
	}
	return made, nil
}

// renewalOf leaves 60 seconds or a tenth of the life of a token, whichever is shorter.
func renewalOf(asked time.Time, lifeSeconds float64) time.Time {
	const maxLifeSeconds = 30 * 86_400
	if lifeSeconds > maxLifeSeconds {
		lifeSeconds = maxLifeSeconds
	}
	life := time.Duration(lifeSeconds * float64(time.Second))
	margin := life / 10
	if margin > maxTokenMargin {
		margin = maxTokenMargin
	}
	return asked.Add(life - margin)
}

// knownErrors are those of RFC 6749. Another text may repeat the App Secret, in any encoding.
var knownErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
	"invalid_scope", "server_error", "temporarily_unavailable",
}

func refused(status int, code, description string) *TokenError {
	if !slices.Contains(knownErrors, code) {
		code = ""
	}
	return &TokenError{Status: status, Code: code, Description: description}
}

var errNoAnswer = errors.New("postern: the token URL gave no answer that is HTTP")

// withoutAnswer is the error, unless net/http made it of what the other end wrote: it quotes that.
func withoutAnswer(err error) error {
	var (
		network     *net.OpError
		certificate *tls.CertificateVerificationError
	)
	isOurs := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if isOurs || errors.As(err, &network) || errors.As(err, &certificate) {
		return err
	}
	return errNoAnswer
}
