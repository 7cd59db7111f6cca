package postern_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
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
