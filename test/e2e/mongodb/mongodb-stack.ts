import assert from 'node:assert/strict';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { type PlainRequest, send } from '../../support/http/http-client.ts';
import { type ReplicaSet, startReplicaSet } from '../../support/mongodb/replica-set.ts';
import { startDatabase } from '../../support/mongodb/start-database.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternProcess, type PosternSettings, startPostern } from '../../support/stack/postern-process.ts';
import { startBackend } from '../../support/stack/recording-backend.ts';
import { acquireAll } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

/** What `credential issue` and `credential rotate` hand over; of method key without an App Secret. */
export interface HandedOver {
  readonly id: string;
  readonly appKey: string;
  readonly appSecret: string | null;
}

/** One `postern serve`, and the Envoy that asks it and no other. */
export interface Replica {
  readonly postern: PosternProcess;
  readonly envoy: Envoy;
}

/** The product on a database of its own, as operators run it. */
export interface MongodbStack extends AsyncDisposable {
  /** Where the database is. */
  readonly uri: string;
  readonly replicas: readonly Replica[];
  /** The replica with this number, from 0. */
  replica(number?: number): Replica;
  /** Runs a command that must succeed; gives what it prints. A secret that it takes from `env:SECRET` is remembered as below. */
  postern(command: string, secret?: string): Promise<string>;
  /** Issues or rotates a credential, and remembers the secret that nobody may find. */
  handOver(command: string): Promise<HandedOver>;
  /** Calls every replica until each answers with this status, and this code unless it is 200. */
  untilEverywhere(request: () => PlainRequest, status: number, code?: string): Promise<void>;
}

/** The product on a MongoDB server of its own. */
export interface OwnMongodbStack extends MongodbStack {
  readonly mongodb: ReplicaSet;
  /** Everything that was stored and logged, in which a secret stands that was handed over, with its place. */
  findSecrets(): Promise<readonly string[]>;
}

/** On a database of the shared server: makes a key ring, the schema and the endpoints `/signed` (hmac) and `/keyed` (key), and then the replicas. */
export async function startMongodbStack(count = 1, settings: PosternSettings = {}): Promise<MongodbStack> {
  return await acquireAll(async (keep) => await startParts(keep(await startDatabase()).uri, count, settings, keep));
}

/** The same on a server of its own, which may be stopped, and whose log is the stack's alone. */
export async function startOwnMongodbStack(count = 1, settings: PosternSettings = {}): Promise<OwnMongodbStack> {
  return await acquireAll(async (keep) => {
    const mongodb = keep(await startReplicaSet());
    const stack = await startParts(mongodb.uri('postern'), count, settings, keep);
    return {
      ...stack,
      mongodb,
      findSecrets: async () => {
        const logs = await Promise.all(mongodb.members.map(async (member) => await member.log()));
        return await stack.findSecrets(new Map([['log of MongoDB', logs.join('\n')]]));
      },
    };
  });
}

interface StackParts extends Omit<MongodbStack, keyof AsyncDisposable> {
  /** `more`: other texts to look through, by place. */
  findSecrets(more: ReadonlyMap<string, string>): Promise<readonly string[]>;
}

