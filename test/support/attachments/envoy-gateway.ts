import { fromControlPlane } from './from-control-plane.ts';

/** deploy/overlays/envoy-gateway, as Envoy Gateway translates it. */
export const envoyGateway = fromControlPlane({
  title: 'Envoy Gateway',
  name: 'envoy-gateway',
  listener: 'partners/partners/https',
  filters: {
    buffer: 'envoy.filters.http.buffer',
    authz: 'envoy.filters.http.ext_authz/securitypolicy/partners/postern',
    unwrap: 'envoy.filters.http.lua/envoyextensionpolicy/partners/postern-unwrap/lua/0',
    guard: 'postern.guard',
  },
  clusters: {
    postern: 'securitypolicy/partners/postern/extauth/0',
    posternHttp: 'httproute/partners/postern-oauth2/rule/0',
    backend: 'httproute/partners/apis/rule/0',
  },
});
