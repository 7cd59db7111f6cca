import { createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certified } from '../../test/support/grpc/certificate.ts';
import { issuerToken, knownIssuer } from '../../test/support/jwt/issuer-token.ts';
import type { Fleet } from '../../test/support/fleet/fleet.ts';
import { getToken, type HandedOver, handOver, tokenRequest, withToken } from '../../test/support/fleet/partners.ts';
import type { PlainRequest } from '../../test/support/http/http-client.ts';
import type { LoadClient } from '../../test/support/load/load-client.ts';
import { signedByHmac } from '../../test/support/partner/hmac.ts';
import { newKeyPair, signedByKey } from '../../test/support/partner/http-signature.ts';
import { withSign } from '../../test/support/partner/parameters.ts';
import { declareIssuer } from '../../src/resources/issuer.ts';
import type { ModelledRequest } from './answers.ts';

/** Consumers of which the history is recorded; nobody else calls as one of them. */
export const CONSUMERS = ['globex', 'initech'] as const;
/** What the limited caller may do in a minute. */
const LIMIT = 30;

const endpoint = (id: string, authentication: string, more: object = {}) => ({
  id,
  scenario: 'partner-openapi',
  match: { paths: [{ prefix: `/${id}` }] },
  authentication,
  ...more,
});

/** What each `apply` changes. */
export function editionOf(edition: number): string {
  return JSON.stringify({ version: 1, consumers: [{ id: 'filed', name: `edition ${String(edition)}` }] });
}

/** An endpoint of each method, and of what refuses. */
export function hourDocument(): string {
  const limit = { requests: LIMIT, unit: 'minute', per: 'consumer' };
  return JSON.stringify({
    version: 1,
    issuers: [declareIssuer(knownIssuer())],
    endpoints: [
      endpoint('keyed', 'key'),
      endpoint('signed', 'hmac', { options: { replayProtection: true } }),
      endpoint('stock', 'oauth2'),
      endpoint('plain', 'hmac'),
      endpoint('params', 'parameter-signature'),
      endpoint('messages', 'http-message-signature'),
      endpoint('tokens', 'jwt'),
      endpoint('certified', 'certificate'),
      endpoint('granted', 'key', { accessCondition: 'authenticated-and-authorized' }),
      endpoint('limited', 'key', { trafficControl: { limits: [limit] } }),
    ],
    consumers: [
      { id: 'acme' },
      { id: 'filed' },
      { id: 'edited' },
      ...CONSUMERS.map((id) => ({ id, labels: { count: '0' } })),
    ],
  });
}

/** The callers of the hour, whose credentials stay or are rotated with a grace period. */
export interface Callers {
  /** The next request, of a quarter that is to be refused. */
  next(): ModelledRequest;
  /** Rotates a credential that is called with; the former secret has a grace period, the one before it ends. */
  rotate(): Promise<void>;
  /** Of the revoked credential. */
  readonly revokedId: string;
}

/** Access tokens and issuer's tokens are good for longer than this. */
const TOKEN_FOR_MS = 60_000;
/** Less than one address may ask for. */
const TOKEN_EVERY_MS = 250;

/** Of half a minute each: as long as MongoDB elects, or its disk is full. */
const MOST_WAITS = 10;

/** Resolves when every replica decides by all changes so far; only then is a caller promised to be known by a new secret. */
async function everywhere(fleet: Fleet): Promise<void> {
  for (let wait = 1; wait <= MOST_WAITS; wait += 1) {
    const isIn = await fleet.postern('wait').then(
      () => true,
      () => false,
    );
    if (isIn) return;
  }
  throw new Error('a new secret is not known to every replica');
}

