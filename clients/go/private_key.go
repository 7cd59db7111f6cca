package postern

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256" // for crypto.SHA256
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"slices"
)

// SignatureAlgorithm says how a private key signs.
type SignatureAlgorithm string

// The algorithms that the gateway takes, by the names of RFC 9421 §3.3 where it has one. Which of them counts follows
// from the key, but for RSA: RSAPSSSHA512 is the default of method http-message-signature, RSAPSSSHA256 that of
// private-key-jwt, and the operator of the API says where RSAv15SHA256 is allowed.
const (
	Ed25519         SignatureAlgorithm = "ed25519"           // EdDSA in an assertion
	ECDSAP256SHA256 SignatureAlgorithm = "ecdsa-p256-sha256" // ES256
	ECDSAP384SHA384 SignatureAlgorithm = "ecdsa-p384-sha384" // ES384
	RSAPSSSHA512    SignatureAlgorithm = "rsa-pss-sha512"    // PS512
	RSAPSSSHA256    SignatureAlgorithm = "rsa-pss-sha256"    // PS256; only for private-key-jwt
	RSAv15SHA256    SignatureAlgorithm = "rsa-v1_5-sha256"   // RS256
)

// keyAlgorithm is what a SignatureAlgorithm stands for.
type keyAlgorithm struct {
	jwt          string            // the alg of RFC 7518 and RFC 8037
	options      crypto.SignerOpts // for crypto.Signer
	fewest, most int               // bytes of a signature
	isECDSA      bool              // may come as ASN.1
}

var keyAlgorithms = map[SignatureAlgorithm]keyAlgorithm{
	Ed25519:         {"EdDSA", crypto.Hash(0), 64, 64, false},
	ECDSAP256SHA256: {"ES256", crypto.SHA256, 64, 64, true},
	ECDSAP384SHA384: {"ES384", crypto.SHA384, 96, 96, true},
	RSAPSSSHA512:    {"PS512", saltAsLongAs(crypto.SHA512), minRSABits / 8, maxRSABits / 8, false},
	RSAPSSSHA256:    {"PS256", saltAsLongAs(crypto.SHA256), minRSABits / 8, maxRSABits / 8, false},
	RSAv15SHA256:    {"RS256", crypto.SHA256, minRSABits / 8, maxRSABits / 8, false},
}

func saltAsLongAs(hash crypto.Hash) *rsa.PSSOptions {
	return &rsa.PSSOptions{SaltLength: hash.Size(), Hash: hash}
}

// PrivateKey is a key that signs requests and client assertions, or what asks for signatures where the key is, such as
// a KMS or an HSM. Make one with [ParsePrivateKey], [NewSignerKey] or [NewFuncKey]. It is safe for concurrent use when
// what it asks is. It is printed as [secret].
type PrivateKey struct {
	algorithms []SignatureAlgorithm
	sign       func(ctx context.Context, algorithm SignatureAlgorithm, message []byte) ([]byte, error)
}

// NewSignerKey makes a key of a crypto.Signer, as libraries for a KMS, an HSM or a smart card give them: an Ed25519
// key, an ECDSA key on P-256 or P-384, or an RSA key of 2048 to 8192 bits. It does not take the key out of it.
//
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewSignerKey(signer crypto.Signer) (*PrivateKey, error) {
	if signer == nil {
		return nil, invalid("there is no private key")
	}
	algorithms, err := algorithmsOf(signer.Public())
	if err != nil {
		return nil, err
	}
	sign := func(_ context.Context, algorithm SignatureAlgorithm, message []byte) ([]byte, error) {
		options := keyAlgorithms[algorithm].options
		if hash := options.HashFunc(); hash != 0 {
			hashed := hash.New()
			hashed.Write(message)
			message = hashed.Sum(nil)
		}
		return signer.Sign(rand.Reader, message, options)
	}
	return &PrivateKey{algorithms, sign}, nil
}

// NewFuncKey makes a key of a function that signs, for example by a call of a KMS. The function gets the message, not a
// hash of it, and gives its signature by this algorithm; of ECDSA in ASN.1, or as r and s of equal length. It is called
// once for each attempt, with the context of the request. When it fails, or gives what cannot be a signature, nothing
// is sent, and the error of the call is a *[Problem] with the code SIGNER_FAILED that wraps the one of the function.
//
// The error is a *[Problem] with the code INVALID_CREDENTIAL.
func NewFuncKey(
	algorithm SignatureAlgorithm, sign func(ctx context.Context, message []byte) ([]byte, error),
) (*PrivateKey, error) {
	if _, known := keyAlgorithms[algorithm]; !known {
		return nil, invalid("the algorithm of the private key is not one that the gateway takes")
	}
	if sign == nil {
		return nil, invalid("the function that signs is nil")
	}
	return &PrivateKey{
		[]SignatureAlgorithm{algorithm},
		func(ctx context.Context, _ SignatureAlgorithm, message []byte) ([]byte, error) {
			return sign(ctx, message)
		},
	}, nil
}

