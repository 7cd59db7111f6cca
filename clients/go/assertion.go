package postern

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
)

const (
	// assertionType is that of RFC 7523 §2.2.
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	// assertionSeconds is how long an assertion counts.
	assertionSeconds = 60
)

// asserter makes the assertions that stand for an App Secret (RFC 7523 §3).
type asserter struct {
	appKey    string
	key       *PrivateKey
	algorithm SignatureAlgorithm
	audience  string
	client    *Client // for its clock and its nonces
}

// form is what a token URL is asked with. Each has an assertion of its own.
func (a *asserter) form(ctx context.Context, offset int64) (string, error) {
	assertion, err := a.assertion(ctx, offset)
	if err != nil {
		return "", err
	}
	return EncodeParameters([][2]string{
		{"grant_type", "client_credentials"}, {"client_id", a.appKey},
		{"client_assertion_type", assertionType}, {"client_assertion", assertion},
	}), nil
}

// assertion is a JWT that is signed offset seconds from the machine's time.
func (a *asserter) assertion(ctx context.Context, offset int64) (string, error) {
	id, err := a.client.settings.hooks.Nonce()
	if err != nil {
		return "", err
	}
	now := a.client.settings.hooks.Now().Unix() + offset
	header := `{"alg":"` + keyAlgorithms[a.algorithm].jwt + `","typ":"JWT"}`
	claims := `{"iss":"` + a.appKey + `","sub":"` + a.appKey + `","aud":"` + jsonEscapes.Replace(a.audience) +
		`","jti":"` + id + `","iat":` + strconv.FormatInt(now, 10) +
		`,"exp":` + strconv.FormatInt(now+assertionSeconds, 10) + `}`
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(claims))
	signature, err := a.key.signature(ctx, a.algorithm, []byte(signed))
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// jsonEscapes is all that a text without control characters needs.
var jsonEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
