package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Head is the beginning of an HTTP/1.1 message, as far as the programs here look at it.
type Head struct {
	StartLine     string
	ContentLength int
	// Identity headers that the service under measurement set, in the order received.
	Identity []string
}

const contentLength = "content-length: "

// ReadHead reads up to the empty line. It takes header names as Envoy writes them: in lower case, with one blank after
// the colon; and only bodies with a content-length.
func ReadHead(reader *bufio.Reader) (Head, error) {
	var head Head
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return head, err
		}
		line = bytes.TrimSuffix(line, []byte("\r\n"))
		switch text := string(line); {
		case head.StartLine == "":
			head.StartLine = text
		case text == "":
			return head, nil
		case strings.HasPrefix(text, contentLength):
			if head.ContentLength, err = strconv.Atoi(text[len(contentLength):]); err != nil {
				return head, err
			}
		case strings.HasPrefix(text, "transfer-encoding"):
			return head, fmt.Errorf("a body without a length: %q", text)
		case strings.HasPrefix(text, "x-consumer-"), strings.HasPrefix(text, "x-credential-"):
			head.Identity = append(head.Identity, text)
		}
	}
}
