package postern

import (
	"strconv"
	"strings"
	"sync"
)

const (
	// maxWrapperBytes is the largest JSON wrapper that the gateway takes, counted as it is sent.
	maxWrapperBytes = 2_097_152
	// maxTimestampShift is how far a time may be moved to get a signature that was not made before, in seconds.
	maxTimestampShift = 60
)

// signWrapper wraps a JSON body. A wrapper has no place for a nonce: when one is wanted, the time is moved on until
// the signature is new.
func (s *parameterSigner) signWrapper(body []byte, escaped string, now int64) []byte {
	for shift := int64(0); ; shift++ {
		timestamp := now + shift
		sign := s.hash("apiTimestamp=" + strconv.FormatInt(timestamp, 10) + "&appKey=" + s.appKey + "&data=" + string(body))
		if s.nonce == nil || s.made.add(sign) || shift == maxTimestampShift {
			return []byte(s.wrap(escaped, sign, timestamp))
		}
	}
}

func (s *parameterSigner) wrap(escaped, sign string, timestamp int64) string {
	return `{"data":"` + escaped + `","appKey":"` + s.appKey + `","sign":"` + sign + `","apiTimestamp":` +
		strconv.FormatInt(timestamp, 10) + `}`
}

var shortEscapes = map[byte]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`,
}

// escapeJSON escapes only what a JSON string cannot hold; encoding/json would escape more.
func escapeJSON(text []byte) string {
	var escaped strings.Builder
	escaped.Grow(len(text) + len(text)/8)
	for _, b := range text {
		switch short, found := shortEscapes[b]; {
		case found:
			escaped.WriteString(short)
		case b < 0x20:
			escaped.WriteString(`\u00`)
			escaped.WriteByte("01"[b>>4])
			escaped.WriteByte("0123456789abcdef"[b&15])
		default:
			escaped.WriteByte(b)
		}
	}
	return escaped.String()
}

// generationSize bounds what madeSignatures remembers: twice as many signatures.
const generationSize = 65_536

// madeSignatures remembers the wrappers' signatures that were made last, the older half of them at most.
type madeSignatures struct {
	mutex            sync.Mutex
	current, earlier map[string]struct{}
}

// add remembers a signature, and is false when it was made before.
func (m *madeSignatures) add(sign string) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, found := m.current[sign]; found {
		return false
	}
	if _, found := m.earlier[sign]; found {
		return false
	}
	if m.current == nil || len(m.current) == generationSize {
		m.current, m.earlier = map[string]struct{}{}, m.current
	}
	m.current[sign] = struct{}{}
	return true
}
