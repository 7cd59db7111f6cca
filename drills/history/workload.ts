import { setTimeout as delay } from 'node:timers/promises';
import type { PlainRequest } from '../../test/support/http/http-client.ts';
import { signedByHmac } from '../../test/support/partner/hmac.ts';
import { runCli } from '../../test/unit/cli/run-cli.ts';
import type { ReplicaClient } from './ask-replica.ts';
import type { Acknowledgement, Asked, Changed } from './history.ts';
import type { Random } from './random.ts';

/** What partners and operators do while the network breaks. */
export interface Workload {
  readonly clients: readonly ReplicaClient[];
  readonly environment: Readonly<Record<string, string>>;
  readonly random: Random;
  /** Callers go on with a revoked credential for so long. */
  readonly revokedWithinMs: number;
  readonly signal: AbortSignal;
  readonly asked: Asked[];
  readonly changed: Changed[];
}

/** A consumer with a credential of method hmac. */
export interface Signer {
  readonly consumer: string;
  readonly credential: string;
  readonly appKey: string;
  readonly secret: string;
}

/** What `postern` says of a change by its exit code; others are no answer to a change. */
const toldBy: Readonly<Record<number, Acknowledgement>> = { 0: 'made', 4: 'not made', 5: 'not made', 6: 'unknown' };
/** How long a command tries. */
const COMMAND_TIMEOUT = '5s';
const LATER_MS = 3000;

async function rest({ signal }: Workload, ms: number): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

async function ask(
  workload: Workload,
  replica: number,
  request: PlainRequest,
  about: Pick<Asked, 'consumer' | 'credential' | 'signature'>,
): Promise<void> {
  const startMs = performance.now();
  const outcome = (await workload.clients[replica]?.ask(request)) ?? '';
  const { consumer, credential, signature } = about;
  workload.asked.push({ replica, consumer, credential, signature, startMs, endMs: performance.now(), outcome });
}

/** Signs a request, sends it to all replicas at once, and now and then again. */
export async function sendSigned(workload: Workload, signer: Signer): Promise<void> {
  const { clients, random, signal } = workload;
  const replicas = clients.map((_, at) => at);
  const { consumer, credential, appKey, secret } = signer;
  const later: Promise<void>[] = [];
  for (let count = 0; !signal.aborted; count += 1) {
    const target = `/signed/${consumer}/${String(count)}`;
    const request = signedByHmac({ target, appKey, secret });
    const send = async (replica: number): Promise<void> => {
      await ask(workload, replica, request, { consumer, credential, signature: target });
    };
    await Promise.all(replicas.map(send));
    if (random.onceIn(3)) {
      const again = random.onceIn(2) ? 0 : replicas.length - 1;
      later.push(delay(random.between(0, LATER_MS)).then(() => send(again)));
    }
    await rest(workload, random.between(20, 150));
  }
  await Promise.all(later);
}

/** Runs a command that makes one change, and records what it said. */
async function change(
  workload: Workload,
  about: Pick<Changed, 'subject' | 'value'>,
  ...args: readonly string[]
): Promise<{ readonly told: Acknowledgement; readonly out: string }> {
  const startMs = performance.now();
  const { code, out, err } = await runCli([...args, '--timeout', COMMAND_TIMEOUT], workload.environment);
  const told = toldBy[code];
  if (told === undefined) throw new Error(`postern ${args.join(' ')} ended with ${String(code)}: ${err}`);
  workload.changed.push({ subject: about.subject, value: about.value, startMs, endMs: performance.now(), told });
  return { told, out };
}

/** Gives a consumer one label after the other. */
export async function editLabels(workload: Workload, consumer: string): Promise<void> {
  for (let count = 1; !workload.signal.aborted; count += 1) {
    const value = String(count);
    await change(workload, { subject: `consumer/${consumer}`, value }, ...editOf(consumer, value));
    await rest(workload, workload.random.between(100, 1500));
  }
}

const editOf = (consumer: string, value: string): readonly string[] => [
  ...['consumer', 'edit', consumer, '--label', `count=${value}`],
];

/** Issues a credential, calls with it, revokes it, and goes on calling beyond the promised time; then the next one. */
export async function issueAndRevoke(workload: Workload, consumer: string): Promise<void> {
  const { random, signal } = workload;
  for (let count = 0; !signal.aborted; count += 1) {
    const id = `${consumer}-key-${String(count)}`;
    const issued = await change(
      workload,
      { subject: `credential/${id}`, value: 'active' },
      ...['credential', 'issue', '--consumer', consumer, '--method', 'key', '--id', id, '-o', 'json'],
    );
    if (issued.told !== 'made') continue;
    const { appKey } = JSON.parse(issued.out) as { readonly appKey: string };
    const request: PlainRequest = { target: '/keyed', headers: [['x-app-key', appKey]] };
    const callers = new AbortController();
    const calling = callUntil(workload, request, { consumer, credential: id }, callers.signal);
    await rest(workload, random.between(1000, 8000));
    await revoke(workload, id);
    await rest(workload, workload.revokedWithinMs + 5000);
    callers.abort();
    await calling;
  }
}

/** A change that was not made is tried again, as operators do; one of which nobody knows is not. */
async function revoke(workload: Workload, id: string): Promise<void> {
  const about = { subject: `credential/${id}`, value: 'revoked' };
  for (;;) {
    const { told } = await change(workload, about, 'credential', 'revoke', id, '--yes');
    if (told !== 'not made' || workload.signal.aborted) return;
  }
}

async function callUntil(
  workload: Workload,
  request: PlainRequest,
  about: Pick<Asked, 'consumer' | 'credential'>,
  ended: AbortSignal,
): Promise<void> {
  const { clients, random } = workload;
  while (!ended.aborted) {
    const replica = random.onceIn(2) ? 0 : clients.length - 1;
    await ask(workload, replica, request, { ...about, signature: null });
    await rest(workload, random.between(10, 60));
    if (workload.signal.aborted) return;
  }
}
