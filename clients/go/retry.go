package postern

import (
	"context"
	"errors"
	"io"
	"math/rand"
	"net/http"
	"strings"
	"time"
)

// errResent ends an attempt that the library would have sent a second time by itself.
var errResent = errors.New("postern: the connection failed before the answer")

// maxWait is the longest Retry-After that is waited for.
const maxWait = 60 * time.Second

// plan says whether a request is tried again, and after what time.
type plan struct {
	again bool
	wait  time.Duration
}

// retries is what was used up by one call.
type retries struct {
	counted   int
	newToken  bool
	corrected bool
	obeyed    bool
	resent    bool
}

// send makes attempts until one has an answer that stands.
func (c *call) send() (*http.Response, error) {
	ctx := c.request.Context()
	var used retries
	for {
		attempt, err := c.sign()
		if err != nil {
			return nil, err
		}
		response, err := sendOnce(c.base, attempt.request)
		var next plan
		if err != nil {
			next = c.afterFailure(err, &used)
		} else {
			response.Request = c.request
			next = c.afterAnswer(response, attempt, &used)
		}
		if !next.again {
			return response, err
		}
		fits, ended := c.wait(ctx, next)
		if !fits {
			return response, err
		}
		if response != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxRefusalBytes))
			_ = response.Body.Close()
		}
		if ended != nil {
			return nil, ended
		}
	}
}

// afterFailure judges an attempt that got no answer. The API may have seen it, so only methods that may be repeated
// are.
func (c *call) afterFailure(err error, used *retries) plan {
	if !c.canRepeat() || c.request.Context().Err() != nil {
		return plan{}
	}
	if errors.Is(err, context.Canceled) || isUntrusted(err) {
		return plan{}
	}
	if !c.isRepeatable() {
		return plan{}
	}
	if errors.Is(err, errResent) && !used.resent {
		used.resent = true // as soon as the library would have, and with a signature of its own
		return plan{again: true}
	}
	return c.counted(used, backOff(used.counted))
}

// isRepeatable says whether the API may get the request twice.
func (c *call) isRepeatable() bool {
	switch c.request.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// afterAnswer judges an answer. A refusal never reached the API, so any method may be repeated; but not after one that
// says that an equal request did.
func (c *call) afterAnswer(response *http.Response, attempt *attempt, used *retries) plan {
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		return plan{}
	}
	refusal := RefusalOf(response)
	if refusal == nil {
		return plan{}
	}
	next := c.afterRefusal(refusal, response, attempt, used)
	if !c.canRepeat() {
		return plan{}
	}
	return next
}

func (c *call) afterRefusal(refusal *Refusal, response *http.Response, attempt *attempt, used *retries) plan {
	after, given := refusal.RetryAfter()
	switch refusal.Code {
	case "RATE_LIMITED":
		if refusal.Status == http.StatusTooManyRequests && given && after <= maxWait {
			return c.counted(used, after)
		}
	case "STORE_UNAVAILABLE", "LIMITER_UNAVAILABLE", "UNAVAILABLE":
		if refusal.Status != http.StatusServiceUnavailable || given && after > maxWait {
			break
		}
		if !given {
			after = backOff(used.counted)
		}
		return c.counted(used, after+time.Duration(rand.Int63n(int64(after)/5+1)))
	case "REQUEST_REPLAYED":
		if refusal.AcceptedBefore() && c.isRepeatable() {
			return c.counted(used, time.Second)
		}
	case "TOKEN_INVALID":
		if refusal.Status == http.StatusUnauthorized && attempt.token != nil {
			c.client.tokens.drop(attempt.token)
			again := !used.newToken
			used.newToken = true
			return plan{again: again}
		}
	case "CREDENTIALS_MISSING", "CREDENTIALS_MALFORMED", "AUTHENTICATION_FAILED":
		if refusal.Status == http.StatusUnauthorized && !used.obeyed {
			used.obeyed = c.obey(strings.Join(response.Header.Values("Accept-Signature"), ", "))
			return plan{again: used.obeyed}
		}
	case "REQUEST_EXPIRED":
		if refusal.Status == http.StatusUnauthorized && !used.corrected {
			used.corrected = c.client.correct(response, attempt.offset)
			return plan{again: used.corrected}
		}
	}
	return plan{}
}

// obey makes further attempts sign what an Accept-Signature asks for. It is false where that is nothing more.
func (c *call) obey(accept string) bool {
	signer, ok := c.signer.(*messageSigner)
	if !ok {
		return false
	}
	wanted := signer.obey(accept, c.request, len(c.buffer) > 0)
	if wanted == nil {
		return false
	}
	c.signer = wanted
	return true
}

// counted uses up one retry, and waits for at least a second, so that no two attempts have the same signature.
func (c *call) counted(used *retries, wait time.Duration) plan {
	if used.counted >= c.client.settings.retries {
		return plan{}
	}
	used.counted++
	if wait < time.Second {
		wait = time.Second
	}
	return plan{again: true, wait: wait}
}

// backOff is 1, 2, 4 … seconds, at most maxWait.
func backOff(earlier int) time.Duration {
	wait := time.Second << earlier
	if wait > maxWait {
		return maxWait
	}
	return wait
}

// correct takes over the gateway's clock from an answer, within the bound of WithClockCorrection. It is true when the
// clock is now another than the one that the attempt was signed with.
func (c *Client) correct(response *http.Response, signedWith int64) bool {
	theirs, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil || c.settings.correction == 0 {
		return false
	}
	difference := theirs.Unix() - c.settings.hooks.Now().Unix()
	if difference > c.settings.correction || -difference > c.settings.correction {
		return false
	}
	c.offset.Store(difference)
	return difference != signedWith
}

// minAssertionDifference is the difference of clocks, in seconds, that can be why an assertion was refused.
const minAssertionDifference = 30

// correctAssertions is correct for an assertion that was refused, when the clocks differ by enough to be the reason.
func (c *Client) correctAssertions(response *http.Response, signedWith int64) bool {
	theirs, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return false
	}
	difference := theirs.Unix() - c.settings.hooks.Now().Unix() - signedWith
	if -minAssertionDifference < difference && difference < minAssertionDifference {
		return false
	}
	return c.correct(response, signedWith)
}
