package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"

	postern "github.com/postern-gateway/postern/clients/go"
)

// keySettings say where a private key is.
type keySettings struct {
	PEM    *string         `json:"pem"`
	JWK    json.RawMessage `json:"jwk"`
	Signer []string        `json:"signer"`
}

// algorithms are the names of a method, for the algorithms of package postern.
var algorithms = map[string]map[string]postern.SignatureAlgorithm{
	"http-message-signature": {
		"ed25519": postern.Ed25519, "ecdsa-p256-sha256": postern.ECDSAP256SHA256,
		"ecdsa-p384-sha384": postern.ECDSAP384SHA384, "rsa-pss-sha512": postern.RSAPSSSHA512,
		"rsa-v1_5-sha256": postern.RSAv15SHA256,
	},
	"private-key-jwt": {
		"EdDSA": postern.Ed25519, "ES256": postern.ECDSAP256SHA256, "ES384": postern.ECDSAP384SHA384,
		"PS256": postern.RSAPSSSHA256, "PS512": postern.RSAPSSSHA512, "RS256": postern.RSAv15SHA256,
	},
}

// privateKey makes a key as a user would.
func (s *clientSettings) privateKey() (*postern.PrivateKey, error) {
	given := s.PrivateKey
	switch {
	case given == nil:
		return nil, nil
	case given.PEM != nil:
		return postern.ParsePrivateKey(*given.PEM)
	case given.JWK != nil:
		return postern.ParsePrivateKey(string(given.JWK))
	case len(given.Signer) == 0:
		return nil, errors.New("the private key is not understood")
	case s.Algorithm == nil:
		return postern.NewFuncKey("", nil)
	}
	return postern.NewFuncKey(algorithms[s.Method][*s.Algorithm], given.run)
}

// run has a program sign.
func (k *keySettings) run(ctx context.Context, message []byte) ([]byte, error) {
	command := exec.CommandContext(ctx, k.Signer[0], k.Signer[1:]...)
	command.Stdin = bytes.NewReader(message)
	return command.Output()
}

// keyOptions are those that only the methods of private keys have.
func (s *clientSettings) keyOptions() []postern.Option {
	var options []postern.Option
	if s.Algorithm != nil {
		options = append(options, postern.WithSignatureAlgorithm(algorithms[s.Method][*s.Algorithm]))
	}
	if s.Nonce != nil && !*s.Nonce {
		options = append(options, postern.WithoutNonce())
	}
	if s.Tag != nil {
		options = append(options, postern.WithTag(*s.Tag))
	}
	if s.CoverAlso != nil {
		options = append(options, postern.WithCoverAlso(s.CoverAlso...))
	}
	if s.Label != nil {
		options = append(options, postern.WithLabel(*s.Label))
	}
	if s.Audience != nil {
		options = append(options, postern.WithAudience(*s.Audience))
	}
	return options
}
