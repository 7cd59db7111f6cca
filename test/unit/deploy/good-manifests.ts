import { type Manifest } from '../../support/kubernetes/manifest.ts';
import { parseManifests } from '../../support/kubernetes/render-kustomization.ts';

/** A small set of manifests in which everything fits; tests break one thing at a time. */
export function goodManifests(): readonly Manifest[] {
  return parseManifests(yaml);
}

const yaml = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: web, namespace: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
data: { LEVEL: info, TARGET: "db:5432", URL: "mongodb://user@db-0.db:5432,db-1.db:5432/x?y=z" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: envoy, namespace: shop }
data:
  envoy.yaml: |
    static_resources:
      clusters:
        - name: web
          load_assignment:
            endpoints:
              - lb_endpoints:
                  - endpoint: { address: { socket_address: { address: web.shop.svc.cluster.local, port_value: 80 } } }
        - name: elsewhere
          load_assignment:
            endpoints:
              - lb_endpoints:
                  - endpoint: { address: { socket_address: { address: api.example.com, port_value: 443 } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: web
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: RuntimeDefault } }
      terminationGracePeriodSeconds: 20
      containers:
        - name: web
          image: web:1.0.0
          envFrom: [{ configMapRef: { name: settings } }]
          env:
            - name: PASSWORD
              valueFrom: { secretKeyRef: { name: password, key: text } }
            - { name: UPSTREAM, value: "http://web:80/path" }
          ports: [{ name: http, containerPort: 8080 }, { name: grpc, containerPort: 9001 }]
          readinessProbe: { grpc: { port: 9001 } }
          livenessProbe: { httpGet: { path: /, port: http } }
          lifecycle: { preStop: { sleep: { seconds: 5 } } }
          resources: { requests: { cpu: 10m, memory: 10Mi }, limits: { memory: 10Mi } }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          volumeMounts: [{ name: config, mountPath: /config }]
      volumes:
        - name: config
          configMap: { name: envoy, items: [{ key: envoy.yaml, path: envoy.yaml }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: v1
kind: Service
metadata: { name: web-headless, namespace: shop }
spec:
  clusterIP: None
  selector: { app: web }
  ports: [{ name: grpc, port: 9001, targetPort: grpc }]
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: shop }
spec:
  clusterIP: None
  selector: { app: db }
  ports: [{ name: db, port: 5432, targetPort: db }]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db, namespace: shop }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: db
          image: db:1.0.0
          ports: [{ name: db, containerPort: 5432 }]
          resources: { requests: { cpu: 10m, memory: 10Mi }, limits: { memory: 10Mi } }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          volumeMounts: [{ name: data, mountPath: /data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web, namespace: shop }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: web } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 3
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } } }]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web, namespace: shop }
spec:
  podSelector: { matchLabels: { app: web } }
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: edge } }
          podSelector: { matchLabels: { gateway: "true" } }
      ports: [{ port: 9001 }]
    - from: [{ podSelector: { matchLabels: { app: web } } }]
      ports: [{ port: http }]
  egress:
    - to: [{ podSelector: { matchLabels: { app: db } } }]
      ports: [{ port: 5432 }]
    - to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: shop } } }]
      ports: [{ port: 8080 }]
    - ports: [{ port: 53, protocol: UDP }]
`;
