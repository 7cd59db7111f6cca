package postern

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// signerVariable makes the test program sign its standard input, in place of running tests, with the key in this file.
const signerVariable = "POSTERN_TEST_SIGNER_KEY"

func TestMain(m *testing.M) {
	if file := os.Getenv(signerVariable); file != "" {
		os.Exit(signInput(file))
	}
	os.Exit(m.Run())
}

// signInput is what a program that keeps a key does: bytes in, their signature out, of ECDSA in ASN.1.
func signInput(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 1
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return 1
	}
	message, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	hash := sha256.Sum256(message)
	signature, err := ecdsa.SignASN1(rand.Reader, key.(*ecdsa.PrivateKey), hash[:])
	if err != nil {
		return 1
	}
	_, _ = os.Stdout.Write(signature)
	return 0
}

func newECDSA(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func newMessageClient(t *testing.T, key *PrivateKey, options ...Option) *Client {
	t.Helper()
	client, err := NewMessageSignature("acme-2026", key, append(options, newTestClock().option())...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestAKeyInAnotherProcessSigns(t *testing.T) {
	key := newECDSA(t, elliptic.P256())
	file := t.TempDir() + "/key.pem"
	if err := os.WriteFile(file, []byte(pemOf(t, key)), 0o600); err != nil {
		t.Fatal(err)
	}
	remote, err := NewFuncKey(ECDSAP256SHA256, func(ctx context.Context, message []byte) ([]byte, error) {
		command := exec.CommandContext(ctx, os.Args[0])
		command.Env = append(os.Environ(), signerVariable+"="+file)
		command.Stdin = bytes.NewReader(message)
		return command.Output()
	})
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("a signature base")
	signature, err := remote.signature(context.Background(), ECDSAP256SHA256, message)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(message)
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if len(signature) != 64 || !ecdsa.Verify(&key.PublicKey, hash[:], r, s) {
		t.Error("the signature is of another text, or not r and s")
	}
	if _, err := newMessageClient(t, remote).Sign(newRequest(t, "GET", "https://a/", "")); err != nil {
		t.Error(err)
	}
}

func TestASignerThatFailsIsAProblemAndNothingIsSent(t *testing.T) {
	cause := errors.New("the KMS is locked")
	for name, given := range map[string]string{
		"an error":            "",
		"nothing":             "",
		"too short":           strings.Repeat("x", 63),
		"too long":            strings.Repeat("x", 96),
		"ASN.1 with more":     "\x30\x07\x02\x01\x01\x02\x01\x01\x00",
		"a negative number":   "\x30\x06\x02\x01\x81\x02\x01\x01",
		"a number of nothing": "\x30\x05\x02\x00\x02\x01\x01",
	} {
		key, err := NewFuncKey(ECDSAP256SHA256, func(context.Context, []byte) ([]byte, error) {
			if name == "an error" {
				return nil, cause
			}
			return []byte(given), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		base := answers()
		_, err = (&Transport{newMessageClient(t, key), base}).RoundTrip(newRequest(t, "POST", "https://a/", "body"))
		wantProblem(t, err, CodeSignerFailed)
		if len(base.requests) > 0 {
			t.Errorf("%s: the request was sent", name)
		}
		if name == "an error" && !errors.Is(err, cause) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
}

func TestTheFunctionOfAKeyGetsTheContextOfTheRequest(t *testing.T) {
	type name struct{}
	var seen any
	key, err := NewFuncKey(Ed25519, func(ctx context.Context, _ []byte) ([]byte, error) {
		seen = ctx.Value(name{})
		return make([]byte, 64), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	request := newRequest(t, "GET", "https://a/", "").WithContext(context.WithValue(context.Background(), name{}, "mine"))
	if _, err := newMessageClient(t, key).Sign(request); err != nil || seen != "mine" {
		t.Errorf("got %v, %v", seen, err)
	}
}

func TestNumbersOfSignaturesAreJoined(t *testing.T) {
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		key, size := newECDSA(t, curve), curve.Params().BitSize/8
		for i := 0; i < 300; i++ {
			hash := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
			signature, err := ecdsa.SignASN1(rand.Reader, key, hash[:])
			if err != nil {
				t.Fatal(err)
			}
			joined := joinedNumbers(signature, size)
			if len(joined) != 2*size {
				t.Fatalf("%x became %x", signature, joined)
			}
			if !ecdsa.Verify(&key.PublicKey, hash[:], bigOf(joined[:size]), bigOf(joined[size:])) {
				t.Fatalf("%x became %x", signature, joined)
			}
		}
	}
}

func TestWhichKeysAreTaken(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSignerKey(large); err != nil {
		t.Error(err)
	}
	for name, make := range map[string]func() (*PrivateKey, error){
		"no signer":       func() (*PrivateKey, error) { return NewSignerKey(nil) },
		"RSA 1024":        func() (*PrivateKey, error) { return NewSignerKey(small) },
		"P-521":           func() (*PrivateKey, error) { return ParsePrivateKey(pemOf(t, newECDSA(t, elliptic.P521()))) },
		"no function":     func() (*PrivateKey, error) { return NewFuncKey(Ed25519, nil) },
		"no algorithm":    func() (*PrivateKey, error) { return NewFuncKey("hmac-sha256", nil) },
		"a broken PEM":    func() (*PrivateKey, error) { return ParsePrivateKey("-----BEGIN PRIVATE KEY-----\nAAAA\n") },
		"an array":        func() (*PrivateKey, error) { return ParsePrivateKey(`[{}]`) },
		"two primes more": func() (*PrivateKey, error) { return ParsePrivateKey(`{"kty":"RSA","d":"AQ","oth":[1]}`) },
		"other parts": func() (*PrivateKey, error) {
			return ParsePrivateKey(`{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA",` +
				`"d":"UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs"}`)
		},
	} {
		key, err := make()
		wantProblem(t, err, CodeInvalidCredential)
		if key != nil {
			t.Errorf("%s: there is a key all the same", name)
		}
	}
	client, err := NewMessageSignature("acme", nil)
	wantProblem(t, err, CodeInvalidCredential)
	if client != nil {
		t.Error("there is a client without a key")
	}
}

func TestNothingPrintsAPrivateKey(t *testing.T) {
	key := newECDSA(t, elliptic.P256())
	parsed, err := ParsePrivateKey(pemOf(t, key))
	if err != nil {
		t.Fatal(err)
	}
	message := newMessageClient(t, parsed)
	tokens, err := NewPrivateKeyJWT("acme-2026", parsed, "https://a.example/oauth2/token")
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []*Client{message, tokens} {
		text := everyPrint(client) + fmt.Sprintf("%v %+v %#v %s %x", parsed, parsed, parsed, parsed, parsed) +
			fmt.Sprintf("%+v", *parsed)
		if !strings.Contains(text, redacted) || !strings.Contains(text, "acme-2026") {
			t.Error("[secret] or the App Key is nowhere")
		}
		for _, form := range []string{
			key.D.String(), fmt.Sprintf("%x", key.D), fmt.Sprintf("%X", key.D), fmt.Sprint(key.D.Bytes()),
		} {
			if strings.Contains(text, strings.Trim(form, "[]")) {
				t.Errorf("%s: the private key is printed", client.Method())
			}
		}
	}
}