async function startParts(
  uri: string,
  count: number,
  settings: PosternSettings,
  keep: <R extends AsyncDisposable>(resource: R) => R,
): Promise<StackParts> {
  const folder = keep(await temporaryDirectory());
  const backend = keep(await startBackend());
  const environment = {
    POSTERN_STORE: uri,
    POSTERN_KEYRING: join(folder.path, 'keyring.yaml'),
  };
  const secrets: string[] = [];
  const printed: string[] = [];
  const run = async (command: string, given: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { code, out, err } = await runCli(command.split(' '), { ...environment, ...given });
    assert.equal(code, 0, `postern ${command}: ${err}`);
    return out;
  };
  const postern: MongodbStack['postern'] = async (command, secret) => {
    if (secret !== undefined) secrets.push(secret);
    const out = await run(command, secret === undefined ? {} : { SECRET: secret });
    printed.push(out);
    return out;
  };
  await postern(`keyring create ${environment.POSTERN_KEYRING}`);
  await postern('endpoint create signed --path /signed --authentication hmac');
  await postern('endpoint create keyed --path /keyed --authentication key');
  await postern('consumer create acme');

  const replicas: Replica[] = [];
  for (let number = 0; number < count; number += 1) {
    const serving = keep(await startPostern('', { ...environment, POSTERN_LOG_LEVEL: 'debug', ...settings }));
    const ports = { postern: serving.grpcPort, posternHttp: serving.httpPort ?? 1, backend: backend.port };
    replicas.push({ postern: serving, envoy: keep(await startEnvoy({ ports })) });
  }
  return {
    uri,
    replicas,
    replica: (number = 0) => {
      const found = replicas[number];
      assert.ok(found);
      return found;
    },
    postern,
    handOver: async (command) => {
      const answer = JSON.parse(await run(`${command} -o json`)) as Omit<HandedOver, 'appSecret'>;
      const handedOver: HandedOver = { appSecret: null, ...answer };
      secrets.push(handedOver.appSecret ?? handedOver.appKey);
      return handedOver;
    },
    untilEverywhere: async (request, status, code) => {
      for (const [number, { envoy }] of replicas.entries()) {
        let last = '';
        await poll(`${String(status)} ${code ?? ''} from replica ${String(number)}`, async () => {
          const answer = await send('HTTP/1.1', envoy.port, request());
          last = `${String(answer.status)} ${codeOf(answer) ?? ''}`;
          return answer.status === status && (status === 200 || codeOf(answer) === code) ? true : null;
        }).catch((error: unknown) => {
          throw new Error(`the last answer was ${last}`, { cause: error });
        });
      }
    },
    findSecrets: async (more) => {
      const texts = new Map<string, string>([...more, ['what commands printed', printed.join('\n')]]);
      for (const [number, { postern: serving, envoy }] of replicas.entries()) {
        texts.set(`log of Postern ${String(number)}`, serving.output());
        texts.set(`metrics of Postern ${String(number)}`, await serving.metrics());
        texts.set(`logs of Envoy ${String(number)}`, envoy.output());
      }
      for (const [name, text] of await dump(environment.POSTERN_STORE)) texts.set(name, text);
      assert.ok(secrets.length > 0);
      return [...texts].flatMap(([place, text]) => {
        assert.notEqual(text, '', `${place} is empty`);
        return secrets.flatMap((secret) =>
          writtenForms(secret).flatMap((form) => (text.includes(form) ? [place] : [])),
        );
      });
    },
  };
}

/** A request to `/signed`, signed with the credential now. */
export function signedWith({ appKey, appSecret }: HandedOver): PlainRequest & Required<Pick<PlainRequest, 'headers'>> {
  assert.ok(appSecret !== null);
  return signedByHmac({ target: '/signed', appKey, secret: appSecret });
}

/** A request to `/keyed` with the App Key: in a header, as partners should, or in the query, where logs see it. */
export function keyedWith({ appKey }: HandedOver, place: 'header' | 'query' = 'header'): PlainRequest {
  if (place === 'query') return { target: `/keyed?appKey=${appKey}` };
  return { target: '/keyed', headers: [['X-App-Key', appKey]] };
}

/** The code of a refusal; undefined when it is none. */
export function codeOf(answer: HttpAnswer): string | undefined {
  return answer.status === 200 ? undefined : (jsonBody(answer) as { readonly code?: string }).code;
}

/** All documents of a database, as text by collection; binary values stand there in base64 and as bytes. */
async function dump(uri: string): Promise<ReadonlyMap<string, string>> {
  await using client = await new MongoClient(uri, { promoteBuffers: false }).connect();
  const texts = new Map<string, string>();
  for (const collection of await client.db().collections()) {
    const raw = await collection.find({}, { raw: true }).toArray();
    const documents = await collection.find().toArray();
    const bytes = Buffer.concat(raw as unknown as readonly Buffer[]).toString('latin1');
    if (documents.length > 0) texts.set(`collection ${collection.collectionName}`, JSON.stringify(documents) + bytes);
  }
  assert.ok(texts.size >= 5, [...texts.keys()].join());
  return texts;
}

/** A secret as a careless program could write it down. */
function writtenForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // Without the last characters, which change with what follows.
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').slice(0, -4),
    JSON.stringify([...bytes]).slice(1, -1),
  ];
}
