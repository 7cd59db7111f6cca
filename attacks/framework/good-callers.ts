import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { HealthCheckRequest } from '../../src/gen/grpc/health/v1/health.ts';
import { RawClient } from '../../test/support/grpc/raw-client.ts';
import { basic, form } from '../../test/support/oauth2/oauth2-request.ts';
import { signedByHmac } from '../../test/support/partner/hmac.ts';
import { readAnswer } from '../../test/support/pipeline/answer.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import type { Answers, CallersReport } from './bounds.ts';
import { good } from './document.ts';
import { checkPath, healthPath } from './paths.ts';
import type { Target } from './service.ts';
import { answerQuestions } from './worker.ts';

/** What the process of the good callers is asked; the last two want what was seen since the one before. */
export type CallersQuestion =
  | { readonly kind: 'start'; readonly target: Target; readonly deadlineMs: number }
  | { readonly kind: 'sent' }
  | { readonly kind: 'report' }
  | { readonly kind: 'stop' };

/** What it answers. */
export interface CallersAnswer {
  /** The messages that they sent since they started. */
  readonly sentKib: number;
  /** Null when none was asked for. */
  readonly report: CallersReport | null;
}

const CALL_EVERY_MS = 20;
const CONNECT_EVERY_MS = 1000;
const HEALTH = Buffer.from(HealthCheckRequest.encode({ service: '' }).finish());
/** Beyond a stream's first window: a message that needs memory of its own. */
const LARGE_BODY = Buffer.alloc(300_000, 'large');
const LARGE = checkRequest({
  method: 'POST',
  path: '/keyed/orders',
  headers: [
    ['x-app-key', good.key],
    ['content-length', String(LARGE_BODY.length)],
  ],
  body: LARGE_BODY,
});
const KEYED = checkRequest({ path: '/keyed/orders', headers: [['x-app-key', good.key]] });

/** Times and outcomes of one kind of call. */
class Log {
  #outcomes = new Map<string, number>();
  #tookMs: number[] = [];

