package main

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

const (
	maxSignatures = 8
	maxComponents = 64
	maxDigits     = 15
)

var errField = errors.New("not a structured field")

// bareItem is a value of a structured field (RFC 8941 §3.3): string, bytes, int64, bool, or a token.
type bareItem any

type token string

type parameterList map[string]bareItem

// listItem is an item of an inner list with its parameters.
type listItem struct {
	value      bareItem
	parameters parameterList
}

// innerList is one of RFC 8941 §3.1.1, and how it was written, its parameters included.
type innerList struct {
	items      []listItem
	parameters parameterList
	text       string
}

// fieldReader reads a structured field from left to right, as strictly as Postern: a repeated key or parameter and
// base64 that is not canonical are faults. Decimals, which no field here has, are too.
type fieldReader struct {
	text string
	at   int
}

// readDictionary calls read for the value of each key; "=" has been read then.
func readDictionary(text string, read func(key string, r *fieldReader) error) error {
	r := &fieldReader{text: strings.Trim(text, " ")}
	seen := make(map[string]struct{}, 2)
	for r.at < len(r.text) {
		key := r.readKey()
		if _, repeated := seen[key]; key == "" || repeated || len(seen) == maxSignatures || !r.take('=') {
			return errField
		}
		seen[key] = struct{}{}
		if err := read(key, r); err != nil {
			return err
		}
		r.skip(" \t")
		if r.at == len(r.text) {
			return nil
		}
		if !r.take(',') {
			return errField
		}
		r.skip(" \t")
		if r.at == len(r.text) {
			return errField
		}
	}
	return nil
}

func (r *fieldReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *fieldReader) take(wanted byte) bool {
	if r.peek() != wanted {
		return false
	}
	r.at++
	return true
}

func (r *fieldReader) skip(characters string) {
	for r.at < len(r.text) && strings.IndexByte(characters, r.text[r.at]) >= 0 {
		r.at++
	}
}

// while reads as long as a character is one of these.
func (r *fieldReader) while(isOne func(byte) bool) string {
	start := r.at
	for r.at < len(r.text) && isOne(r.text[r.at]) {
		r.at++
	}
	return r.text[start:r.at]
}

func (r *fieldReader) readKey() string {
	if first := r.peek(); !isLower(first) && first != '*' {
		return ""
	}
	return r.while(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 })
}

func (r *fieldReader) readInnerList() (innerList, error) {
	start := r.at
	if !r.take('(') {
		return innerList{}, errField
	}
	var list innerList
	for {
		r.skip(" ")
		if r.take(')') {
			break
		}
		if len(list.items) == maxComponents {
			return innerList{}, errField
		}
		value, parameters, err := r.readItem()
		if err != nil || r.peek() != ' ' && r.peek() != ')' {
			return innerList{}, errField
		}
		list.items = append(list.items, listItem{value, parameters})
	}
	parameters, err := r.readParameters()
	list.parameters, list.text = parameters, r.text[start:r.at]
	return list, err
}

func (r *fieldReader) readItem() (bareItem, parameterList, error) {
	value, err := r.readBareItem()
	if err != nil {
		return nil, nil, err
	}
	parameters, err := r.readParameters()
	return value, parameters, err
}

func (r *fieldReader) readParameters() (parameterList, error) {
	var parameters parameterList
	for r.take(';') {
		r.skip(" ")
		key := r.readKey()
		if _, repeated := parameters[key]; key == "" || repeated {
			return nil, errField
		}
		var value bareItem = true
		if r.take('=') {
			var err error
			if value, err = r.readBareItem(); err != nil {
				return nil, err
			}
		}
		if parameters == nil {
			parameters = make(parameterList, 4)
		}
		parameters[key] = value
	}
	return parameters, nil
}

func (r *fieldReader) readBareItem() (bareItem, error) {
	switch first := r.peek(); {
	case first == '"':
		return r.readString()
	case first == ':':
		return r.readBytes()
	case first == '?':
		r.at++
		if r.take('1') {
			return true, nil
		}
		if r.take('0') {
			return false, nil
		}
	case first == '-' || isDigit(first):
		return r.readInteger()
	case first == '*' || isLower(first|0x20):
		return token(r.while(func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"(),;<=>?@[\\]{}", c) < 0 })), nil
	}
	return nil, errField
}

func (r *fieldReader) readString() (bareItem, error) {
	r.at++
	start, isEscaped := r.at, false
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			text := r.text[start:r.at]
			r.at++
			if isEscaped {
				text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text)
			}
			return text, nil
		case c == '\\':
			isEscaped = true
			r.at++
			if next := r.peek(); next != '"' && next != '\\' {
				return nil, errField
			}
		case c < ' ' || c > '~':
			return nil, errField
		}
	}
	return nil, errField
}

func (r *fieldReader) readBytes() (bareItem, error) {
	r.at++
	end := strings.IndexByte(r.text[r.at:], ':')
	if end < 0 {
		return nil, errField
	}
	bytes, err := base64.StdEncoding.Strict().DecodeString(r.text[r.at : r.at+end])
	r.at += end + 1
	return bytes, err
}

func (r *fieldReader) readInteger() (bareItem, error) {
	start := r.at
	r.take('-')
	if digits := r.while(isDigit); digits == "" || len(digits) > maxDigits || r.peek() == '.' {
		return nil, errField
	}
	return strconv.ParseInt(r.text[start:r.at], 10, 64)
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
