module translate

go 1.26.0

require (
	github.com/envoyproxy/go-control-plane/contrib v1.36.1-0.20260729145720-a2d8c7492908
	github.com/envoyproxy/go-control-plane/envoy v1.37.1-0.20260729145720-a2d8c7492908
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af
	istio.io/api v1.31.1
	istio.io/client-go v1.31.1
	istio.io/istio v0.0.0-20260827124520-eed52ebb66ad
)