/** Issues what callers call with. `certified` is shown by the client that calls over mutual TLS. */
export async function makeCallers(
  fleet: Fleet,
  { partner, mutualTls }: { readonly partner: Certified; readonly mutualTls: LoadClient },
): Promise<Callers> {
  const issue = async (method: string, more = '', id = `acme-${method}`): Promise<HandedOver> =>
    await handOver(fleet, `credential issue --consumer acme --method ${method} --id ${id}${more}`);
  const pair = newKeyPair('ed25519');
  const publicPath = join(fleet.folder, 'acme-public.pem');
  await writeFile(publicPath, createPublicKey(pair.privateKey).export({ type: 'spki', format: 'pem' }));
  const certificatePath = join(fleet.folder, 'acme-certificate.pem');
  await writeFile(certificatePath, partner.cert);
  const key = await issue('key');
  const hmac = await issue('hmac');
  const client = await issue('oauth2');
  const parameters = await issue('parameter-signature');
  const messages = await issue('http-message-signature', ` --public-key ${publicPath}`);
  await issue('jwt', ' --issuer partner-idp --claim azp=acme-batch');
  await issue('certificate', ` --certificate ${certificatePath}`);
  const revoked = await issue('key', '', 'acme-revoked');
  await fleet.postern('credential', 'revoke', revoked.id, '--yes');
  let rotated = await issue('hmac', '', 'acme-rotated');

  const secretOf = ({ appSecret }: HandedOver): string => appSecret ?? '';
  const byHmac = ({ appKey }: HandedOver, secret: string): PlainRequest =>
    signedByHmac({ target: '/plain/orders?page=2', appKey, secret });
  const byKey = ({ appKey }: Pick<HandedOver, 'appKey'>, target: string): PlainRequest => ({
    target,
    headers: [['x-app-key', appKey]],
  });
  const parametersOf = (secret: string): PlainRequest => ({
    target: `/params?${withSign(`appKey=${parameters.appKey}&page=2`, undefined, secret)}`,
  });
  let access = { token: await getToken(fleet.envoy.port, client), sinceMs: performance.now() };
  let issuers = { token: '', sinceMs: Number.NEGATIVE_INFINITY };
  let askedMs = 0;
  const issuersToken = (): string => {
    if (performance.now() - issuers.sinceMs > TOKEN_FOR_MS) {
      const seconds = Math.floor(Date.now() / 1000);
      issuers = { token: issuerToken({ claims: { iat: seconds, exp: seconds + 600 } }), sinceMs: performance.now() };
    }
    return issuers.token;
  };
  const renew = (): void => {
    if (performance.now() - access.sinceMs < TOKEN_FOR_MS) return;
    access = { ...access, sinceMs: performance.now() };
    getToken(fleet.envoy.port, client).then(
      (token) => (access = { ...access, token }),
      () => undefined,
    );
  };

  const good: readonly (() => Omit<ModelledRequest, 'right'>)[] = [
    () => ({ kind: 'key', request: byKey(key, '/keyed') }),
    () => ({ kind: 'hmac', request: byHmac(hmac, secretOf(hmac)) }),
    () => ({ kind: 'oauth2', request: withToken(access.token) }),
    () => ({ kind: 'parameter-signature', request: parametersOf(secretOf(parameters)) }),
    () => ({
      kind: 'http-message-signature',
      request: signedByKey({ key: pair, keyid: messages.appKey, target: '/messages?page=2' }),
    }),
    () => ({ kind: 'jwt', request: { target: '/tokens', headers: [['authorization', `Bearer ${issuersToken()}`]] } }),
    () => ({ kind: 'certificate', request: { target: '/certified' }, via: mutualTls }),
    () => ({ kind: 'hmac, rotated', request: byHmac(rotated, secretOf(rotated)) }),
  ];
  const failed = ['401 AUTHENTICATION_FAILED'];
  const refused: readonly (() => ModelledRequest)[] = [
    () => ({ kind: 'no such key', request: byKey({ appKey: 'nobody' }, '/keyed'), right: failed }),
    () => ({ kind: 'revoked key', request: byKey(revoked, '/keyed'), right: failed }),
    () => ({ kind: 'wrong secret', request: byHmac(hmac, 'another secret'), right: failed }),
    () => ({ kind: 'wrong sign', request: parametersOf('another secret'), right: failed }),
    () => ({ kind: 'no credentials', request: { target: '/keyed' }, right: ['401 CREDENTIALS_MISSING'] }),
    () => ({ kind: 'no token', request: withToken('not-a-token.of.anybody'), right: ['401 TOKEN_INVALID'] }),
    () => ({ kind: 'no grant', request: byKey(key, '/granted'), right: ['403 NOT_AUTHORIZED'] }),
    () => ({ kind: 'no endpoint', request: { target: '/nowhere' }, right: ['404 ENDPOINT_NOT_FOUND'] }),
    () => ({ kind: 'limited', request: byKey(key, '/limited'), right: ['200', '429 RATE_LIMITED'] }),
  ];
  let count = 0;
  return {
    revokedId: revoked.id,
    next: () => {
      count += 1;
      renew();
      const turn = Math.floor(count / 4);
      const refusal = refused[turn % refused.length];
      if (count % 4 === 0 && refusal !== undefined) return refusal();
      if (performance.now() - askedMs > TOKEN_EVERY_MS) {
        askedMs = performance.now();
        return { kind: 'token', request: tokenRequest(client), right: ['200'] };
      }
      const make = good[(count + turn) % good.length];
      if (make === undefined) throw new Error('there is no such caller');
      return { ...make(), right: ['200'] };
    },
    rotate: async () => {
      const { appSecret } = await handOver(fleet, `credential rotate ${rotated.id} --grace 1h --force`);
      await everywhere(fleet);
      rotated = { ...rotated, appSecret };
    },
  };
}