// choose gives the algorithm that is wanted, or else the first of a method's that the key has. It returns a *Problem.
func (k *PrivateKey) choose(wanted SignatureAlgorithm, ofMethod []SignatureAlgorithm) (SignatureAlgorithm, error) {
	for _, each := range ofMethod {
		if slices.Contains(k.algorithms, each) && (wanted == "" || wanted == each) {
			return each, nil
		}
	}
	return "", invalid("the private key does not sign with an algorithm that goes with this method")
}

// String shows the algorithm and no key.
func (k *PrivateKey) String() string {
	if k == nil || len(k.algorithms) == 0 {
		return "postern.PrivateKey{}"
	}
	return "postern.PrivateKey{algorithm: " + string(k.algorithms[0]) + ", key: " + redacted + "}"
}

// Format prints [PrivateKey.String] for every verb of package fmt.
func (k *PrivateKey) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, k.String()) }

// LogValue is [PrivateKey.String], for package log/slog.
func (k *PrivateKey) LogValue() slog.Value { return slog.StringValue(k.String()) }

// signature is that of a message as RFC 9421 and RFC 7515 want it: of ECDSA, r and s. It returns a *Problem.
func (k *PrivateKey) signature(ctx context.Context, algorithm SignatureAlgorithm, message []byte) ([]byte, error) {
	signature, err := k.sign(ctx, algorithm, message)
	if err != nil {
		return nil, &Problem{CodeSignerFailed, "the private key did not sign: " + err.Error(), err}
	}
	known := keyAlgorithms[algorithm]
	if known.isECDSA && len(signature) != known.most {
		signature = joinedNumbers(signature, known.most/2)
	}
	if len(signature) < known.fewest || len(signature) > known.most {
		return nil, problem(CodeSignerFailed, "what the private key gave is no signature of "+string(algorithm))
	}
	return signature, nil
}

// joinedNumbers turns the ASN.1 of an ECDSA signature into r and s, each of this many bytes; nil for what is none.
// encoding/asn1 would take longer than all else here but the signature itself.
func joinedNumbers(der []byte, size int) []byte {
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 {
		return nil
	}
	joined := make([]byte, 2*size)
	rest := der[2:]
	for end := size; end <= 2*size; end += size {
		if len(rest) < 3 || rest[0] != 0x02 || rest[1] == 0 || int(rest[1]) > len(rest)-2 || rest[2] > 0x7f {
			return nil
		}
		number := bytes.TrimLeft(rest[2:2+int(rest[1])], "\x00")
		rest = rest[2+int(rest[1]):]
		if len(number) > size {
			return nil
		}
		copy(joined[end-len(number):end], number)
	}
	if len(rest) > 0 {
		return nil
	}
	return joined
}

const (
	minRSABits     = 2048
	maxRSABits     = 8192
	minRSAExponent = 65537
)

// algorithmsOf are those that the gateway takes of a key.
func algorithmsOf(public crypto.PublicKey) ([]SignatureAlgorithm, error) {
	switch key := public.(type) {
	case ed25519.PublicKey:
		return []SignatureAlgorithm{Ed25519}, nil
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return []SignatureAlgorithm{ECDSAP256SHA256}, nil
		case elliptic.P384():
			return []SignatureAlgorithm{ECDSAP384SHA384}, nil
		}
		return nil, invalid("the private key is on a curve that the gateway does not take; P-256 and P-384 it takes")
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return nil, invalid(fmt.Sprintf("the RSA key has %d bits; the gateway takes 2048 to 8192", bits))
		}
		if key.E < minRSAExponent {
			return nil, invalid("the exponent of the RSA key is below 65537")
		}
		return []SignatureAlgorithm{RSAPSSSHA512, RSAPSSSHA256, RSAv15SHA256}, nil
	}
	return nil, invalid("the private key is not of a kind that the gateway takes: Ed25519, P-256, P-384 or RSA")
}

func bigOf(bytes []byte) *big.Int { return new(big.Int).SetBytes(bytes) }
