import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { signingVectors, type SigningVector } from '../../support/clients/vectors.ts';
import { installNewman, postmanFolder } from './newman.ts';

interface Header {
  readonly key: string;
  readonly value: string;
}

/** What a script made of a request, as the sandbox gives it. */
interface Execution {
  readonly error: { readonly message: string } | null;
  readonly request: {
    readonly url: unknown;
    readonly header: readonly Header[];
    readonly body?: { readonly raw?: string };
  };
}

/** The part of Postman's own sandbox that these tests use; it has no types. */
interface Sandbox {
  execute(
    event: object,
    options: object,
    done: (error: Error | null, execution: Omit<Execution, 'error'> & { readonly return: unknown }) => void,
  ): void;
  on(event: string, listener: (...parameters: readonly unknown[]) => void): void;
  removeAllListeners(event: string): void;
  dispose(): void;
}

/** What Postman leaves as it is in an address: it encodes other characters, and takes off a "?" with nothing behind it. */
const SENT_AS_IT_IS = /^[A-Za-z0-9\-._~:/?@!$&()*+,;=%]+(?<!\?)$/;
const BODILESS = ['GET', 'HEAD'];

/**
 * Whether a partner can enter this request in Postman: a body is text there, an address is encoded when
 * it is sent, and names of headers stand in one line.
 */
function canBeEntered({ client, request: { method, url, body } }: SigningVector): boolean {
  const areNames = (client.signedHeaders ?? []).every((name) => /^\S+$/.test(name));
  const isText = body === undefined || 'text' in body || 'repeat' in body;
  return areNames && isText && SENT_AS_IT_IS.test(url) && !(BODILESS.includes(method) && body !== undefined);
}

function textOf({ request: { body } }: SigningVector): string {
  if (body === undefined) return '';
  return 'repeat' in body ? body.repeat.repeat(body.times) : 'text' in body ? body.text : '';
}

const scripts = { hmac: 'hmac', 'parameter-signature': 'parameter-signature', key: 'key', oauth2: 'oauth2' } as const;

describe('the scripts of the Postman collection', () => {
  const vectors = signingVectors().filter(canBeEntered);
  let sandbox: Sandbox;
  before(async () => {
    await installNewman();
    const load = createRequire(join(postmanFolder, 'package.json'));
    const { createContext } = load('postman-sandbox') as {
      createContext: (done: (error: Error | null, made: Sandbox) => void) => void;
    };
    sandbox = await new Promise((resolve, reject) => {
      createContext((error, made) => {
        if (error === null || (error as unknown) === undefined) resolve(made);
        else reject(error);
      });
    });
  });
  after(() => {
    sandbox.dispose();
  });

  /** Runs the script of a method in Postman's sandbox, at the time and with the nonce of a case. */
  async function run(vector: SigningVector): Promise<Execution & { readonly problem: string | null }> {
    const { client, now, nonce = '', request } = vector;
    const carrier = client.carrier ?? { header: 'X-App-Key' };
    const variables = {
      appKey: client.appKey,
      appSecret: client.appSecret ?? '',
      algorithm: client.algorithm ?? '',
      signedHeaders: (client.signedHeaders ?? []).join(' '),
      encoding: client.encoding ?? '',
      nonce: String(client.nonce === true),
      keyHeader: 'header' in carrier ? carrier.header : '',
      keyQuery: 'query' in carrier ? carrier.query : '',
    };
    const code = ['common', scripts[client.method]].map((name) =>
      readFileSync(join(postmanFolder, 'scripts', `${name}.js`), 'utf8'),
    );
    const fixed = [
      `{ const Real = Date; Date = class extends Real { constructor() { super(${String(now * 1000)}); } static now() { return ${String(now * 1000)}; } }; }`,
      `require('crypto-js').lib.WordArray.random = () => require('crypto-js').enc.Hex.parse('${nonce}');`,
    ];
    const body = textOf(vector);
    const context = {
      request: {
        method: request.method,
        url: request.url,
        header: request.headers.map(([key, value]) => ({ key, value })),
        ...(body === '' ? {} : { body: { mode: 'raw', raw: body } }),
      },
      environment: { values: Object.entries(variables).map(([key, value]) => ({ key, value })) },
    };
    let problem: string | null = null;
    sandbox.removeAllListeners('execution.assertion');
    sandbox.on('execution.assertion', (_cursor, assertions) => {
      const [failed] = assertions as readonly { readonly error?: { readonly message: string } }[];
      problem ??= /^[A-Z_]+/.exec(failed?.error?.message ?? '')?.[0] ?? null;
    });
    const event = { listen: 'prerequest', script: { exec: [...fixed, ...code] } };
    return await new Promise((resolve) => {
      sandbox.execute(event, { context }, (error, execution) => {
        resolve({ ...execution, error, problem });
      });
    });
  }

  it('are tried with nearly every vector', () => {
    assert.ok(vectors.length >= 300, String(vectors.length));
  });

  for (const method of ['hmac', 'parameter-signature', 'key'] as const) {
    it(`make what the vectors of ${method} want, and refuse what they refuse`, async () => {
      const load = createRequire(join(postmanFolder, 'package.json'));
      const { Url } = load('postman-collection') as { Url: new (url: unknown) => { getPathWithQuery(): string } };
      let count = 0;
      for (const vector of vectors.filter(({ client }) => client.method === method)) {
        const { name, signed, problem = null, request } = vector;
        const made = await run(vector);
        assert.deepEqual([name, made.problem], [name, problem]);
        count += 1;
        if (signed === undefined) continue;
        assert.equal(made.error, null, name);
        assert.equal(new Url(made.request.url).getPathWithQuery(), signed.target, name);
        for (const [header, value] of signed.headers) {
          const found = made.request.header.filter(({ key }) => key.toLowerCase() === header.toLowerCase());
          assert.deepEqual([name, header, ...found.map((each) => each.value)], [name, header, value]);
        }
        const body = made.request.body?.raw ?? '';
        if (signed.body !== undefined && 'text' in signed.body) assert.equal(body, signed.body.text, name);
        else if (signed.body === undefined) assert.equal(body, textOf(vector), name);
        assert.equal(request.method, vector.request.method);
      }
      assert.ok(count > 5);
    });
  }
});
