import { fromControlPlane } from './from-control-plane.ts';

/** deploy/overlays/istio, as the control plane of Istio translates it. */
export const istio = fromControlPlane({
  title: 'Istio',
  name: 'istio',
  listener: '0.0.0.0_8443',
  filters: {
    buffer: 'envoy.filters.http.buffer',
    authz: 'envoy.filters.http.ext_authz',
    unwrap: 'postern.unwrap',
    guard: 'postern.guard',
  },
  clusters: {
    postern: 'outbound|9001||postern.postern.svc.cluster.local',
    posternHttp: 'outbound|9002||postern.postern.svc.cluster.local',
    backend: 'outbound|8080||backend.partners.svc.cluster.local',
  },
  // They introduce sidecars to each other, and choose the protocol of mutual TLS.
  filtersOfVendor: ['istio.metadata_exchange', 'istio.alpn', 'istio.stats'],
});
