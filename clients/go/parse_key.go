package postern

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
)

// ParsePrivateKey reads a private key: PEM of PKCS #8, as openssl genpkey writes it, or a JWK (RFC 7517). It takes
// Ed25519, P-256, P-384, and RSA of 2048 to 8192 bits.
//
// The error is a *[Problem] with the code INVALID_CREDENTIAL, and says nothing of the key.
func ParsePrivateKey(text string) (*PrivateKey, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil, invalid("the private key is empty")
	}
	var signer crypto.Signer
	var err error
	if trimmed[0] == '{' {
		signer, err = parseJWK(trimmed)
	} else {
		signer, err = parsePEM(trimmed)
	}
	if err != nil {
		return nil, err
	}
	return NewSignerKey(signer)
}

func parsePEM(text string) (crypto.Signer, error) {
	block, rest := pem.Decode([]byte(text))
	switch {
	case block == nil || !strings.HasPrefix(text, "-----BEGIN "):
		return nil, invalid("the private key is neither PEM nor a JWK, with nothing before or after it")
	case strings.TrimSpace(string(rest)) != "":
		return nil, invalid("the PEM of the private key has something after its first block")
	case block.Type == "ENCRYPTED PRIVATE KEY" || len(block.Headers) > 0:
		return nil, invalid("the private key is encrypted; decrypt it: openssl pkcs8 -topk8 -nocrypt -in KEY.pem")
	case block.Type == "RSA PRIVATE KEY" || block.Type == "EC PRIVATE KEY":
		return nil, invalid("the private key is not PKCS #8; convert it: openssl pkcs8 -topk8 -nocrypt -in KEY.pem")
	case block.Type != "PRIVATE KEY":
		return nil, invalid("the PEM holds no private key")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		// What the library says may quote the key.
		return nil, invalid("the private key is not PKCS #8 of a kind that the gateway takes")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, invalid("the private key is not of a kind that signs")
	}
	return signer, nil
}

// jwk has the members of a private key in base64url (RFC 7518 §6, RFC 8037 §2).
type jwk struct {
	Type   string `json:"kty"`
	Curve  string `json:"crv"`
	D      string `json:"d"`
	X      string `json:"x"`
	Y      string `json:"y"`
	N      string `json:"n"`
	E      string `json:"e"`
	P      string `json:"p"`
	Q      string `json:"q"`
	Others []any  `json:"oth"`
}

var errNoJWK = invalid("the private key is no JWK of a kind that the gateway takes: Ed25519, P-256, P-384 or RSA")

func parseJWK(text string) (crypto.Signer, error) {
	var key jwk
	if json.Unmarshal([]byte(text), &key) != nil || len(key.Others) > 0 {
		return nil, errNoJWK
	}
	if key.D == "" {
		return nil, invalid(`the JWK has no "d", so it is no private key`)
	}
	switch key.Type + " " + key.Curve {
	case "OKP Ed25519":
		return key.edwards()
	case "EC P-256":
		return key.curve(elliptic.P256(), ecdh.P256())
	case "EC P-384":
		return key.curve(elliptic.P384(), ecdh.P384())
	case "RSA ":
		return key.rsa()
	}
	return nil, errNoJWK
}

func (k *jwk) edwards() (crypto.Signer, error) {
	seed, public := decode(k.D), decode(k.X)
	if len(seed) != ed25519.SeedSize {
		return nil, errNoJWK
	}
	made := ed25519.NewKeyFromSeed(seed)
	if subtle.ConstantTimeCompare(public, made[ed25519.SeedSize:]) == 0 {
		return nil, errOtherKey
	}
	return made, nil
}

func (k *jwk) curve(curve elliptic.Curve, exchange ecdh.Curve) (crypto.Signer, error) {
	private, err := exchange.NewPrivateKey(decode(k.D))
	if err != nil {
		return nil, errNoJWK
	}
	x, y := decode(k.X), decode(k.Y)
	point := append(append([]byte{4}, x...), y...)
	if len(x) != len(y) || subtle.ConstantTimeCompare(point, private.PublicKey().Bytes()) == 0 {
		return nil, errOtherKey
	}
	return &ecdsa.PrivateKey{
		PublicKey: ecdsa.PublicKey{Curve: curve, X: bigOf(x), Y: bigOf(y)}, D: bigOf(private.Bytes()),
	}, nil
}

func (k *jwk) rsa() (crypto.Signer, error) {
	n, e, d, p, q := decode(k.N), decode(k.E), decode(k.D), decode(k.P), decode(k.Q)
	if n == nil || d == nil || p == nil || q == nil || len(e) == 0 || len(e) > 4 {
		return nil, errNoJWK
	}
	key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: bigOf(n), E: int(bigOf(e).Int64())}, D: bigOf(d)}
	key.Primes = append(key.Primes, bigOf(p), bigOf(q))
	if bits := key.N.BitLen(); bits < minRSABits || bits > maxRSABits {
		return key, nil // which NewSignerKey refuses in its own words
	}
	if key.Validate() != nil {
		return nil, errOtherKey
	}
	key.Precompute()
	return key, nil
}

var errOtherKey = invalid("the parts of the JWK are not those of one key")

// decode reads base64url without padding; nil for what is none.
func decode(text string) []byte {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return bytes
}
