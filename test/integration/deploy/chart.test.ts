import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Ajv } from 'ajv';
import { HealthImplementation } from 'grpc-health-check';
import { parse } from 'yaml';
import { chartComponents, makeChart } from '../../../scripts/deploy/chart.mjs';

const chart = new URL('../../../deploy/chart/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, chart), 'utf8');
const execute = promisify(execFile);

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema | false>>;
}
type Values = Record<string, unknown>;

const schema = JSON.parse(read('values.schema.json')) as Schema;
const validate = new Ajv({ strict: false }).compile<Values>(schema);

/** What the schema says of values, as `/path message`. */
function faultsOf(values: Values): readonly string[] {
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

/** `a.b` of every value that the schema names, without what is below a value that a template prints as a whole. */
function namesIn({ properties = {} }: Schema, prefix = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, below]) => {
    const inner = below === false || below.properties === undefined ? [] : namesIn(below, `${prefix}${name}.`);
    return inner.length > 0 && !whole.has(name) ? inner : [`${prefix}${name}`];
  });
}
const whole = new Set(['images', 'resources']);

describe('the Helm chart', () => {
  it('is what the kustomizations make it', async () => {
    for (const [path, text] of await makeChart()) {
      assert.equal(read(path), text, `deploy/chart/${path} is not up to date: node scripts/deploy/chart.mjs`);
    }
  }).timeout(30_000);

  it('takes its own values, and those of every version before', () => {
    const files = ['values.yaml', ...readdirSync(new URL('ci/', chart)).map((name) => `ci/${name}`)];
    for (const file of files) assert.deepEqual(faultsOf(parse(read(file)) as Values), [], file);
  });

  it('names every value in its schema, and uses each', () => {
    const templates = readdirSync(new URL('templates/', chart)).map((name) => read(`templates/${name}`));
    const used = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, name]) => name));
    const named = namesIn(schema).filter((name) => name !== 'global');
    assert.deepEqual([...new Set(used)].sort(), [...named].sort());
  });

  it('has a switch for each component', () => {
    const { components } = parse(read('values.yaml')) as { readonly components: Readonly<Record<string, boolean>> };
    assert.deepEqual(Object.keys(components).sort(), [...chartComponents.values()].sort());
  });

  const refused: readonly (readonly [string, Values, string])[] = [
    ['an unknown value', { replicas: 3 }, ' must NOT have additional properties'],
    ['a setting that is no text', { settings: { POSTERN_MAX_STALE_SECONDS: 60 } }, 'must be string'],
    ['a setting that is not of Postern', { settings: { NODE_OPTIONS: '' } }, 'must match pattern'],
    [
      'the address of the database, which has a password',
      { settings: { POSTERN_STORE: 'x' } },
      'boolean schema is false',
    ],
    [
      'OpenID Connect without the API',
      { components: { manageOpenIdConnect: true } },
      "must have required property 'manage'",
    ],
    ['pods of any namespace', { networkPolicy: { envoys: [{ podSelector: {} }] } }, 'must match a schema in anyOf'],
    ['a digest that is none', { image: { digest: 'latest' } }, 'must match pattern'],
  ];
  for (const [what, values, fault] of refused) {
    it(`refuses ${what}`, () => {
      const faults = faultsOf(values);
      assert.ok(
        faults.some((text) => text.includes(fault)),
        JSON.stringify(faults),
      );
    });
  }

  for (const [status, code, says] of [
    ['SERVING', 0, /: SERVING\n$/],
    ['NOT_SERVING', 1, /gRPC health does not say SERVING/],
  ] as const) {
    it(`has a test that ends with ${String(code)} when Postern is ${status}`, async () => {
      const server = new Server();
      new HealthImplementation({ '': status }).addToServer(server);
      const bind = promisify(server.bindAsync.bind(server));
      const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
      try {
        assert.match(await runTestPod(`127.0.0.1:${String(port)}`, code), says);
      } finally {
        server.forceShutdown();
      }
    });
  }

  it('has a test that says so when nothing listens', async () => {
    assert.match(await runTestPod('127.0.0.1:9', 1), /127\.0\.0\.1:9: not reachable: ECONNREFUSED/);
  });
});

/** Runs what the pod of `helm test` runs, and gives what it prints. */
async function runTestPod(address: string, code: number): Promise<string> {
  const args = ['--input-type=module', '--eval', read('files/reach.mjs')];
  try {
    const { stdout } = await execute(process.execPath, args, {
      env: { POSTERN_ADDRESS: address, POSTERN_TLS: 'false' },
    });
    assert.equal(code, 0);
    return stdout;
  } catch (error) {
    const ended = error as { readonly code?: number; readonly stderr?: string };
    assert.equal(ended.code, code);
    return ended.stderr ?? '';
  }
}
