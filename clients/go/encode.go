package postern

import "strings"

// EncodeParameters writes names and values as a query or a form, in their order. Everything but A-Z, a-z, 0-9 and
// "-._~" becomes %XX, of the bytes of the text. url.Values.Encode changes the order, and has no place for a name that
// appears twice with another between.
func EncodeParameters(parameters [][2]string) string {
	parts := make([]string, len(parameters))
	for i, each := range parameters {
		parts[i] = percentEncode(each[0]) + "=" + percentEncode(each[1])
	}
	return strings.Join(parts, "&")
}

const upperHex = "0123456789ABCDEF"

func percentEncode(text string) string {
	var encoded strings.Builder
	for i := 0; i < len(text); i++ {
		b := text[i]
		if isAlphanumeric(b) || strings.IndexByte("-._~", b) >= 0 {
			encoded.WriteByte(b)
		} else {
			encoded.Write([]byte{'%', upperHex[b>>4], upperHex[b&15]})
		}
	}
	return encoded.String()
}

// formDecode decodes %XX and "+"; it is false when a "%" is not followed by two hexadecimal digits.
func formDecode(text string) (string, bool) {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text, true
	}
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '+':
			decoded = append(decoded, ' ')
		case '%':
			if i+2 >= len(text) {
				return "", false
			}
			high, low := hexDigit(text[i+1]), hexDigit(text[i+2])
			if high < 0 || low < 0 {
				return "", false
			}
			decoded = append(decoded, byte(high<<4|low))
			i += 2
		default:
			decoded = append(decoded, text[i])
		}
	}
	return string(decoded), true
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// extend adds parameters at the end of a query or form, which stays byte for byte.
func extend(text string, parts ...string) string {
	added := strings.Join(parts, "&")
	if text == "" || strings.HasSuffix(text, "&") {
		return text + added
	}
	return text + "&" + added
}
