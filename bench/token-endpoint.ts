import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { acquireAll } from '../test/support/lifetime/release.ts';
import { runAlone } from './driver/driver.ts';
import type { Files } from './fixtures/files.ts';
import { type KeyKind, keyKinds, type KeyPairs } from './fixtures/key-pairs.ts';
import { type Partner, spread } from './fixtures/partners.ts';
import { type RunningPeer, startPeer } from './peers/peer.ts';
import { assertionPeer, peers, tokenEndpointPeer } from './peers/peers.ts';
import { readCpuUs } from './process/figures.ts';
import { signAssertion } from './requests/assertions.ts';
import { writeMessages } from './requests/messages.ts';
import type { RequestPorts } from './row.ts';
import { median, medianRatio } from './statistics.ts';

/** The names by which `--rows` asks for {@link measureTokenEndpoint}: with secrets only, or with assertions beside them. */
export const tokenEndpointName = 'token-endpoint';
export const assertionName = 'assertion';

const CONNECTIONS = 16;
const SECONDS = 2;
const VARIETY = 1000;
/** Tokens of a round at most: their requests are signed before it, so that signing does not slow it down. */
const MOST_TOKENS = 3000;
/** Signatures alone, as many as one round has tokens at most. */
const VERIFICATIONS = 10_000;

/** What issuing a token costs; medians over the rounds. */
export interface TokenFigures {
  readonly name: string;
  /** CPU time of the service for one token, user and system. */
  readonly cpuUs: number;
  readonly tokensPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** What `crypto.verify` alone takes of it; null where nothing is verified so. */
  readonly verifyUs: number | null;
  /** {@link cpuUs} against that of a token for a secret and {@link verifyUs} together, within each round. */
  readonly toParts: number | null;
}

export const tokenEndpointTitle = `token endpoint: ${String(CONNECTIONS)} connections, one request at once on each`;

type Sample = Pick<TokenFigures, 'cpuUs' | 'tokensPerSecond' | 'p50Us' | 'p99Us'>;

/** How clients of a service authenticate. */
interface Way {
  readonly name: string;
  readonly peer: RunningPeer;
  /** Header fields and body of a request. */
  readonly request: (client: Partner) => TokenRequest;
  /** What a signature alone takes in a round; null where there is none. */
  readonly verifyAlone: (() => Promise<number>) | null;
}

