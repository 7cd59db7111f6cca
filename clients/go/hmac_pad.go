package postern

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// notepad is what a signature is computed with. It is kept, because preparing the key takes as long as using it.
type notepad struct {
	mac  hash.Hash
	text []byte
	sum  [sha512.Size]byte
}

func (s *hmacSigner) pad() *notepad {
	if pad, ok := s.pads.Get().(*notepad); ok && cap(pad.text) <= maxKeptText {
		return pad
	}
	return &notepad{mac: hmac.New(algorithms[s.algorithm], []byte(s.secret())), text: make([]byte, 0, 512)}
}

// maxKeptText is the largest string to sign whose room is used again, in bytes.
const maxKeptText = 16_384

// enclosed writes bytes in base64 between two texts.
func enclosed(before string, content []byte, after string) string {
	var text strings.Builder
	text.Grow(len(before) + base64.StdEncoding.EncodedLen(len(content)) + len(after))
	text.WriteString(before)
	var encoded [4 * (sha512.Size + 2) / 3]byte
	base64.StdEncoding.Encode(encoded[:], content)
	text.Write(encoded[:base64.StdEncoding.EncodedLen(len(content))])
	text.WriteString(after)
	return text.String()
}

// lastDate keeps the text of the last second, since many requests share one.
type lastDate struct{ last atomic.Pointer[datedText] }

type datedText struct {
	seconds int64
	text    string
}

func (d *lastDate) text(seconds int64) string {
	last := d.last.Load()
	if last == nil || last.seconds != seconds {
		last = &datedText{seconds, time.Unix(seconds, 0).UTC().Format(http.TimeFormat)}
		d.last.Store(last)
	}
	return last.text
}
