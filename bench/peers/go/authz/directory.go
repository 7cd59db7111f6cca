package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"postern/bench/peers/publickey"
)

// credential is one entry of the -credentials file.
type credential struct {
	ID        string `json:"id"`
	AppKey    string `json:"appKey"`
	AppSecret string `json:"appSecret"`
	Consumer  string `json:"consumer"`
	Name      string `json:"name"`
	// A SubjectPublicKeyInfo, of partners who sign with a private key.
	PublicKey []byte `json:"publicKey"`
	key       publickey.Key
}

// directory is what the checks know of callers: credentials by the hash of their App Key.
type directory struct {
	credentials map[[sha256.Size]byte]*credential
}

// Ids of the endpoints that the bench asks for, by their path prefix (bench/fixtures/document.ts).
var endpoints = map[string]string{
	"/status":     "status",
	"/orders":     "orders",
	"/signed":     "signed",
	"/parameters": "parameters",
	"/message":    "message",
}

func readDirectory(path string) (directory, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return directory{}, err
	}
	var list []*credential
	if err := json.Unmarshal(text, &list); err != nil {
		return directory{}, fmt.Errorf("%s: %w", path, err)
	}
	read := directory{make(map[[sha256.Size]byte]*credential, len(list))}
	for _, each := range list {
		if each.PublicKey != nil {
			var known bool
			if each.key, known = publickey.Parse(each.PublicKey); !known {
				return directory{}, fmt.Errorf("%s: a public key of a kind that is not known", path)
			}
		}
		read.credentials[sha256.Sum256([]byte(each.AppKey))] = each
	}
	return read, nil
}

func findEndpoint(path string) (string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if endpoint, found := endpoints[path[:end]]; found {
			return endpoint, true
		}
	}
	return "", false
}
