import { type PlainRequest } from '../http/http-client.ts';
import { type LoadClient, openHttp1Client, openHttp2Client } from './load-client.ts';

/** A request, and what it is counted as. */
export interface LoadRequest {
  readonly kind: string;
  readonly request: PlainRequest;
  /** Makes it in place of the load's own clients, which end with the load. */
  readonly via?: LoadClient;
  /** Called with its outcome, as `outcomes` has it without the kind, and how long it took. */
  readonly seen?: (outcome: string, tookMs: number) => void;
}

export interface LoadOptions {
  /** Where Envoy listens. */
  readonly port: number;
  readonly perSecond: number;
  /** Gives the next request; each is signed when it is due. */
  readonly next: () => LoadRequest;
}

/** What came of it. */
export interface LoadReport {
  readonly sent: number;
  /** How often each kind of request had each outcome: `hmac 200`, `key 503 STORE_UNAVAILABLE`, `key ECONNRESET`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What was sent and not answered with 200. */
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * Requests at a steady rate, begun by the clock whether earlier ones were answered or not (an open loop), in turn over
 * HTTP/1.1 and HTTP/2. What a busy machine could not begin in time is begun late, and not left out.
 */
export interface Load extends AsyncDisposable {
  /** Resolves when this many more were answered. */
  more(count: number): Promise<void>;
  /** How many were begun so far, and how many of those are not answered yet. */
  count(): { readonly begun: number; readonly underWay: number };
  /** How often each outcome was seen so far. */
  soFar(): Readonly<Record<string, number>>;
  /** Ends it, waits for what is under way, and reports. */
  stop(): Promise<LoadReport>;
}

const TICK_MS = 5;
/** More at once say nothing but that the machine is too slow: beginning waits then. */
const MAX_UNDER_WAY = 64;

/** Starts at once. */
export function startLoad({ port, perSecond, next }: LoadOptions): Load {
  const clients = [openHttp1Client(port), openHttp2Client(port)] as const;
  const outcomes = new Map<string, number>();
  const tookMs: number[] = [];
  const underWay = new Set<Promise<void>>();
  const waiting: { readonly total: number; readonly resolve: () => void }[] = [];
  const startMs = performance.now();
  let sent = 0;

  const call = async (own: LoadClient, { kind, request, via = own, seen }: LoadRequest): Promise<void> => {
    const begunMs = performance.now();
    const outcome = await via.call(request).catch((error: unknown) => describe(error));
    const endMs = performance.now();
    tookMs.push(endMs - begunMs);
    seen?.(outcome, endMs - begunMs);
    const key = `${kind} ${outcome}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    for (const { total, resolve } of waiting) if (tookMs.length >= total) resolve();
  };
  const ticking = setInterval(() => {
    const due = ((performance.now() - startMs) * perSecond) / 1000;
    while (sent < due && underWay.size < MAX_UNDER_WAY) {
      const client = clients[sent % 2 === 0 ? 0 : 1];
      sent += 1;
      const running: Promise<void> = call(client, next()).finally(() => underWay.delete(running));
      underWay.add(running);
    }
  }, TICK_MS);

  let report: Promise<LoadReport> | null = null;
  const end = async (): Promise<LoadReport> => {
    clearInterval(ticking);
    const seconds = (performance.now() - startMs) / 1000;
    await Promise.all(underWay);
    for (const client of clients) await client[Symbol.asyncDispose]();
    tookMs.sort((a, b) => a - b);
    const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
    return {
      sent,
      outcomes: sorted(outcomes),
      failed: [...outcomes].filter(([key]) => !key.endsWith(' 200')).reduce((sum, [, count]) => sum + count, 0),
      perSecond: sent / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
    };
  };
  return {
    more: (count) =>
      new Promise((resolve) => {
        waiting.push({ total: tookMs.length + count, resolve });
      }),
    count: () => ({ begun: sent, underWay: underWay.size }),
    soFar: () => sorted(outcomes),
    stop: async () => await (report ??= end()),
    [Symbol.asyncDispose]: async () => {
      await (report ??= end());
    },
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

function sorted(outcomes: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)));
}