interface TokenRequest {
  readonly authorization: string | null;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Asks services for tokens over HTTP/1.1, as Envoy would: with `client_secret_basic` and, where that is wanted, with an
 * assertion by each kind of key. Every request comes from another source, so that none is throttled. Throws when one of
 * the answers is no token.
 */
export async function measureTokenEndpoint(
  files: Files,
  { partners, keyPairs }: Pick<RequestPorts, 'partners' | 'keyPairs'>,
  { rounds, withAssertions }: { readonly rounds: number; readonly withAssertions: boolean },
): Promise<readonly TokenFigures[]> {
  const clients = spread(partners, VARIETY);
  await using started = await acquireAll(async (keep) => {
    const basic = keep(await startPeer(tokenEndpointPeer, files));
    const ways: Way[] = [{ name: tokenEndpointName, peer: basic, request: basicRequest, verifyAlone: null }];
    for (const kind of withAssertions ? keyKinds : []) {
      const peer = keep(await startPeer(assertionPeer(kind), files));
      const path = join(files.directory, `assertions-${kind}.messages`);
      await writeMessages(
        path,
        clients.map((client) => aloneOf(client, kind, keyPairs)),
      );
      keep({
        [Symbol.asyncDispose]: () => {
          rmSync(path, { force: true });
          return Promise.resolve();
        },
      });
      const program = peers['verify-node'].command(files);
      ways.push({
        name: `${assertionName}-${kind}`,
        peer,
        request: (client) => assertionRequest(client, kind, keyPairs),
        verifyAlone: async () =>
          (await runAlone(program, { messages: path }, { checks: VERIFICATIONS, seconds: SECONDS })).driverUsPerCheck,
      });
    }
    return { ways };
  });
  const seen = started.ways.map((way) => ({ way, samples: [] as Sample[], verifyUs: [] as number[] }));
  for (const { way } of seen) await drive(way, clients);
  for (let round = 0; round < rounds; round += 1) {
    for (const { way, samples, verifyUs } of seen) {
      samples.push(await drive(way, clients));
      if (way.verifyAlone !== null) verifyUs.push(await way.verifyAlone());
    }
  }
  const basicUs = seen[0]?.samples.map(({ cpuUs }) => cpuUs) ?? [];
  return seen.map(({ way, samples, verifyUs }) => {
    const of = (name: keyof Sample): number => median(samples.map((each) => each[name]));
    const isSigned = way.verifyAlone !== null;
    return {
      name: way.name,
      cpuUs: of('cpuUs'),
      tokensPerSecond: of('tokensPerSecond'),
      p50Us: of('p50Us'),
      p99Us: of('p99Us'),
      verifyUs: isSigned ? median(verifyUs) : null,
      toParts: isSigned
        ? medianRatio(
            samples.map(({ cpuUs }) => cpuUs),
            verifyUs.map((each, round) => each + (basicUs[round] ?? NaN)),
          )
        : null,
    };
  });
}

function basicRequest({ appKey, appSecret }: Partner): TokenRequest {
  return { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}`, parameters: {} };
}

function assertionRequest(client: Partner, kind: KeyKind, keyPairs: KeyPairs): TokenRequest {
  const { text } = signAssertion(client, { kind, pair: keyPairs.of(kind, client) });
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { authorization: null, parameters: { client_assertion_type: type, client_assertion: text } };
}

function aloneOf(client: Partner, kind: KeyKind, keyPairs: KeyPairs): Buffer {
  return Buffer.from(JSON.stringify(signAssertion(client, { kind, pair: keyPairs.of(kind, client) }).alone));
}

async function drive(way: Way, clients: readonly Partner[]): Promise<Sample> {
  const { peer } = way;
  const requests = Array.from({ length: MOST_TOKENS }, (_, at) => clients[at % clients.length])
    .filter((client) => client !== undefined)
    .map((client) => way.request(client));
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const latenciesUs: number[] = [];
  const beforeUs = readCpuUs(peer.pid);
  const startMs = performance.now();
  let sent = 0;
  try {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() - startMs < SECONDS * 1000) {
          const request = requests[sent];
          if (request === undefined) break;
          sent += 1;
          const sentMs = performance.now();
          await askForToken(agent, peer.address, request, sent);
          latenciesUs.push((performance.now() - sentMs) * 1000);
        }
      }),
    );
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - startMs) / 1000;
  const sorted = latenciesUs.toSorted((a, b) => a - b);
  const quantile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return {
    cpuUs: (readCpuUs(peer.pid) - beforeUs) / latenciesUs.length,
    tokensPerSecond: latenciesUs.length / seconds,
    p50Us: quantile(0.5),
    p99Us: quantile(0.99),
  };
}

async function askForToken(
  agent: Agent,
  address: string,
  { authorization, parameters }: TokenRequest,
  at: number,
): Promise<void> {
  const [host, port] = address.split(':');
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters }).toString();
  const request = startRequest({
    ...{ agent, host, port, method: 'POST', path: '/oauth2/token' },
    headers: {
      ...(authorization === null ? {} : { authorization }),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
      'x-envoy-external-address': `10.${String((at >> 16) & 255)}.${String((at >> 8) & 255)}.${String(at & 255)}`,
      'x-request-id': '21e53804-3031-4abc-82c0-743bc393a1ff',
    },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += String(piece);
  if (!text.startsWith('{"access_token":')) throw new Error(`${tokenEndpointName}: the answer is no token: ${text}`);
}
