// Command authz answers Envoy's external authorization calls on grpc-go, as something to measure Postern against.
//
//	authz -mode empty|open
//	authz -mode key|hmac|parameters|message-signature -credentials FILE
//
// It answers Envoy's health checks too. It listens on a free port of the loopback address and prints "listening PORT".
package main

import (
	"flag"
	"fmt"
	"log"
	"net"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// As in Postern: a body of 10 MiB and what surrounds it.
const maxMessageBytes = 12 << 20

func main() {
	mode := flag.String("mode", "empty", "empty: allow everything; others: check as Postern does on such an endpoint")
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
	healthService := health.NewServer()
	healthService.SetServingStatus(authv3.Authorization_ServiceDesc.ServiceName, healthv1.HealthCheckResponse_SERVING)
	healthv1.RegisterHealthServer(server, healthService)
	fmt.Printf("listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(server.Serve(listener))
}

func newService(mode, credentials string) (authv3.AuthorizationServer, error) {
	switch mode {
	case "empty":
		return emptyService{}, nil
	case "open":
		return openService{}, nil
	}
	known, err := readDirectory(credentials)
	switch mode {
	case "key":
		return &keyService{directory: known}, err
	case "hmac":
		return &hmacService{directory: known}, err
	case "parameters":
		return &parametersService{directory: known}, err
	case "message-signature":
		return &messageSignatureService{directory: known}, err
	}
	return nil, fmt.Errorf("there is no -mode %q", mode)
}
