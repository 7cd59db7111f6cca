/** The method that Envoy calls (envoy.service.auth.v3). */
export const checkPath = '/envoy.service.auth.v3.Authorization/Check';

/** The methods of the gRPC health checking protocol. */
export const healthPath = { check: '/grpc.health.v1.Health/Check', watch: '/grpc.health.v1.Health/Watch' } as const;
