/** The test program of CONTRACT.md: questions and answers as JSON lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import {
  createClient,
  PosternProblem,
  readRefusal,
  type ClientSettings,
  type PosternClient,
  type SignBytes,
} from '../src/index.ts';
import { Connections } from './connections.ts';

interface Body {
  readonly text?: string;
  readonly base64?: string;
  readonly repeat?: string;
  readonly times?: number;
  readonly once?: boolean;
}

interface Given {
  readonly method: string;
  readonly url: string;
  readonly headers?: [string, string][];
  readonly body?: Body;
  readonly follow?: boolean;
}

/** A private key, or the words that start a program which signs its standard input. */
type DriverKey = { readonly pem: string } | { readonly jwk: JsonWebKey } | { readonly signer: readonly string[] };

type TestSettings = ClientSettings & {
  readonly now?: number;
  readonly clockOffset?: number;
  readonly nonces?: readonly string[];
  readonly ca?: string;
  readonly proxy?: string;
};

interface Question {
  readonly op: string;
  readonly name: string;
  readonly adapter?: string;
  readonly http?: '1.1' | '2';
  readonly client: TestSettings;
  readonly request: Given;
  readonly acceptSignature?: string;
}

interface Made {
  readonly client: PosternClient;
  readonly connections: Connections;
}

const clients = new Map<string, Made>();

async function answer(question: Question): Promise<object> {
  if (question.op === 'describe') return { adapters: [{ name: 'fetch', http: ['1.1', '2'] }] };
  if (question.op === 'create') {
    await clients.get(question.name)?.connections.close();
    clients.set(question.name, make(question.client));
    return { created: true };
  }
  const made = clients.get(question.name);
  if (made === undefined) throw new Error(`there is no client ${question.name}`);
  if (question.op === 'sign') return await sign(made.client, question);
  if (question.op === 'assertion') return { assertion: await made.client.createAssertion() };
  if (question.op === 'send') return await send(made, question);
  if (question.op === 'print') return { text: await print(made.client) };
  throw new Error(`there is no operation ${question.op}`);
}

function make({ now, clockOffset = 0, nonces = [], ca, proxy, ...given }: TestSettings): Made {
  const { privateKey: key } = given as { readonly privateKey?: DriverKey };
  const settings = (key === undefined ? given : { ...given, privateKey: keyOf(key) }) as ClientSettings;
  const connections = new Connections(ca ?? null, proxy ?? null);
  const left = [...nonces];
  const client = createClient({
    ...settings,
    fetch: connections.fetch,
    now: () => (now === undefined ? Date.now() + clockOffset * 1000 : now * 1000),
    ...(nonces.length === 0 ? {} : { createNonce: () => left.shift() ?? crypto.randomUUID().replaceAll('-', '') }),
  });
  return { client, connections };
}

function keyOf(key: DriverKey): string | JsonWebKey | SignBytes {
  if ('pem' in key) return key.pem;
  return 'jwk' in key ? key.jwk : async (bytes) => await runSigner(key.signer, bytes);
}

/** Signs with a key that another process holds. */
async function runSigner([program = '', ...words]: readonly string[], bytes: Uint8Array): Promise<Uint8Array> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdin.on('error', () => undefined); // its end says why
  child.stdin.end(bytes);
  const pieces = (await child.stdout.toArray()) as Buffer[];
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the signer ended with ${String(code)}`);
  return Buffer.concat(pieces);
}

async function sign(client: PosternClient, { request, acceptSignature }: Question): Promise<object> {
  const given = { ...request, body: bytesOf(request.body) };
  const made = acceptSignature === undefined ? await client.sign(given) : await client.sign(given, { acceptSignature });
  if (made === null) return { signed: null };
  const { method, url, headers, body } = made;
  return { signed: { method, url, headers, body: base64(body) } };
}

async function send({ client, connections }: Made, { adapter, http = '1.1', request }: Question): Promise<object> {
  if (adapter !== 'fetch') throw new Error(`there is no adapter ${String(adapter)}`);
  const { method, url, headers = [], body, follow = false } = request;
  const bytes = bytesOf(body);
  const init = {
    ...{ method, headers, dispatcher: connections.dispatcher(http) },
    ...(follow ? { redirect: 'follow' as const } : {}),
  };
  const response = await client.fetch(url, {
    ...init,
    ...(body?.once === true ? { body: new Blob([bytes]).stream(), duplex: 'half' } : {}),
    ...(body?.once !== true && bytes.length > 0 ? { body: bytes } : {}),
  });
  const refusal = await readRefusal(response);
  return {
    response: {
      status: response.status,
      http: connections.spoken(http),
      headers: [...response.headers],
      body: base64(new Uint8Array(await response.arrayBuffer())),
    },
    refusal,
  };
}

/** Every way to print the client, what it signs, and a problem of it. */
async function print(client: PosternClient): Promise<string> {
  const inspected = [false, true].map((showHidden) => inspect(client, { depth: null, showHidden, getters: true }));
  const problems = await Promise.allSettled([
    client.fetch('https://127.0.0.1:1/%', { method: 'POST', body: '{}' }),
    client.sign({ method: 'GET', url: 'https://127.0.0.1/ä' }),
  ]);
  return [
    ...inspected,
    String(client),
    JSON.stringify(client),
    JSON.stringify(Object.entries(client)),
    inspect(client.fetch, { showHidden: true }),
    ...problems.flatMap((each) => (each.status === 'rejected' ? [inspect(each.reason, { depth: null })] : [])),
  ].join('\n');
}

function bytesOf({ text = '', base64: encoded, repeat, times = 0 }: Body = {}): Uint8Array<ArrayBuffer> {
  if (encoded !== undefined) return new Uint8Array(Buffer.from(encoded, 'base64'));
  return new Uint8Array(Buffer.from(repeat === undefined ? text : repeat.repeat(times)));
}

function base64(bytes: Uint8Array | null): string {
  return Buffer.from(bytes ?? []).toString('base64');
}

function failed(error: unknown): object {
  if (error instanceof PosternProblem) return { problem: { code: error.code, message: error.message } };
  const texts: string[] = [];
  for (let each = error; each instanceof Error && texts.length < 5; each = each.cause) texts.push(String(each));
  return { error: texts.join('; ') || String(error) };
}

async function reply(line: string): Promise<void> {
  let id: unknown;
  let answered: object;
  try {
    const question = JSON.parse(line) as Question & { readonly id?: unknown };
    id = question.id;
    answered = await answer(question);
  } catch (error) {
    answered = failed(error);
  }
  stdout.write(`${JSON.stringify(id === undefined ? answered : { id, ...answered })}\n`);
}

process.on('unhandledRejection', (error) => {
  console.error(error);
});
const pending = new Set<Promise<void>>();
for await (const line of createInterface({ input: stdin, crlfDelay: Infinity })) {
  if (line.trim() === '') continue;
  const replied = reply(line);
  pending.add(replied);
  void replied.finally(() => pending.delete(replied));
  // A question is about the clients that were made before it.
  if (line.includes('"create"')) await replied;
}
await Promise.all(pending);
await Promise.all(
  [...clients.values()].map(async ({ connections }) => {
    await connections.close();
  }),
);
