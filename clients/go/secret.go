package postern

// redacted stands for a secret wherever a value is printed.
const redacted = "[secret]"

// secret holds a text that is never printed. It is a function, because fmt, slog, encoding/json and debug printers,
// which look into unexported fields too, show no more of a function than its address.
type secret func() string

func newSecret(text string) secret { return func() string { return text } }

// isSet is false for the zero value.
func (s secret) isSet() bool { return s != nil }
