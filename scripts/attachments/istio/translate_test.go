// Package translate lets Istio's own control plane say what its gateways would run.
// `npm run translate:attachments` copies it into a module of its own, beside a go.mod that pins Istio.
package translate

import (
	"encoding/json"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"istio.io/istio/pilot/pkg/model"
	"istio.io/istio/pilot/test/xds"
	"istio.io/istio/pkg/config/labels"
	"istio.io/istio/pkg/config/mesh"
)

func read(t *testing.T, variable string) string {
	bytes, err := os.ReadFile(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes)
}

func jsonOf[T proto.Message](t *testing.T, messages []T) []json.RawMessage {
	list := []json.RawMessage{}
	for _, message := range messages {
		bytes, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, bytes)
	}
	return list
}

// TestTranslate reads MESH_CONFIG, ISTIO_OBJECTS and KUBERNETES_OBJECTS, and writes to OUTPUT what a gateway with the
// label istio=partners gets.
func TestTranslate(t *testing.T) {
	meshConfig, err := mesh.ApplyMeshConfig(read(t, "MESH_CONFIG"), mesh.DefaultMeshConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := xds.NewFakeDiscoveryServer(t, xds.FakeOptions{
		MeshConfig:             meshConfig,
		ConfigString:           read(t, "ISTIO_OBJECTS"),
		KubernetesObjectString: read(t, "KUBERNETES_OBJECTS"),
	})
	own := labels.Instance{"istio": "partners", "app": "istio-partners"}
	proxy := server.SetupProxy(&model.Proxy{
		Type:            model.Router,
		ID:              "istio-partners-1.istio-partners",
		ConfigNamespace: "istio-partners",
		IPAddresses:     []string{"10.1.0.1"},
		Labels:          own,
		Metadata: &model.NodeMetadata{
			Namespace:    "istio-partners",
			Labels:       own,
			ClusterID:    "Kubernetes",
			IstioVersion: "1.31.0",
		},
	})
	bytes, err := json.Marshal(map[string]any{
		"listeners": jsonOf(t, server.Listeners(proxy)),
		"routes":    jsonOf(t, server.Routes(proxy)),
		"clusters":  jsonOf(t, server.Clusters(proxy)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("OUTPUT"), bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}
