// Command speed answers the questions of ../../../tools/speed.mjs.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log"
	"net/http"
	"os"
	"syscall"

	postern "github.com/postern-gateway/postern/clients/go"
)

const (
	appKey    = "3f0c9a1be27d4856"
	appSecret = "an App Secret of 32 characters .."
)

var body = bytes.Repeat([]byte("a"), 200)

func main() {
	text := os.Getenv("PRIVATE_KEY")
	private := must(postern.ParsePrivateKey(text))
	byHMAC := postern.Must(postern.NewHMAC(appKey, appSecret))
	byKey := postern.Must(postern.NewMessageSignature(appKey, private))
	request := must(http.NewRequest(http.MethodPost, "https://api.example.com/orders?page=2", bytes.NewReader(body)))
	request.Header.Set("Content-Type", "application/json")

	block, _ := pem.Decode([]byte(text))
	key := must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*ecdsa.PrivateKey)
	toSign, base := make([]byte, 170), make([]byte, 330) // as long as what the clients sign
	hashes := func() {
		sha256.Sum256(body)
		mac := hmac.New(sha256.New, []byte(appSecret))
		mac.Write(toSign)
		mac.Sum(nil)
	}
	signature := func() {
		hash := sha256.Sum256(base)
		must(ecdsa.SignASN1(rand.Reader, key, hash[:]))
	}

	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var method string
		var count int
		must(fmt.Sscanf(lines.Text(), "%s %d", &method, &count))
		bare, client := hashes, byHMAC
		if method == "p256" {
			bare, client = signature, byKey
		}
		fmt.Println(timed(count, bare), timed(count, func() { must(client.Sign(request)) }))
	}
}

// timed is the CPU time of something that is done so many times, in nanoseconds.
func timed(count int, run func()) int64 {
	start := cpuTime()
	for done := 0; done < count; done++ {
		run()
	}
	return cpuTime() - start
}

func cpuTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
