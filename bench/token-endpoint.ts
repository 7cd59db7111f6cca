import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { type Partner, spread } from './fixtures/partners.ts';
import type { RunningPeer } from './peers/peer.ts';
import { readCpuUs } from './process/figures.ts';
import { median } from './statistics.ts';

/** The name by which `--rows` asks for {@link measureTokenEndpoint}. */
export const tokenEndpointName = 'token-endpoint';

const CONNECTIONS = 16;
const SECONDS = 2;
const VARIETY = 1000;

/** What issuing a token costs; medians over the rounds. */
export interface TokenEndpointFigures {
  /** CPU time of the service for one token, user and system. */
  readonly cpuUs: number;
  readonly tokensPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

export const tokenEndpointTitle = `token endpoint: client_secret_basic, ${String(CONNECTIONS)} connections, one request at once on each`;

/**
 * Asks a service for tokens over HTTP/1.1, as Envoy would. Every request comes from another source, so that none is
 * throttled. Throws when one of the answers is no token.
 */
export async function measureTokenEndpoint(
  peer: RunningPeer,
  { partners, rounds }: { readonly partners: readonly Partner[]; readonly rounds: number },
): Promise<TokenEndpointFigures> {
  const clients = spread(partners, VARIETY);
  await drive(peer, clients);
  const seen: TokenEndpointFigures[] = [];
  for (let round = 0; round < rounds; round += 1) seen.push(await drive(peer, clients));
  const of = (name: keyof TokenEndpointFigures): number => median(seen.map((each) => each[name]));
  return { cpuUs: of('cpuUs'), tokensPerSecond: of('tokensPerSecond'), p50Us: of('p50Us'), p99Us: of('p99Us') };
}

async function drive(peer: RunningPeer, clients: readonly Partner[]): Promise<TokenEndpointFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const latenciesUs: number[] = [];
  const beforeUs = readCpuUs(peer.pid);
  const startMs = performance.now();
  let sent = 0;
  try {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() - startMs < SECONDS * 1000) {
          const client = clients[sent % clients.length];
          if (client === undefined) throw new Error('there are no partners');
          sent += 1;
          const sentMs = performance.now();
          await askForToken(agent, peer.address, client, sent);
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

async function askForToken(agent: Agent, address: string, { appKey, appSecret }: Partner, at: number): Promise<void> {
  const [host, port] = address.split(':');
  const body = 'grant_type=client_credentials';
  const request = startRequest({
    ...{ agent, host, port, method: 'POST', path: '/oauth2/token' },
    headers: {
      authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}`,
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
