import { randomBytes } from 'node:crypto';
import type { Attack } from '../framework/attack.ts';
import type { Assault } from '../framework/assault.ts';
import { good, goodSource } from '../framework/document.ts';
import { passed, type RawPeer } from '../framework/raw-peer.ts';
import { assertionFields } from '../../test/support/oauth2/client-assertion.ts';
import { encodeSegment } from '../../test/support/oauth2/forged-token.ts';
import { basic, form } from '../../test/support/oauth2/oauth2-request.ts';

/** A request to the token endpoint as Envoy hands it on, from loopback. */
interface TokenRequest {
  /** `x-envoy-external-address`, which Envoy sets. */
  readonly source: string;
  readonly clientId: string;
  /** Null for an assertion with a signature that is wrong. */
  readonly secret: string | null;
  readonly method?: 'POST' | 'GET';
}

const BODY = form({ grant_type: 'client_credentials' });

/** By the algorithm whose signatures take longest to verify. */
function wrongAssertion(clientId: string): string {
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: 'http://127.0.0.1:10000',
    exp: Math.floor(Date.now() / 1000) + 60,
  };
  const jti = randomBytes(16).toString('hex');
  const signed = `${encodeSegment({ alg: 'ES384' })}.${encodeSegment({ ...claims, jti })}`;
  return form({
    grant_type: 'client_credentials',
    ...assertionFields(`${signed}.${encodeSegment(Buffer.alloc(96, 0x5a))}`),
  });
}

function text({ source, clientId, secret, method = 'POST' }: TokenRequest): Buffer {
  const body = method === 'GET' ? '' : secret === null ? wrongAssertion(clientId) : BODY;
  const lines = [
    `${method} /oauth2/token HTTP/1.1`,
    'host: api.example.com',
    ...(secret === null ? [] : [`authorization: ${basic(clientId, secret)[1]}`]),
    `x-envoy-external-address: ${source}`,
    ...(body === ''
      ? []
      : ['content-type: application/x-www-form-urlencoded', `content-length: ${String(body.length)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

const AT_ONCE = 50;
const CONNECTIONS = 8;
/** The window of the throttle (docs/oauth2.md). */
const MINUTE_MS = 60_000;

/** Sends requests on several connections, some at once on each. @returns how many of each status came back. */
async function ask(assault: Assault, total: number, next: (n: number) => TokenRequest): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  let sent = 0;
  const askOnOne = async (): Promise<void> => {
    let peer: RawPeer | null = null;
    let answered = 0;
    while (sent < total) {
      if (peer === null || peer.isClosed) {
        peer = await assault.connect({
          port: assault.target.httpPort,
          ca: assault.target.ca,
          reads: (bytes) => {
            for (const [, status = ''] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              answered += 1;
            }
          },
        });
      }
      const some = Math.min(AT_ONCE, total - sent);
      const first = sent;
      sent += some;
      answered = 0;
      peer.send(Buffer.concat(Array.from({ length: some }, (_, n) => text(next(first + n)))), some);
      for (let waited = 0; answered < some && !peer.isClosed && waited < 20_000; waited += 2) await passed(2);
    }
  };
  const busy = setInterval(() => undefined, 1000);
  await Promise.all(Array.from({ length: CONNECTIONS }, askOnOne));
  clearInterval(busy);
  return statuses;
}

function shown(statuses: ReadonlyMap<string, number>): string {
  return [...statuses].map(([status, count]) => `${String(count)} × ${status}`).join(', ');
}

/** An address of one /64 (RFC 3849), or of a /64 of its own. */
const inOneNetwork = (n: number): string => `2001:db8:1:2::${(n + 1).toString(16)}`;
const inItsOwnNetwork = (n: number): string => `2001:db8:${(n >> 8).toString(16)}:${(n & 0xff).toString(16)}::1`;

/** Guesses in a minute for one client from one source, and those of a second minute that may begin during it. */
const MOST_JUDGED = 40;
/** A node keeps a request and its answer as objects; a request is a third of a KiB. */
const bounds = { cpuMsPerKib: 2 };

/** Requests to the token endpoint. */
export const tokenAttacks: readonly Attack[] = [
  {
    name: 'token-guesses-network',
    title: 'client secrets guessed from the addresses of one IPv6 /64',
    bounds,
    run: async (assault) => {
      const statuses = await ask(assault, assault.amount(5000, 400), (n) => ({
        source: inOneNetwork(n),
        clientId: good.oauth2.appKey,
        secret: `guess ${String(n)}`,
      }));
      const judged = statuses.get('401') ?? 0;
      assault.expect(
        `at most ${String(MOST_JUDGED)} guesses are judged`,
        judged > 0 && judged <= MOST_JUDGED,
        shown(statuses),
      );
    },
  },
  {
    name: 'token-sources',
    title: 'client secrets guessed from 102 000 networks, then a partner from a new one',
    bounds,
    notInTests: 'so many requests take half a minute',
    run: async (assault) => {
      const intoMinuteMs = Date.now() % MINUTE_MS;
      if (!assault.isShort && intoMinuteMs > MINUTE_MS / 4) await assault.hold((MINUTE_MS - intoMinuteMs) / 1000);
      await assault.begin();
      await ask(assault, assault.amount(102_000, 2000), (n) => ({
        source: inItsOwnNetwork(n),
        clientId: `nobody-${String(n)}`,
        secret: 'a guess',
      }));
      const { appKey, secret } = good.oauth2;
      const partners = await ask(assault, 50, (n) => ({
        source: `198.51.100.${String(100 + n)}`,
        clientId: appKey,
        secret,
      }));
      assault.expect(
        'partners from sources that were not seen yet get tokens',
        partners.get('200') === 50,
        shown(partners),
      );
    },
  },
  {
    name: 'token-gets',
    title: 'GET on the token endpoint, 700 times from the source of a partner',
    bounds,
    run: async (assault) => {
      const { appKey, secret } = good.oauth2;
      const source = '198.51.100.50';
      await ask(assault, 700, () => ({ source, clientId: appKey, secret, method: 'GET' }));
      const after = await ask(assault, 5, () => ({ source, clientId: appKey, secret }));
      assault.expect('the partner still gets tokens', after.get('200') === 5, shown(after));
    },
  },
  {
    name: 'token-assertions',
    title: 'assertions with wrong ES384 signatures, of invented clients from a network each',
    // Two signatures are verified for each, 0.7 ms each, in threads of their own.
    bounds: { cpuMsPerKib: 4 },
    run: async (assault) => {
      const statuses = await ask(assault, assault.amount(5000, 400), (n) => ({
        source: inItsOwnNetwork(n),
        clientId: n % 2 === 0 ? `nobody-${String(n)}` : good.oauth2.appKey,
        secret: null,
      }));
      assault.expect('every assertion is refused', statuses.size === 1 && statuses.has('400'), shown(statuses));
    },
  },
  {
    name: 'token-others-name',
    title: 'wrong secrets in the name of a good client, from thousands of sources',
    bounds,
    run: async (assault) => {
      const total = assault.amount(20_000, 1500);
      await ask(assault, total, (n) => ({
        source: inItsOwnNetwork(n),
        clientId: good.oauth2.appKey,
        secret: 'a guess',
      }));
      const { appKey, secret } = good.oauth2;
      const after = await ask(assault, 5, () => ({ source: goodSource, clientId: appKey, secret }));
      assault.expect('the client still gets tokens', after.get('200') === 5, shown(after));
    },
  },
];
