// Command backend is what Envoy forwards to: it answers every HTTP/1.1 request with 200 and what it saw of it, as text:
// the request line, the identity headers, the length of the body.
//
// It listens on a free port of the loopback address and prints "listening PORT".
package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"strings"

	"postern/bench/peers/wire"
)

const bufferBytes = 64 << 10

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	for {
		socket, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go serve(socket)
	}
}

// serve answers one request after the other; a connection that ends or sends anything else is closed.
func serve(socket net.Conn) {
	defer socket.Close()
	reader := bufio.NewReaderSize(socket, bufferBytes)
	for {
		head, err := wire.ReadHead(reader)
		if err != nil {
			return
		}
		if _, err := reader.Discard(head.ContentLength); err != nil {
			return
		}
		seen := fmt.Sprintf("%s\n%s\n%d\n", head.StartLine, strings.Join(head.Identity, "\n"), head.ContentLength)
		_, err = fmt.Fprintf(socket, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%s", len(seen), seen)
		if err != nil {
			return
		}
	}
}
