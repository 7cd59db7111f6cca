package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// credential is one entry of the -credentials file.
type credential struct {
	ID        string `json:"id"`
	AppKey    string `json:"appKey"`
	AppSecret string `json:"appSecret"`
	Consumer  string `json:"consumer"`
	Name      string `json:"name"`
}

// directory is what the checks know: endpoints by their path, credentials by the hash of their App Key.
type directory struct {
	endpoints   map[string]string
	credentials map[[sha256.Size]byte]*credential
}

func readDirectory(path string, endpoints map[string]string) (directory, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return directory{}, err
	}
	var list []*credential
	if err := json.Unmarshal(text, &list); err != nil {
		return directory{}, fmt.Errorf("%s: %w", path, err)
	}
	read := directory{endpoints, make(map[[sha256.Size]byte]*credential, len(list))}
	for _, each := range list {
		read.credentials[sha256.Sum256([]byte(each.AppKey))] = each
	}
	return read, nil
}

func (d directory) findEndpoint(path string) (string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if endpoint, found := d.endpoints[path[:end]]; found {
			return endpoint, true
		}
	}
	return "", false
}
