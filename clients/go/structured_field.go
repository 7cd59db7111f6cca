package postern

import (
	"encoding/base64"
	"strings"
)

// fieldItem is a bare item of a structured field (RFC 8941) with its parameters. A value of another kind than a string
// or a boolean is nil: nothing here wants one.
type fieldItem struct {
	value      any
	parameters map[string]any
}

// fieldMember is a member of a dictionary. What is no inner list has no items.
type fieldMember struct {
	key         string
	isInnerList bool
	items       []fieldItem
	parameters  map[string]any
}

// parseDictionary reads a dictionary (RFC 8941 §4.2.2). It is false for what is none. Of equal keys the last counts.
func parseDictionary(text string) ([]fieldMember, bool) {
	p := &fieldParser{strings.Trim(text, " ")}
	var members []fieldMember
	for p.rest != "" {
		member, ok := p.member()
		if !ok {
			return nil, false
		}
		at := 0
		for at < len(members) && members[at].key != member.key {
			at++
		}
		members = append(members[:at], append([]fieldMember{member}, members[min(at+1, len(members)):]...)...)
		p.rest = strings.TrimLeft(p.rest, " \t")
		if p.rest == "" {
			return members, true
		}
		if !p.take(",") {
			return nil, false
		}
		p.rest = strings.TrimLeft(p.rest, " \t")
		if p.rest == "" {
			return nil, false
		}
	}
	return members, true
}

// isKey says whether a text is a key of a dictionary (RFC 8941 §3.1.2).
func isKey(text string) bool {
	p := &fieldParser{text}
	_, ok := p.key()
	return ok && p.rest == ""
}

// fieldParser has what is not yet read of a structured field.
type fieldParser struct{ rest string }

func (p *fieldParser) take(text string) bool {
	after, found := strings.CutPrefix(p.rest, text)
	p.rest = after
	return found
}

// takeWhile takes bytes as long as they are some of these.
func (p *fieldParser) takeWhile(isPart func(byte) bool) string {
	end := 0
	for end < len(p.rest) && isPart(p.rest[end]) {
		end++
	}
	taken := p.rest[:end]
	p.rest = p.rest[end:]
	return taken
}

func (p *fieldParser) member() (fieldMember, bool) {
	key, ok := p.key()
	member := fieldMember{key: key}
	switch {
	case !ok:
		return member, false
	case !p.take("="):
	case p.take("("):
		member.isInnerList = true
		if member.items, ok = p.innerList(); !ok {
			return member, false
		}
	default:
		if _, ok := p.bareItem(); !ok {
			return member, false
		}
	}
	member.parameters, ok = p.parameters()
	return member, ok
}

func (p *fieldParser) innerList() ([]fieldItem, bool) {
	var items []fieldItem
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.take(")") {
			return items, true
		}
		value, ok := p.bareItem()
		if !ok {
			return nil, false
		}
		parameters, ok := p.parameters()
		if !ok || p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' {
			return nil, false
		}
		items = append(items, fieldItem{value, parameters})
	}
}

func (p *fieldParser) parameters() (map[string]any, bool) {
	var parameters map[string]any
	for p.take(";") {
		p.rest = strings.TrimLeft(p.rest, " ")
		key, ok := p.key()
		if !ok {
			return nil, false
		}
		var value any = true
		if p.take("=") {
			if value, ok = p.bareItem(); !ok {
				return nil, false
			}
		}
		if parameters == nil {
			parameters = map[string]any{}
		}
		parameters[key] = value
	}
	return parameters, true
}

func (p *fieldParser) key() (string, bool) {
	if p.rest == "" || !isLower(p.rest[0]) && p.rest[0] != '*' {
		return "", false
	}
	return p.takeWhile(func(b byte) bool {
		return isLower(b) || isDigit(b) || strings.IndexByte("_-.*", b) >= 0
	}), true
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// bareItem gives the value of a string or a boolean, and nil for a number, a token or bytes.
func (p *fieldParser) bareItem() (any, bool) {
	switch {
	case p.take(`"`):
		return p.quotedText()
	case p.take("?0"):
		return false, true
	case p.take("?1"):
		return true, true
	case p.take(":"):
		text := p.takeWhile(func(b byte) bool { return b != ':' })
		_, err := base64.StdEncoding.DecodeString(text)
		return nil, p.take(":") && err == nil
	case p.rest != "" && (isAlphanumeric(p.rest[0]) && !isDigit(p.rest[0]) || p.rest[0] == '*'):
		p.takeWhile(func(b byte) bool { return isTokenByte(b) || b == ':' || b == '/' })
		return nil, true
	}
	return nil, p.number()
}

// quotedText takes the rest of a string whose first quote was taken.
func (p *fieldParser) quotedText() (any, bool) {
	var text strings.Builder
	for i := 0; i < len(p.rest); i++ {
		b := p.rest[i]
		switch {
		case b == '"':
			p.rest = p.rest[i+1:]
			return text.String(), true
		case b == '\\':
			i++
			if i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return nil, false
			}
			b = p.rest[i]
		case b < 0x20 || b > 0x7e:
			return nil, false
		}
		text.WriteByte(b)
	}
	return nil, false
}

// number takes an integer or a decimal (RFC 8941 §4.2.4).
func (p *fieldParser) number() bool {
	p.take("-")
	whole := p.takeWhile(isDigit)
	if !p.take(".") {
		return whole != "" && len(whole) <= 15
	}
	fraction := p.takeWhile(isDigit)
	return whole != "" && len(whole) <= 12 && fraction != "" && len(fraction) <= 3
}
