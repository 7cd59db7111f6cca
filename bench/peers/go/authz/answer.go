package main

import (
	"encoding/json"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// allowance is what the answer to an allowed request says.
type allowance struct {
	// Nil on an open endpoint.
	caller         *credential
	authentication string
	endpoint       string
	// The request target for the back end; empty when it stays.
	target  string
	removed []string
}

// allow writes the answer that Postern gives for the same request: field for field.
func allow(allowed allowance) *authv3.CheckResponse {
	metadata := map[string]*structpb.Value{
		"code":         structpb.NewStringValue("ALLOWED"),
		"endpoint":     structpb.NewStringValue(allowed.endpoint),
		"postern.body": structpb.NewStringValue("original"),
	}
	var headers []*corev3.HeaderValueOption
	if caller := allowed.caller; caller != nil {
		headers = append(headers, option("x-consumer-id", caller.Consumer),
			option("x-consumer-username", caller.Name), option("x-credential-identifier", caller.ID))
		metadata["authentication"] = structpb.NewStringValue(allowed.authentication)
		metadata["consumer"] = structpb.NewStringValue(caller.Consumer)
		metadata["credential"] = structpb.NewStringValue(caller.ID)
	}
	if allowed.target != "" {
		headers = append(headers, option(":path", allowed.target))
	}
	return &authv3.CheckResponse{
		Status: &status.Status{},
		HttpResponse: &authv3.CheckResponse_OkResponse{
			OkResponse: &authv3.OkHttpResponse{Headers: headers, HeadersToRemove: allowed.removed},
		},
		DynamicMetadata: &structpb.Struct{Fields: metadata},
	}
}

var messages = map[string]string{
	"ENDPOINT_NOT_FOUND":    "No endpoint serves this request.",
	"CREDENTIALS_MISSING":   "The request carries no credentials.",
	"CREDENTIALS_MALFORMED": "The credentials of the request are malformed.",
	"AUTHENTICATION_FAILED": "The credentials or the signature are not valid.",
	"REQUEST_EXPIRED":       "The signed time is too far from the server time.",
	"DIGEST_MISMATCH":       "The digest does not match the body.",
	"BODY_TOO_LARGE":        "The request body is too large.",
	"BODY_NOT_VERIFIABLE":   "The request body is of a kind that cannot be verified.",
	"MALFORMED_REQUEST":     "The request is malformed.",
	"TOO_MANY_PARAMETERS":   "The request has too many parameters.",
	"AMBIGUOUS_PARAMETERS":  "The parameters cannot be signed without ambiguity.",
}

var challenges = map[string]string{"key": "Key", "hmac": "hmac", "parameter-signature": "Sign", messageSignature: "Signature"}

type refusal struct {
	status         int
	code           string
	requestID      string
	authentication string
	// Nil when none serves the request.
	endpoint *string
}

type refusalBody struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
}

// deny writes the refusal that Postern gives for the same request: field for field.
func deny(refused refusal) *authv3.CheckResponse {
	// A struct of strings always has a JSON form.
	body, _ := json.Marshal(refusalBody{refused.code, messages[refused.code], refused.requestID})
	headers := []*corev3.HeaderValueOption{option("content-type", "application/json"), option("cache-control", "no-store")}
	rpc := code.Code_PERMISSION_DENIED
	if refused.status == 401 {
		rpc = code.Code_UNAUTHENTICATED
		headers = append(headers, option("www-authenticate", challenges[refused.authentication]+` realm="postern"`))
	}
	metadata := map[string]*structpb.Value{"code": structpb.NewStringValue(refused.code)}
	if refused.endpoint != nil {
		metadata["endpoint"] = structpb.NewStringValue(*refused.endpoint)
		metadata["authentication"] = structpb.NewStringValue(refused.authentication)
	}
	return &authv3.CheckResponse{
		Status: &status.Status{Code: int32(rpc)},
		HttpResponse: &authv3.CheckResponse_DeniedResponse{DeniedResponse: &authv3.DeniedHttpResponse{
			Status:  &typev3.HttpStatus{Code: typev3.StatusCode(refused.status)},
			Headers: headers,
			Body:    string(body),
		}},
		DynamicMetadata: &structpb.Struct{Fields: metadata},
	}
}

func option(name, value string) *corev3.HeaderValueOption {
	return &corev3.HeaderValueOption{
		Header:       &corev3.HeaderValue{Key: name, Value: value},
		AppendAction: corev3.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD,
	}
}
