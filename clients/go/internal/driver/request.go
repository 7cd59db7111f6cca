package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	postern "github.com/postern-gateway/postern/clients/go"
)

const sendTimeout = 5 * time.Minute

type requestSettings struct {
	Method  string        `json:"method"`
	URL     string        `json:"url"`
	Headers [][2]string   `json:"headers"`
	Body    *bodySettings `json:"body"`
	Once    bool          `json:"once"`
}

type bodySettings struct {
	Text   *string `json:"text"`
	Base64 *string `json:"base64"`
	Repeat *string `json:"repeat"`
	Times  int     `json:"times"`
	Once   bool    `json:"once"`
}

func (b *bodySettings) bytes() ([]byte, error) {
	switch {
	case b.Text != nil:
		return []byte(*b.Text), nil
	case b.Base64 != nil:
		return base64.StdEncoding.DecodeString(*b.Base64)
	case b.Repeat != nil && b.Times >= 0:
		return bytes.Repeat([]byte(*b.Repeat), b.Times), nil
	}
	return nil, errors.New("the body is not understood")
}

// request makes a request as a user would.
func (s *requestSettings) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if s.Body != nil {
		raw, err := s.Body.bytes()
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
		if s.Once || s.Body.Once {
			body = struct{ io.Reader }{body} // net/http cannot read it a second time
		}
	}
	request, err := http.NewRequestWithContext(ctx, s.Method, s.URL, body)
	if err != nil {
		return nil, err
	}
	for _, header := range s.Headers {
		if strings.EqualFold(header[0], "Host") {
			request.Host = header[1]
			continue
		}
		request.Header.Add(header[0], header[1])
	}
	return request, nil
}

func (c *credential) sign(asked *question) answer {
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	request, err := asked.Request.request(ctx)
	if err != nil {
		return failure(err)
	}
	transport := &postern.Transport{Client: c.client, Base: c.bases["1.1"]}
	var signed *http.Request
	if asked.AcceptSignature == nil {
		signed, err = transport.Sign(request)
	} else {
		signed, err = transport.SignAgain(request, *asked.AcceptSignature)
	}
	if err != nil {
		return failure(err)
	}
	if signed == nil {
		return answer{"signed": nil}
	}
	var body []byte
	if signed.Body != nil {
		if body, err = io.ReadAll(signed.Body); err != nil {
			return failure(err)
		}
	}
	headers := append(pairs(signed.Header), [2]string{"Host", signed.Host})
	return answer{"signed": answer{
		"method": signed.Method, "url": signed.URL.String(), "headers": headers,
		"body": base64.StdEncoding.EncodeToString(body),
	}}
}

func (c *credential) assertion() answer {
	made, err := c.client.Assertion(context.Background())
	if err != nil {
		return failure(err)
	}
	return answer{"assertion": made}
}

func (c *credential) send(asked *question) answer {
	base, known := c.bases[asked.HTTP]
	if !known || asked.Adapter != "" && asked.Adapter != adapterName {
		return answer{"error": "this adapter or version of HTTP is not known"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	request, err := asked.Request.request(ctx)
	if err != nil {
		return failure(err)
	}
	client := &http.Client{Transport: &postern.Transport{Client: c.client, Base: base}}
	response, err := client.Do(request)
	if err != nil {
		return failure(err)
	}
	defer response.Body.Close()
	refusal := postern.RefusalOf(response)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return failure(err)
	}
	version := "1.1"
	if response.ProtoMajor == 2 {
		version = "2"
	}
	return answer{
		"response": answer{
			"status": response.StatusCode, "http": version, "headers": pairs(response.Header),
			"body": base64.StdEncoding.EncodeToString(body),
		},
		"refusal": shown(refusal),
	}
}

func shown(refusal *postern.Refusal) any {
	if refusal == nil {
		return nil
	}
	result := answer{
		"status": refusal.Status, "code": refusal.Code, "message": refusal.Message, "requestId": requestID(refusal),
		"retryAfter": nil, "stringToSign": nil, "acceptedBefore": refusal.AcceptedBefore(),
	}
	if wait, given := refusal.RetryAfter(); given {
		result["retryAfter"] = int64(wait / time.Second)
	}
	if refusal.StringToSign != "" {
		result["stringToSign"] = refusal.StringToSign
	}
	return result
}

func failure(err error) answer {
	var problem *postern.Problem
	if errors.As(err, &problem) {
		return answer{"problem": answer{"code": problem.Code, "message": problem.Message}}
	}
	return answer{"error": err.Error()}
}

func pairs(header http.Header) [][2]string {
	list := [][2]string{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

func requestID(refusal *postern.Refusal) any {
	if refusal.RequestID == "" {
		return nil
	}
	return refusal.RequestID
}
