package postern_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	postern "github.com/postern-gateway/postern/clients/go"
)

func ExampleNewHMAC() {
	client, err := postern.NewHMAC(os.Getenv("APP_KEY"), os.Getenv("APP_SECRET"), postern.WithSignedHeaders("host"))
	if err != nil {
		log.Fatal(err)
	}
	invoice := strings.NewReader(`{"amount":12}`)
	response, err := client.HTTPClient().Post("https://api.example.com/invoices", "application/json", invoice)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
}

func ExampleNewMessageSignature() {
	pem, err := os.ReadFile("key.pem")
	if err != nil {
		log.Fatal(err)
	}
	key, err := postern.ParsePrivateKey(string(pem))
	if err != nil {
		log.Fatal(err)
	}
	client := postern.Must(postern.NewMessageSignature(os.Getenv("APP_KEY"), key, postern.WithCoverAlso("content-type")))
	response, err := client.HTTPClient().Get("https://api.example.com/orders")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
}

func ExampleNewFuncKey() {
	// A program of yours that has the key, and writes the signature of what it reads.
	key, err := postern.NewFuncKey(postern.ECDSAP256SHA256, func(ctx context.Context, message []byte) ([]byte, error) {
		program := exec.CommandContext(ctx, "sign-with-hsm")
		program.Stdin = bytes.NewReader(message)
		return program.Output()
	})
	if err != nil {
		log.Fatal(err)
	}
	client := postern.Must(postern.NewPrivateKeyJWT("acme-2026", key, "https://api.example.com/oauth2/token"))
	fmt.Println(client.Method())
	// Output: private-key-jwt
}

func ExampleTransport() {
	client, err := postern.NewOAuth2(os.Getenv("APP_KEY"), os.Getenv("APP_SECRET"), "https://api.example.com/oauth2/token")
	if err != nil {
		log.Fatal(err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = 20
	httpClient := &http.Client{Timeout: 30 * time.Second, Transport: &postern.Transport{Client: client, Base: base}}
	response, err := httpClient.Get("https://api.example.com/stock")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
}

func ExampleRefusalOf() {
	client, err := postern.NewKey(os.Getenv("APP_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.HTTPClient().Get("https://api.example.com/orders")
	var problem *postern.Problem
	if errors.As(err, &problem) {
		log.Fatal(problem.Code) // nothing was sent
	} else if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if refusal := postern.RefusalOf(response); refusal != nil {
		log.Fatal(refusal)
	}
	fmt.Println(response.Status)
}

func ExampleEncodeParameters() {
	fmt.Println(postern.EncodeParameters([][2]string{{"to", "Köln 1"}, {"weight", "2 kg"}}))
	// Output: to=K%C3%B6ln%201&weight=2%20kg
}
