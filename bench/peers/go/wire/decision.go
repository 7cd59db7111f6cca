package wire

import "encoding/binary"

// The fields of envoy.service.auth.v3.CheckResponse that say what was decided.
const (
	DeniedResponseField = 2
	OkResponseField     = 3
)

const lengthDelimited = 2

// DecisionField walks over the fields of a CheckResponse and gives the number of the one that holds the decision;
// 0 when there is none. All fields of a CheckResponse are length-delimited.
func DecisionField(message []byte) int {
	for len(message) > 0 {
		tag, size := binary.Uvarint(message)
		if size <= 0 || tag&7 != lengthDelimited {
			return 0
		}
		number := int(tag >> 3)
		if number == DeniedResponseField || number == OkResponseField {
			return number
		}
		length, lengthSize := binary.Uvarint(message[size:])
		start := size + lengthSize
		if lengthSize <= 0 || length > uint64(len(message)-start) {
			return 0
		}
		message = message[start+int(length):]
	}
	return 0
}

// IsAllowed says whether a CheckResponse lets the request through.
func IsAllowed(message []byte) bool {
	return DecisionField(message) == OkResponseField
}
