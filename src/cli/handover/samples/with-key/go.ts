import { literal } from '../language.ts';
import { BODY_TYPE, type KeyCall, type KeyLanguage, tagText } from './key-call.ts';

function program(call: KeyCall): string {
  const { http, body, coversType } = call;
  const ofBody =
    body === null
      ? []
      : [
          '\tdigest := sha256.Sum256(body)',
          '\tcontentDigest := "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"',
          '\trequest.Header.Set("Content-Digest", contentDigest)',
          `\trequest.Header.Set("Content-Type", "${BODY_TYPE}")`,
          '\tvalues = append(values, [2]string{"content-digest", contentDigest})',
          ...(coversType ? [`\tvalues = append(values, [2]string{"content-type", "${BODY_TYPE}"})`] : []),
        ];
  return `package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func sign(key any, base []byte) ([]byte, error) {
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return ed25519.Sign(key, base), nil
	case *ecdsa.PrivateKey:
		size := (key.Params().BitSize + 7) / 8
		sum256, sum384 := sha256.Sum256(base), sha512.Sum384(base)
		hash := sum256[:]
		if size == 48 {
			hash = sum384[:]
		}
		r, s, err := ecdsa.Sign(rand.Reader, key, hash)
		if err != nil {
			return nil, err
		}
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...), nil
	case *rsa.PrivateKey:
		hash := sha512.Sum512(base)
		return rsa.SignPSS(rand.Reader, key, crypto.SHA512, hash[:], &rsa.PSSOptions{SaltLength: 64})
	}
	return nil, fmt.Errorf("a key of another kind")
}

func run() error {
	text, err := os.ReadFile(os.Getenv("PRIVATE_KEY_FILE"))
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("PRIVATE_KEY_FILE is not PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	body := []byte(${literal(body ?? '')})
	request, err := http.NewRequest(${literal(http)}, os.Getenv("POSTERN_URL"), bytes.NewReader(body))
	if err != nil {
		return err
	}
	values := [][2]string{
		{"@method", request.Method},
		{"@authority", strings.ToLower(request.URL.Host)},
		{"@path", request.URL.EscapedPath()},
		{"@query", "?" + request.URL.RawQuery},
	}
${ofBody.map((line) => `${line}\n`).join('')}	names, base := []string{}, ""
	for _, value := range values {
		names = append(names, fmt.Sprintf("%q", value[0]))
		base += fmt.Sprintf("%q: %s\\n", value[0], value[1])
	}
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	input := fmt.Sprintf("(%s);created=%d;keyid=\\"%s\\";nonce=\\"%x\\"%s", strings.Join(names, " "), time.Now().Unix(), os.Getenv("APP_KEY"), nonce, ${literal(tagText(call))})
	signature, err := sign(key, []byte(base+"\\"@signature-params\\": "+input))
	if err != nil {
		return err
	}
	request.Header.Set("Signature-Input", "sig1="+input)
	request.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(signature)+":")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(content))
	if err == nil && answer.StatusCode >= 400 {
		return fmt.Errorf("refused")
	}
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`;
}

/** Samples in Go, with the standard library. */
export const goWithKey: KeyLanguage = {
  title: 'Go',
  fence: 'go',
  programName: 'first_call.go',
  program,
  projectFiles: [],
  install: [],
  run: 'go run first_call.go',
};
