package postern

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

const publicKeyVectorsFile = "../public-key-vectors.json"

type vectorKey struct {
	PEM       string          `json:"pem"`
	JWK       json.RawMessage `json:"jwk"`
	PublicPEM string          `json:"publicPem"`
}

type publicKeyCase struct {
	vectorCase
	Client struct {
		Method     string `json:"method"`
		AppKey     string `json:"appKey"`
		PrivateKey struct {
			Key string          `json:"key"`
			As  string          `json:"as"`
			PEM *string         `json:"pem"`
			JWK json.RawMessage `json:"jwk"`
		} `json:"privateKey"`
		Algorithm string   `json:"algorithm"`
		Nonce     *bool    `json:"nonce"`
		Tag       *string  `json:"tag"`
		CoverAlso []string `json:"coverAlso"`
		Label     *string  `json:"label"`
		TokenURL  string   `json:"tokenUrl"`
		Audience  *string  `json:"audience"`
	} `json:"client"`
	StringToSign    string  `json:"stringToSign"`
	AcceptSignature *string `json:"acceptSignature"`
	Signature       *struct {
		Label     string `json:"label"`
		Algorithm string `json:"algorithm"`
		Key       string `json:"key"`
	} `json:"signature"`
	Assertion *struct {
		SigningInput string `json:"signingInput"`
		Algorithm    string `json:"algorithm"`
		Key          string `json:"key"`
		JWT          string `json:"jwt"`
	} `json:"assertion"`
	keys map[string]vectorKey
}

