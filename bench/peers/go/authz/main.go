// Command authz answers Envoy's external authorization calls on grpc-go, as something to measure Postern against.
//
//	authz -mode empty
//	authz -mode key -credentials FILE
//	authz -mode hmac -credentials FILE
//
// It listens on a free port of the loopback address and prints "listening PORT".
package main

import (
	"flag"
	"fmt"
	"log"
	"net"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc"
)

// As in Postern: a body of 10 MiB and what surrounds it.
const maxMessageBytes = 12 << 20

func main() {
	mode := flag.String("mode", "empty", "empty: allow everything; key: look App Keys up; hmac: verify signatures")
	credentials := flag.String("credentials", "", "JSON file with the credentials of the other modes")
	flag.Parse()
	service, err := newService(*mode, *credentials)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes))
	authv3.RegisterAuthorizationServer(server, service)
	fmt.Printf("listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(server.Serve(listener))
}

func newService(mode, credentials string) (authv3.AuthorizationServer, error) {
	switch mode {
	case "empty":
		return emptyService{}, nil
	case "key":
		known, err := readDirectory(credentials, map[string]string{"/orders": "orders"})
		return &keyService{directory: known}, err
	case "hmac":
		known, err := readDirectory(credentials, map[string]string{"/signed": "signed"})
		return &hmacService{directory: known}, err
	}
	return nil, fmt.Errorf("there is no -mode %q", mode)
}
