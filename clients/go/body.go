package postern

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

const (
	mediaForm = "application/x-www-form-urlencoded"
	mediaJSON = "application/json"
)

// mediaType is a Content-Type, as far as a parameter signature needs it.
type mediaType struct {
	essence    string // in lower case, without parameters
	parameters string // what follows the first ";", that included
	count      int    // how often the header is there
}

func mediaTypeOf(header http.Header) mediaType {
	values := headerValues(header, "Content-Type")
	if len(values) == 0 {
		return mediaType{}
	}
	end := strings.IndexByte(values[0], ';')
	if end < 0 {
		end = len(values[0])
	}
	return mediaType{strings.ToLower(trimBlanks(values[0][:end])), values[0][end:], len(values)}
}

// check refuses what a parameter signature cannot cover.
func (m mediaType) check(header http.Header, body []byte) error {
	encodings := headerValues(header, "Content-Encoding")
	switch {
	case m.count > 1 || strings.Contains(m.essence+m.parameters, ","):
		return problem(CodeBodyNotSignable, "the request has more than one Content-Type")
	case m.essence != mediaForm && m.essence != mediaJSON:
		return problem(CodeBodyNotSignable, "the body is neither "+mediaForm+" nor "+mediaJSON)
	case !isUTF8(m.parameters):
		return problem(CodeBodyNotSignable, "the charset of the Content-Type is not UTF-8, or is not well formed")
	case len(encodings) > 1 || len(encodings) == 1 && !strings.EqualFold(trimBlanks(encodings[0]), "identity"):
		return problem(CodeBodyNotSignable, "the body has a Content-Encoding")
	case m.essence == mediaJSON && !utf8.Valid(body):
		return problem(CodeBodyNotSignable, "the JSON body is not UTF-8")
	}
	return nil
}

// isUTF8 reads the parameters of a media type as the gateway does. A quoted value has no backslash there.
func isUTF8(parameters string) bool {
	charsets := 0
	for rest := trimBlanks(parameters); rest != ""; rest = trimBlanks(rest) {
		if rest[0] != ';' {
			return false
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		if rest == "" || rest[0] == ';' {
			continue
		}
		name, after, found := strings.Cut(rest, "=")
		if !found || !isToken(name) {
			return false
		}
		value, remaining, right := mediaValue(after)
		if !right {
			return false
		}
		if strings.EqualFold(name, "charset") {
			charsets++
			if charset := strings.ToLower(value); charset != "utf-8" && charset != "utf8" {
				return false
			}
		}
		rest = remaining
	}
	return charsets < 2
}

func mediaValue(text string) (value, rest string, right bool) {
	if strings.HasPrefix(text, `"`) {
		value, rest, right = strings.Cut(text[1:], `"`)
		return value, rest, right && !strings.Contains(value, `\`)
	}
	end := strings.IndexAny(text, "; \t")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], isToken(text[:end])
}

func hasBody(request *http.Request) bool { return request.Body != nil && request.Body != http.NoBody }

// readBody reads a body whole, and closes it. Nothing is read of one that is known to be too large.
func readBody(ctx context.Context, body io.ReadCloser, length, limit int64) ([]byte, error) {
	if length > limit {
		_ = body.Close()
		return nil, tooLarge()
	}
	read, err := readUntil(ctx, body, length, limit)
	switch {
	case err != nil:
		return nil, err
	case int64(len(read)) > limit:
		return nil, tooLarge()
	case length > 0 && int64(len(read)) != length:
		return nil, errors.New("postern: the body does not have as many bytes as ContentLength says")
	}
	return read, nil
}

// readUntil reads a body, of a length that is known if above 0, up to a byte above the limit, and closes it. It returns
// when the context ends, also from a read that waits, for example of a pipe.
func readUntil(ctx context.Context, body io.ReadCloser, length, limit int64) ([]byte, error) {
	readAll := func() ([]byte, error) {
		read := make([]byte, 0, max(length, bytes.MinRead)+1)
		var err error
		for count := 0; err == nil && int64(len(read)) <= limit; read = read[:len(read)+count] {
			if len(read) == cap(read) {
				read = append(read, 0)[:len(read)]
			}
			count, err = body.Read(read[len(read):min(int64(cap(read)), limit+1)])
		}
		if err == io.EOF {
			err = nil
		}
		if closeErr := body.Close(); err == nil {
			err = closeErr
		}
		return read, err
	}
	if ctx.Done() == nil {
		return readAll()
	}
	type outcome struct {
		read []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		read, err := readAll()
		done <- outcome{read, err}
	}()
	select {
	case <-ctx.Done():
		_ = body.Close()
		return nil, ctx.Err()
	case result := <-done:
		return result.read, result.err
	}
}

func tooLarge() error {
	return problem(CodeBodyTooLarge, "the body is larger than the gateway takes for this method")
}

// setBody gives a request a body that can be read again.
func setBody(out *http.Request, body []byte) {
	out.ContentLength, out.TransferEncoding = int64(len(body)), nil
	out.GetBody = func() (io.ReadCloser, error) {
		if len(body) == 0 {
			return http.NoBody, nil
		}
		return io.NopCloser(bytes.NewReader(body)), nil
	}
	out.Body, _ = out.GetBody()
}
