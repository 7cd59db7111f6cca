// Answers one question a line, as ../README.md says.
package main

import (
	"bufio"
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
)

type question struct {
	ID       json.RawMessage `json:"id"`
	Op       string          `json:"op"`
	Library  string          `json:"library"`
	HTTP     string          `json:"http"`
	CA       string          `json:"ca"`
	KeyID    string          `json:"keyid"`
	Covers   []string        `json:"covers"`
	ClientID string          `json:"clientId"`
	TokenURL string          `json:"tokenUrl"`
	Times    int             `json:"times"`
	Key      struct {
		Algorithm string `json:"algorithm"`
		PEM       string `json:"pem"`
	} `json:"key"`
	Request struct {
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers [][2]string `json:"headers"`
		Body    *string     `json:"body"`
	} `json:"request"`
}

type answer map[string]any

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		given, err := answer(nil), json.Unmarshal(lines.Bytes(), &asked)
		if err == nil {
			given, err = answerTo(&asked)
		}
		if err != nil {
			given = answer{"error": err.Error()}
		}
		given["id"] = asked.ID
		text, err := json.Marshal(given)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}

func answerTo(asked *question) (answer, error) {
	switch asked.Op {
	case "describe":
		return answer{"signers": names(signers), "tokenClients": names(tokenClients)}, nil
	case "sign":
		if sign, ok := signers[asked.Library]; ok {
			return sign(asked)
		}
	case "token":
		if ask, ok := tokenClients[asked.Library]; ok {
			return ask(asked)
		}
	}
	return nil, fmt.Errorf("nothing answers %s %s", asked.Op, asked.Library)
}

func names(programs map[string]func(*question) (answer, error)) []string {
	return slices.Sorted(maps.Keys(programs))
}

func (asked *question) privateKey() (crypto.PrivateKey, error) {
	block, _ := pem.Decode([]byte(asked.Key.PEM))
	if block == nil {
		return nil, errors.New("no PEM")
	}
	return x509.ParsePKCS8PrivateKey(block.Bytes)
}

// transport trusts the authority, and speaks one version of HTTP.
func (asked *question) transport() (*http.Transport, error) {
	authority, err := os.ReadFile(asked.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(asked.HTTP != "2")
	protocols.SetHTTP2(asked.HTTP == "2")
	return &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		Protocols:         protocols,
		DisableKeepAlives: asked.HTTP != "2",
	}, nil
}

func (asked *question) request() (*http.Request, error) {
	var body io.Reader
	if asked.Request.Body != nil {
		body = bytes.NewReader([]byte(*asked.Request.Body))
	}
	request, err := http.NewRequest(asked.Request.Method, asked.Request.URL, body)
	if err != nil {
		return nil, err
	}
	for _, field := range asked.Request.Headers {
		request.Header.Add(field[0], field[1])
	}
	return request, nil
}

// recorder keeps the header of the request as it was sent.
type recorder struct {
	base *http.Transport
	sent http.Header
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.sent = request.Header
	return r.base.RoundTrip(request)
}

func read(response *http.Response, sent http.Header) (answer, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	fields := [][2]string{}
	for name, values := range response.Header {
		for _, value := range values {
			fields = append(fields, [2]string{name, value})
		}
	}
	var input any
	if value := sent.Get("Signature-Input"); value != "" {
		input = value
	}
	return answer{"status": response.StatusCode, "headers": fields, "body": string(body), "signatureInput": input}, nil
}