func TestPublicKeyVectors(t *testing.T) {
	raw, err := os.ReadFile(publicKeyVectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Format int                  `json:"format"`
		Keys   map[string]vectorKey `json:"keys"`
		Cases  []publicKeyCase      `json:"cases"`
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if vectors.Format != 1 || len(vectors.Cases) < 341 {
		t.Fatalf("format %d with %d cases; want format 1 with at least 341", vectors.Format, len(vectors.Cases))
	}
	for _, each := range vectors.Cases {
		each.keys = vectors.Keys
		t.Run(each.Name, each.run)
	}
}

func (v *publicKeyCase) run(t *testing.T) {
	client, err := v.make()
	if v.Request == nil && v.Assertion == nil {
		wantProblem(t, err, v.Problem)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	if v.Assertion != nil {
		v.runAssertion(t, client)
		return
	}
	body := v.Request.Body.bytes(t)
	request, err := http.NewRequest(v.Request.Method, v.Request.URL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range v.Request.Headers {
		request.Header.Add(header[0], header[1])
	}
	before, address := request.Header.Clone(), request.URL.String()
	signed, err := v.sign(client, request)
	if v.Problem != "" {
		wantProblem(t, err, v.Problem)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	if request.URL.String() != address || !sameHeader(request.Header, before) {
		t.Error("the caller's request was changed")
	}
	if v.Signed == nil || signed == nil {
		if v.Signed != nil || signed != nil {
			t.Errorf("got %v, want %v", signed, v.Signed)
		}
		return
	}
	if got := signed.URL.RequestURI(); got != v.Signed.Target {
		t.Errorf("target\n got %s\nwant %s", got, v.Signed.Target)
	}
	signature := v.signatureOf(t, signed)
	before.Set("Signature", signed.Header.Get("Signature"))
	for _, header := range v.Signed.Headers {
		before.Set(header[0], header[1])
	}
	if !sameHeader(signed.Header, before) {
		t.Errorf("headers\n got %v\nwant %v", signed.Header, before)
	}
	if !v.keys[v.Signature.Key].verify(v.Signature.Algorithm, []byte(v.StringToSign), signature) {
		t.Error("the signature is of another text")
	}
	v.checkBody(t, signed, body)
}

func (v *publicKeyCase) sign(client *Client, request *http.Request) (*http.Request, error) {
	if v.AcceptSignature == nil {
		return client.Sign(request)
	}
	return client.SignAgain(request, *v.AcceptSignature)
}

func (v *publicKeyCase) signatureOf(t *testing.T, signed *http.Request) []byte {
	t.Helper()
	text, found := strings.CutPrefix(signed.Header.Get("Signature"), v.Signature.Label+"=:")
	bytes, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(text, ":"))
	if err != nil || !found || !strings.HasSuffix(text, ":") {
		t.Fatalf("Signature is %q", signed.Header.Get("Signature"))
	}
	return bytes
}

func (v *publicKeyCase) runAssertion(t *testing.T, client *Client) {
	made, err := client.Assertion(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexByte(made, '.')
	if made[:at] != v.Assertion.SigningInput {
		t.Errorf("signing input\n got %s\nwant %s", made[:at], v.Assertion.SigningInput)
	}
	if v.Assertion.JWT != "" && made != v.Assertion.JWT {
		t.Errorf("assertion\n got %s\nwant %s", made, v.Assertion.JWT)
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(made[at+1:])
	if err != nil || !v.keys[v.Assertion.Key].verify(v.Assertion.Algorithm, []byte(made[:at]), signature) {
		t.Errorf("the signature does not verify: %v", err)
	}
}

func (v *publicKeyCase) make() (*Client, error) {
	s := &v.Client
	options := []Option{withHooks(hook.Hooks{
		Now:   func() time.Time { return time.Unix(v.Now, 0) },
		Nonce: func() (string, error) { return v.Nonce, nil },
	})}
	key, err := v.privateKey()
	if err != nil {
		return nil, err
	}
	if s.Algorithm != "" {
		options = append(options, WithSignatureAlgorithm(algorithmNamed(s.Method, s.Algorithm)))
	}
	if s.Nonce != nil && !*s.Nonce {
		options = append(options, WithoutNonce())
	}
	if s.Tag != nil {
		options = append(options, WithTag(*s.Tag))
	}
	if s.CoverAlso != nil {
		options = append(options, WithCoverAlso(s.CoverAlso...))
	}
	if s.Label != nil {
		options = append(options, WithLabel(*s.Label))
	}
	if s.Audience != nil {
		options = append(options, WithAudience(*s.Audience))
	}
	if s.Method == methodPrivateKeyJWT {
		return NewPrivateKeyJWT(s.AppKey, key, s.TokenURL, options...)
	}
	return NewMessageSignature(s.AppKey, key, options...)
}

func (v *publicKeyCase) privateKey() (*PrivateKey, error) {
	given := v.Client.PrivateKey
	switch {
	case given.PEM != nil:
		return ParsePrivateKey(*given.PEM)
	case given.JWK != nil:
		return ParsePrivateKey(string(given.JWK))
	case given.As == "jwk":
		return ParsePrivateKey(string(v.keys[given.Key].JWK))
	}
	return ParsePrivateKey(v.keys[given.Key].PEM)
}

// algorithmNamed turns the alg of an assertion into its algorithm; another text stays as it is, or is none.
func algorithmNamed(method, name string) SignatureAlgorithm {
	if method == methodMessageSignature {
		return SignatureAlgorithm(name)
	}
	for algorithm, known := range keyAlgorithms {
		if known.jwt == name {
			return algorithm
		}
	}
	return ""
}

// verify is by the standard library, apart from what signs.
func (k vectorKey) verify(algorithm string, message, signature []byte) bool {
	block, _ := pem.Decode([]byte(k.PublicPEM))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return false
	}
	hash256, hash384, hash512 := sha256.Sum256(message), sha512.Sum384(message), sha512.Sum512(message)
	half := len(signature) / 2
	r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
	salt := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	switch algorithm {
	case "ed25519", "EdDSA":
		return ed25519.Verify(public.(ed25519.PublicKey), message, signature)
	case "ecdsa-p256-sha256", "ES256":
		return len(signature) == 64 && ecdsa.Verify(public.(*ecdsa.PublicKey), hash256[:], r, s)
	case "ecdsa-p384-sha384", "ES384":
		return len(signature) == 96 && ecdsa.Verify(public.(*ecdsa.PublicKey), hash384[:], r, s)
	case "rsa-pss-sha512", "PS512":
		return rsa.VerifyPSS(public.(*rsa.PublicKey), crypto.SHA512, hash512[:], signature, salt) == nil
	case "PS256":
		return rsa.VerifyPSS(public.(*rsa.PublicKey), crypto.SHA256, hash256[:], signature, salt) == nil
	case "rsa-v1_5-sha256", "RS256":
		return rsa.VerifyPKCS1v15(public.(*rsa.PublicKey), crypto.SHA256, hash256[:], signature) == nil
	}
	return false
}
