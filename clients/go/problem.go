package postern

// The codes of a [Problem]. They do not change.
const (
	// CodeInvalidCredential: the App Key, the App Secret, the private key or a setting is not valid.
	CodeInvalidCredential = "INVALID_CREDENTIAL"
	// CodeReservedParameter: a parameter has a name that the client sets itself.
	CodeReservedParameter = "RESERVED_PARAMETER"
	// CodeAmbiguousParameters: two different lists of parameters would have the same signature. Send them as JSON.
	CodeAmbiguousParameters = "AMBIGUOUS_PARAMETERS"
	// CodeTooManyParameters: more than 100 parameters, with those that the client adds.
	CodeTooManyParameters = "TOO_MANY_PARAMETERS"
	// CodeMalformedParameters: the percent-encoding is wrong, or the parameters are not UTF-8.
	CodeMalformedParameters = "MALFORMED_PARAMETERS"
	// CodeQueryNotSignable: a parameter signature cannot cover a query beside a body.
	CodeQueryNotSignable = "QUERY_NOT_SIGNABLE"
	// CodeBodyNotSignable: the body is of a kind that a parameter signature cannot cover.
	CodeBodyNotSignable = "BODY_NOT_SIGNABLE"
	// CodeBodyTooLarge: the body is larger than the gateway takes.
	CodeBodyTooLarge = "BODY_TOO_LARGE"
	// CodeHeaderNotSignable: a signed header is absent or repeated, or the gateway does not take it.
	CodeHeaderNotSignable = "HEADER_NOT_SIGNABLE"
	// CodeTargetNotSignable: the path or the query holds bytes that cannot be signed.
	CodeTargetNotSignable = "TARGET_NOT_SIGNABLE"
	// CodeSignerFailed: a private key that is somewhere else gave no signature. The cause is in the Problem.
	CodeSignerFailed = "SIGNER_FAILED"
)

// Problem is an error that was found before anything was sent. Find it with errors.As: http.Client wraps it.
type Problem struct {
	// Code is one of the Code constants of this package.
	Code string
	// Message says in English what is wrong. It names settings, headers and parameters, never a secret.
	Message string

	cause error
}

// Error gives the code and the message.
func (p *Problem) Error() string { return "postern: " + p.Code + ": " + p.Message }

// Unwrap gives the error of a function that was to sign; for other problems there is none.
func (p *Problem) Unwrap() error { return p.cause }

func problem(code, message string) *Problem { return &Problem{Code: code, Message: message} }
