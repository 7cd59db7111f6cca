import { type AuthenticationMethod, type OptionsOf, type PartnerEndpoint } from '../../../src/model/endpoint.ts';
import { Secret } from '../../../src/model/secret.ts';
import { type PlainRequest } from '../http/http-client.ts';
import { type RequestParts } from '../pipeline/check-request.ts';
import { type GatewayParts, testGateway, type TestGateway } from '../pipeline/gateway.ts';
import { consumer, credential, grant, limit, partnerEndpoint } from '../pipeline/resources.ts';
import { acme } from './signature-document.ts';

/** What a pipeline with one signed endpoint is made of; everything has a default. */
export interface SignedParts<M extends AuthenticationMethod> extends Omit<GatewayParts, 'endpoints'> {
  readonly options?: Partial<OptionsOf[M]>;
  /** One request a minute, for `acme`, who is authorised. */
  readonly isLimited?: boolean;
  /** One more endpoint, `elsewhere`, for everybody, which differs in these options. */
  readonly elsewhere?: Partial<OptionsOf[M]>;
  /** The endpoint asks for a grant, and no consumer has one. */
  readonly isClosed?: boolean;
}

/** The credential of {@link acme} for both signature methods. */
export function acmeCredential(parts: Parameters<typeof credential>[0] = {}) {
  return credential({
    id: 'acme-both',
    methods: ['hmac', 'parameter-signature'],
    appKey: acme.appKey,
    appSecret: Secret.fromText(acme.secret),
    ...parts,
  });
}

/** A pipeline with one endpoint of a signature method, `/signed`, and {@link acme}. */
export function signedGateway<M extends 'hmac' | 'parameter-signature'>(
  method: M,
  { options, elsewhere, isLimited = false, isClosed = false, ...parts }: SignedParts<M> = {},
): TestGateway {
  const endpoint = partnerEndpoint(method, {
    options: { ...partnerEndpoint(method).options, ...options },
    id: 'signed',
    paths: [{ prefix: '/signed' }],
    limits: isLimited ? [limit('1/minute/consumer')] : [],
    accessCondition: 'authenticated-and-authorized',
  });
  const other = partnerEndpoint(method, {
    options: { ...endpoint.options, ...elsewhere },
    id: 'elsewhere',
    paths: [{ prefix: '/elsewhere' }],
  });
  return testGateway({
    consumers: [consumer()],
    credentials: [acmeCredential()],
    grants: isClosed ? [] : [grant({ endpointId: 'signed' })],
    ...parts,
    endpoints:
      elsewhere === undefined ? [endpoint as PartnerEndpoint] : [endpoint as PartnerEndpoint, other as PartnerEndpoint],
  });
}

/** A partner's request as Envoy describes it. */
export function asCheck({ method, target, host, headers, body }: PlainRequest): RequestParts {
  return {
    ...(method === undefined ? {} : { method }),
    ...(target === undefined ? {} : { path: target }),
    ...(host === undefined ? {} : { authority: host }),
    headers: [
      ...(headers ?? []),
      ...(body === undefined ? [] : [['content-length', String(Buffer.byteLength(body, 'latin1'))] as const]),
    ],
    ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body, 'latin1') : body }),
  };
}

/** `ALLOWED` or the code of the last decision, and what the log says of it. */
export function lastDecision(gateway: TestGateway): { readonly code: string; readonly detail: string | null } {
  const last = gateway.decided.at(-1);
  if (last === undefined) throw new Error('nothing was decided');
  const { decision, answer } = last;
  return { code: answer.code, detail: 'refusal' in decision ? decision.refusal.detail : null };
}
