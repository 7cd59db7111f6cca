package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

var tokenClients = map[string]func(*question) (answer, error){
	"golang.org/x/oauth2 AuthStyleInParams":   func(asked *question) (answer, error) { return tokenOfOAuth2(asked, oauth2.AuthStyleInParams) },
	"golang.org/x/oauth2 AuthStyleAutoDetect": func(asked *question) (answer, error) { return tokenOfOAuth2(asked, oauth2.AuthStyleAutoDetect) },
	"github.com/zitadel/oidc/v3":              tokenOfZitadel,
}

// formRecorder keeps every form that was sent.
type formRecorder struct {
	base  http.RoundTripper
	forms []answer
}

func (r *formRecorder) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(strings.NewReader(string(body)))
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	form := answer{}
	for name, values := range fields {
		form[name] = values[0]
	}
	r.forms = append(r.forms, form)
	return r.base.RoundTrip(request)
}

func assertion(asked *question) (string, error) {
	signer, err := client.NewSignerFromPrivateKeyByte([]byte(asked.Key.PEM), "key-1")
	if err != nil {
		return "", err
	}
	return client.SignedJWTProfileAssertion(asked.ClientID, []string{asked.TokenURL}, time.Minute, signer)
}

// x/oauth2 makes no assertions: its caller adds one that another module made.
func tokenOfOAuth2(asked *question, style oauth2.AuthStyle) (answer, error) {
	text, err := assertion(asked)
	if err != nil {
		return nil, err
	}
	base, err := asked.transport()
	if err != nil {
		return nil, err
	}
	record := &formRecorder{base: base}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: record})
	config := clientcredentials.Config{
		ClientID:  asked.ClientID,
		TokenURL:  asked.TokenURL,
		AuthStyle: style,
		EndpointParams: url.Values{
			"client_assertion_type": {oidc.ClientAssertionTypeJWTAssertion},
			"client_assertion":      {text},
		},
	}
	return tokenAnswer(asked.Times, record, func() (*oauth2.Token, error) { return config.Token(ctx) })
}

// endpoint is what zitadel/oidc asks of the server that it calls.
type endpoint struct {
	url    string
	client *http.Client
}

func (e endpoint) TokenEndpoint() string    { return e.url }
func (e endpoint) HttpClient() *http.Client { return e.client }

func tokenOfZitadel(asked *question) (answer, error) {
	text, err := assertion(asked)
	if err != nil {
		return nil, err
	}
	base, err := asked.transport()
	if err != nil {
		return nil, err
	}
	record := &formRecorder{base: base}
	request := &oidc.ClientCredentialsRequest{
		GrantType:           oidc.GrantTypeClientCredentials,
		ClientID:            asked.ClientID,
		ClientAssertion:     text,
		ClientAssertionType: oidc.ClientAssertionTypeJWTAssertion,
	}
	caller := endpoint{asked.TokenURL, &http.Client{Transport: record}}
	return tokenAnswer(asked.Times, record, func() (*oauth2.Token, error) {
		return client.CallTokenEndpoint(context.Background(), request, caller)
	})
}

// tokenAnswer asks so many times, as long as that works; the answer is that of the last time.
func tokenAnswer(times int, record *formRecorder, ask func() (*oauth2.Token, error)) (answer, error) {
	var token *oauth2.Token
	var err error
	for ; times > 0 && err == nil; times-- {
		record.forms = nil
		token, err = ask()
	}
	given := answer{"form": record.forms[len(record.forms)-1], "requests": len(record.forms)}
	var refusal *oauth2.RetrieveError
	var oidcError *oidc.Error
	switch {
	case err == nil:
		given["token"] = token.AccessToken
	case errors.As(err, &refusal):
		given["refusal"] = answer{"code": refusal.ErrorCode, "description": refusal.ErrorDescription}
	case errors.As(err, &oidcError):
		given["refusal"] = answer{"code": string(oidcError.ErrorType), "description": oidcError.Description}
	default:
		return nil, err
	}
	return given, nil
}
