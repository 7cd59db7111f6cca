// Package publickey verifies signatures with what Go's standard library has.
package publickey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"math/big"
)

// Names of the algorithms in RFC 9421 §3.3.
const (
	Ed25519 = "ed25519"
	P256    = "ecdsa-p256-sha256"
	PSS     = "rsa-pss-sha512"
)

const coordinateBytes = 32

// Key is a public key that a partner signs with.
type Key struct {
	// Algorithm is the one that goes with the key.
	Algorithm string
	public    crypto.PublicKey
}

// Parse reads a SubjectPublicKeyInfo in DER; false for a key of another kind.
func Parse(der []byte) (Key, bool) {
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return Key{}, false
	}
	switch key := public.(type) {
	case ed25519.PublicKey:
		return Key{Ed25519, key}, true
	case *ecdsa.PublicKey:
		return Key{P256, key}, key.Curve == elliptic.P256()
	case *rsa.PublicKey:
		return Key{PSS, key}, true
	}
	return Key{}, false
}

// Verify says whether a signature is right; one of P-256 is r and s.
func (k Key) Verify(message, signature []byte) bool {
	switch key := k.public.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(key, message, signature)
	case *ecdsa.PublicKey:
		if len(signature) != 2*coordinateBytes {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:coordinateBytes]), new(big.Int).SetBytes(signature[coordinateBytes:])
		hash := sha256.Sum256(message)
		return ecdsa.Verify(key, hash[:], r, s)
	case *rsa.PublicKey:
		hash := sha512.Sum512(message)
		return rsa.VerifyPSS(key, crypto.SHA512, hash[:], signature, nil) == nil
	}
	return false
}