  /** Makes a call, and notes its outcome: `ok`, or what was answered in its place. */
  async note(kind: string, deadlineMs: number, call: () => Promise<string>): Promise<void> {
    const begunMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, deadlineMs, `no answer in ${String(deadlineMs / 1000)} s`);
    });
    const outcome = await Promise.race([call().catch(describe), late]);
    clearTimeout(timer);
    this.#tookMs.push(performance.now() - begunMs);
    const key = outcome === 'ok' ? outcome : `${kind} ${outcome}`;
    this.#outcomes.set(key, (this.#outcomes.get(key) ?? 0) + 1);
  }

  /** What was noted since the last time. */
  take(): Answers {
    const tookMs = this.#tookMs.sort((a, b) => a - b);
    const outcomes = Object.fromEntries(this.#outcomes);
    this.#outcomes = new Map();
    this.#tookMs = [];
    const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
    return { outcomes, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }
}

/** Partners behind an Envoy that works as it should: a connection that is kept, and new ones to every listener. */
class Callers {
  readonly #target: Target;
  readonly #deadlineMs: number;
  readonly #calls = new Log();
  readonly #newConnections = new Log();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[];
  readonly #connectNow: () => void;
  #client: Promise<RawClient> | null = null;
  /** Of the messages of checks. */
  sentBytes = 0;
  #made = 0;
  #unseen = 0;

  constructor(target: Target, deadlineMs: number) {
    this.#target = target;
    this.#deadlineMs = deadlineMs;
    const kinds: readonly (readonly [kind: string, call: () => Promise<string>])[] = [
      ['key', async () => await this.#check(KEYED)],
      ['health', async () => await this.#health(await this.#connected())],
      ['hmac', async () => await this.#check(this.#signed())],
      ...(target.unseenKeys.length === 0 ? [] : [['unseen key', async () => await this.#checkUnseen()] as const]),
    ];
    const connects: typeof kinds = [
      ['gRPC', async () => await this.#connectAnew()],
      ['OAuth2', async () => await this.#getToken()],
      ['admin', async () => await this.#askAdmin()],
    ];
    const call = (): void => {
      const [kind, make] = kinds[this.#made % kinds.length] ?? ['', async () => await Promise.resolve('')];
      this.#made += 1;
      this.#run(this.#calls.note(kind, deadlineMs, make));
    };
    this.#connectNow = () => {
      for (const [kind, make] of connects) this.#run(this.#newConnections.note(kind, deadlineMs, make));
      this.#run(this.#calls.note('large', deadlineMs, async () => await this.#check(LARGE)));
    };
    this.#timers = [setInterval(call, CALL_EVERY_MS), setInterval(this.#connectNow, CONNECT_EVERY_MS)];
    this.#connectNow();
  }

  /**
   * What came of the calls that were answered since the last time. New connections are made at once, and then each
   * second.
   */
  report(): CallersReport {
    const report = this.#take();
    this.#connectNow();
    return report;
  }

  #take(): CallersReport {
    return { calls: this.#calls.take(), newConnections: this.#newConnections.take() };
  }

  /** Waits for the calls under way. */
  async stop(): Promise<CallersReport> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay);
    const client = await this.#client?.catch(() => null);
    await client?.[Symbol.asyncDispose]();
    return this.#take();
  }

  #run(call: Promise<void>): void {
    const running: Promise<void> = call.finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  async #connect(): Promise<RawClient> {
    const { grpcPort, ca } = this.#target;
    return await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: grpcPort }, ca === null ? {} : { ca });
  }

  /** The connection that is kept, or another one when it was closed. */
  async #connected(): Promise<RawClient> {
    this.#client ??= this.#connect().then(
      (client) => {
        client.session.once('close', () => {
          this.#client = null;
        });
        return client;
      },
      (error: unknown) => {
        this.#client = null;
        throw error;
      },
    );
    return await this.#client;
  }

  async #health(client: RawClient): Promise<string> {
    const { grpcStatus, grpcMessage, resetCode } = await client.call(healthPath.check, HEALTH);
    return grpcStatus === 0 ? 'ok' : grpcOutcome(grpcStatus, grpcMessage, resetCode);
  }

  async #check(message: Buffer): Promise<string> {
    const client = await this.#connected();
    this.sentBytes += message.length;
    const { grpcStatus, grpcMessage, resetCode, body } = await client.call(checkPath, message);
    if (grpcStatus !== 0) return grpcOutcome(grpcStatus, grpcMessage, resetCode);
    const answer = readAnswer(body.subarray(5));
    return answer.kind === 'allowed' ? 'ok' : `${String(answer.status)} ${answer.body.code}`;
  }

  /** Each with a signature that was not used before. */
  #signed(): Buffer {
    const path = `/signed/orders?call=${String(this.#made)}&at=${String(performance.now())}`;
    const { headers } = signedByHmac({ target: path, appKey: good.hmac.appKey, secret: good.hmac.secret });
    return checkRequest({ path, headers });
  }

  async #checkUnseen(): Promise<string> {
    const { unseenKeys } = this.#target;
    const appKey = unseenKeys[this.#unseen % unseenKeys.length] ?? '';
    this.#unseen += 1;
    return await this.#check(checkRequest({ path: '/keyed/orders', headers: [['x-app-key', appKey]] }));
  }

  async #connectAnew(): Promise<string> {
    await using client = await this.#connect();
    return await this.#health(client);
  }

  async #getToken(): Promise<string> {
    const { httpPort, ca, goodSource } = this.#target;
    const [, authorization] = basic(good.oauth2.appKey, good.oauth2.secret);
    const headers = {
      authorization,
      'content-type': 'application/x-www-form-urlencoded',
      'x-envoy-external-address': goodSource,
    };
    const body = form({ grant_type: 'client_credentials' });
    return await askHttp(
      { port: httpPort, ca, method: 'POST', path: '/oauth2/token', headers, body },
      this.#deadlineMs,
    );
  }

  async #askAdmin(): Promise<string> {
    const request = { port: this.#target.adminPort, ca: null, method: 'GET', path: '/readyz', headers: {}, body: '' };
    return await askHttp(request, this.#deadlineMs);
  }
}

interface HttpRequest {
  readonly port: number;
  readonly ca: string | null;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes a request on a connection of its own. */
async function askHttp({ port, ca, body, ...rest }: HttpRequest, timeout: number): Promise<string> {
  const options = { host: '127.0.0.1', port, agent: false, timeout, ...rest };
  return await new Promise((resolve, reject) => {
    const request = ca === null ? httpRequest(options) : httpsRequest({ ...options, ca });
    request.on('response', (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode === 200 ? 'ok' : String(answer.statusCode));
      });
    });
    request.on('timeout', () => request.destroy()).on('error', reject);
    request.end(body);
  });
}

function grpcOutcome(status: number | undefined, message: string | undefined, resetCode: number): string {
  return status === undefined ? `reset ${String(resetCode)}` : `gRPC ${String(status)} ${message ?? ''}`;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

let callers: Callers | null = null;

answerQuestions(async (asked): Promise<CallersAnswer> => {
  const question = asked as CallersQuestion;
  if (question.kind === 'start') callers = new Callers(question.target, question.deadlineMs);
  if (callers === null) throw new Error('the good callers were not started');
  const { kind } = question;
  const report = kind === 'report' ? callers.report() : kind === 'stop' ? await callers.stop() : null;
  return { sentKib: callers.sentBytes / 1024, report };
});
