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

// allow writes the answer that Postern gives for the same request: field for field.
func allow(request request, endpoint string, caller *credential, target string) *authv3.CheckResponse {
	return &authv3.CheckResponse{
		Status: &status.Status{},
		HttpResponse: &authv3.CheckResponse_OkResponse{OkResponse: &authv3.OkHttpResponse{
			Headers: []*corev3.HeaderValueOption{
				option("x-consumer-id", caller.Consumer),
				option("x-consumer-username", caller.Name),
				option("x-credential-identifier", caller.ID),
				option(":path", target),
			},
			HeadersToRemove: request.forged,
		}},
		DynamicMetadata: &structpb.Struct{Fields: map[string]*structpb.Value{
			"code":           structpb.NewStringValue("ALLOWED"),
			"endpoint":       structpb.NewStringValue(endpoint),
			"authentication": structpb.NewStringValue("key"),
			"consumer":       structpb.NewStringValue(caller.Consumer),
			"credential":     structpb.NewStringValue(caller.ID),
			"postern.body":   structpb.NewStringValue("original"),
		}},
	}
}

var messages = map[string]string{
	"ENDPOINT_NOT_FOUND":    "No endpoint serves this request.",
	"CREDENTIALS_MISSING":   "The request carries no credentials.",
	"AUTHENTICATION_FAILED": "The credentials or the signature are not valid.",
}

type refusal struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
}

// deny writes the refusal that Postern gives for the same request: field for field.
func deny(httpStatus int, refused, requestID string, endpoint *string) *authv3.CheckResponse {
	// A struct of strings always has a JSON form.
	body, _ := json.Marshal(refusal{Code: refused, Message: messages[refused], RequestID: requestID})
	headers := []*corev3.HeaderValueOption{option("content-type", "application/json"), option("cache-control", "no-store")}
	rpc := code.Code_PERMISSION_DENIED
	if httpStatus == 401 {
		rpc = code.Code_UNAUTHENTICATED
		headers = append(headers, option("www-authenticate", `Key realm="postern"`))
	}
	metadata := map[string]*structpb.Value{"code": structpb.NewStringValue(refused)}
	if endpoint != nil {
		metadata["endpoint"] = structpb.NewStringValue(*endpoint)
		metadata["authentication"] = structpb.NewStringValue("key")
	}
	return &authv3.CheckResponse{
		Status: &status.Status{Code: int32(rpc)},
		HttpResponse: &authv3.CheckResponse_DeniedResponse{DeniedResponse: &authv3.DeniedHttpResponse{
			Status:  &typev3.HttpStatus{Code: typev3.StatusCode(httpStatus)},
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
