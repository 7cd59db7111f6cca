import assert from 'node:assert/strict';
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Installed } from './installed.ts';

const installed = new Installed();
after(() => {
  installed[Symbol.dispose]();
});

const appKey = '3f0c9a1be27d4856af0312c4d5e6b798';
const secret = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';
const variables = { SECRET: secret, APP_KEY: '8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e' };
const date = 'Sat, 21 Nov 2026 02:40:00 GMT';
const at = '2026-11-21T02:40:00Z';
const body = '{"amount":12}';
const digestOf = (text: string): string => `SHA-256=${createHash('sha256').update(text).digest('base64')}`;

interface Signing {
  /** The string to sign. */
  readonly text: string;
  readonly list?: string;
  readonly secret?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly date?: string;
}

/** A curl command that signs with HMAC what it is given. */
function hmacCommand({ text, list = 'date request-line', headers = [], body: sent, ...other }: Signing): string {
  const signature = createHmac('sha256', other.secret ?? secret)
    .update(text)
    .digest('base64');
  const authorization = `hmac appkey="${appKey}", algorithm="hmac-sha256", headers="${list}", signature="${signature}"`;
  const all = [`Date: ${other.date ?? date}`, ...headers, `Authorization: ${authorization}`];
  const data = sent === undefined ? '' : ` --data-binary '${sent}' -H 'Content-Type: application/json'`;
  return `curl 'https://api.example.com/invoices?year=2026'${data}${all.map((line) => ` -H '${line}'`).join('')}`;
}

/** A curl command with these parameters and the SHA-512 of the text. */
function parameterCommand(query: string, text: string, spelled = (sign: string): string => sign): string {
  const sign = spelled(createHash('sha512').update(text).digest('hex'));
  return `curl 'https://api.example.com/shipments?${query}&sign=${sign}'`;
}

const line = 'GET /invoices?year=2026 HTTP/1.1';
const right = `date: ${date}\n${line}`;
const withDigest = 'date request-line digest';
const posted = `date: ${date}\nPOST /invoices?year=2026 HTTP/1.1\ndigest: ${digestOf(body)}`;
const query = `to=K%C3%B6ln+1&appKey=${appKey}&apiTimestamp=1795228800`;
const parameters = `apiTimestamp=1795228800&appKey=${appKey}&to=Köln 1${secret}`;

const signer = generateKeyPairSync('ed25519');
const publicKeyFile = join(installed.folder, 'public.pem');
writeFileSync(publicKeyFile, signer.publicKey.export({ type: 'spki', format: 'pem' }));

interface MessageSigning {
  /** The lines that are signed, without the last one; a body follows from `digest`. */
  readonly signed?: (lines: string) => string;
  /** Of `body`, which is sent with it. */
  readonly digest?: string;
  readonly parameters?: string;
  /** Beside the digest, where there is one. */
  readonly covered?: string;
  readonly encode?: (signature: Buffer) => string;
  /** The header fields in place of Signature-Input and Signature. */
  readonly fields?: (input: string, signature: string) => readonly string[];
}

/** A curl command with an HTTP message signature. */
function messageCommand({ signed = (lines) => lines, digest, ...other }: MessageSigning = {}): string {
  const method = digest === undefined ? 'GET' : 'POST';
  const lines = [
    `"@method": ${method}`,
    '"@authority": api.example.com',
    '"@path": /transfers',
    '"@query": ?year=2026',
    ...(digest === undefined ? [] : [`"content-digest": ${digest}`]),
  ];
  const covered = other.covered ?? lines.map((each) => each.slice(0, each.indexOf(':'))).join(' ');
  const kept = lines.filter((each) => covered.includes(each.slice(0, each.indexOf(':'))));
  const input = `(${covered})${other.parameters ?? `;created=1795228800;keyid="${appKey}"`}`;
  const base = signed(`${kept.join('\n')}\n"@signature-params": ${input}`);
  const bytes = sign(null, Buffer.from(base), signer.privateKey);
  const signature = other.encode?.(bytes) ?? bytes.toString('base64');
  const fields = other.fields?.(input, signature) ?? [
    `Signature-Input: sig1=${input}`,
    `Signature: sig1=:${signature}:`,
  ];
  const data =
    digest === undefined
      ? ''
      : ` --data-binary '${body}' -H 'Content-Type: application/json' -H 'Content-Digest: ${digest}'`;
  return `curl 'https://api.example.com/transfers?year=2026'${data}${fields.map((each) => ` -H '${each}'`).join('')}`;
}

const contentDigest = (text: string): string => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;

const messageMistakes: [name: string, request: string, at?: string, option?: string][] = [
  ['question-mark', messageCommand({ signed: (lines) => lines.replace('?year', 'year') })],
  ['path-with-query', messageCommand({ signed: (lines) => lines.replace('/transfers', '/transfers?year=2026') })],
  ['method-case', messageCommand({ signed: (lines) => lines.replace('GET', 'get') })],
  ['line-feed-at-the-end', messageCommand({ signed: (lines) => `${lines}\n` })],
  ['colon', messageCommand({ signed: (lines) => lines.replaceAll('": ', '":') })],
  ['not-covered', messageCommand({ covered: '"@method" "@authority" "@path"' })],
  ['body-changed', messageCommand({ digest: contentDigest('{"amount":13}') })],
  ['created-missing', messageCommand({ parameters: `;keyid="${appKey}"` })],
  ['keyid-missing', messageCommand({ parameters: ';created=1795228800' })],
  ['created-in-milliseconds', messageCommand({ parameters: `;created=1795228800000;keyid="${appKey}"` })],
  ['nonce-missing', messageCommand(), at, 'replayProtection=true'],
  ['outside-the-window', messageCommand(), '2026-11-21T02:46:00Z'],
  ['signature-missing', messageCommand({ fields: () => [] })],
  ['signature-input-missing', messageCommand({ fields: (_, signature) => [`Signature: sig1=:${signature}:`] })],
];

const mistakes: [name: string, method: 'hmac' | 'parameter-signature', request: string, at?: string][] = [
  ['path-without-query', 'hmac', hmacCommand({ text: right.replace('?year=2026', '') })],
  ['http-version', 'hmac', hmacCommand({ text: right.replace('HTTP/1.1', 'HTTP/2') })],
  ['line-feed-at-the-end', 'hmac', hmacCommand({ text: `${right}\n` })],
  ['secret-white-space', 'hmac', hmacCommand({ text: right, secret: `${secret}\n` })],
  ['outside-the-window', 'hmac', hmacCommand({ text: right }), '2026-11-21T02:46:00Z'],
  [
    'one-digit-day',
    'hmac',
    hmacCommand({ text: `date: Sat, 7 Nov 2026 02:40:00 GMT\n${line}`, date: 'Sat, 7 Nov 2026 02:40:00 GMT' }),
    '2026-11-07T02:40:00Z',
  ],
  [
    'digest-of-body-reformatted',
    'hmac',
    hmacCommand({ text: posted, list: withDigest, headers: [`Digest: ${digestOf(body)}`], body: '{"amount": 12}' }),
  ],
  ['digest-missing', 'hmac', hmacCommand({ text: right.replace('GET', 'POST'), body })],
  [
    'values-percent-encoded',
    'parameter-signature',
    parameterCommand(query, parameters.replace('Köln 1', 'K%C3%B6ln+1')),
  ],
  [
    'not-sorted',
    'parameter-signature',
    parameterCommand(query, `to=Köln 1&appKey=${appKey}&apiTimestamp=1795228800${secret}`),
  ],
  ['sign-upper-case', 'parameter-signature', parameterCommand(query, parameters, (sign) => sign.toUpperCase())],
  [
    'timestamp-milliseconds',
    'parameter-signature',
    parameterCommand(query.replace('1795228800', '1795228800000'), parameters.replace('1795228800', '1795228800000')),
  ],
];

describe('the commonest mistakes', () => {
  for (const [name, method, request, time = at] of mistakes) {
    it(`${name}: named, with what to do, exit code 1`, () => {
      const args = ['-', '--method', method, '--app-key', appKey, '--secret-from', 'env:SECRET', '--at', time];
      const shown = installed.run([...args, '-o', 'json'], request, variables);
      const { verdict, mistakes } = JSON.parse(shown.out) as {
        verdict: string;
        mistakes: { name: string; fix: string }[];
      };
      assert.deepEqual([verdict, mistakes.map((mistake) => mistake.name), shown.code], ['wrong', [name], 1], shown.out);
      assert.ok((mistakes[0]?.fix ?? '').length > 20, shown.out);
      assert.ok(!`${shown.out}${shown.err}`.includes(secret));
    });
  }
  for (const [name, request, time = at, option] of messageMistakes) {
    it(`${name}, of an HTTP message signature: named, with what to do, exit code 1`, () => {
      const args = ['-', '--method', 'http-message-signature', '--public-key', publicKeyFile, '--at', time];
      const options = option === undefined ? [] : ['--option', option];
      const shown = installed.run([...args, ...options, '-o', 'json'], request);
      const { verdict, mistakes } = JSON.parse(shown.out) as {
        verdict: string;
        mistakes: { name: string; fix: string }[];
      };
      assert.deepEqual([verdict, mistakes.map((mistake) => mistake.name), shown.code], ['wrong', [name], 1], shown.out);
      assert.ok((mistakes[0]?.fix ?? '').length > 20, shown.out);
    });
  }
  for (const [what, request] of [
    ['without a body', messageCommand()],
    ['with a body', messageCommand({ digest: contentDigest(body) })],
  ] as const) {
    it(`http-message-signature: a right request ${what} is right, exit code 0`, () => {
      const args = ['-', '--method', 'http-message-signature', '--public-key', publicKeyFile, '--at', at];
      const { code, out, err } = installed.run(args, request);
      assert.deepEqual([code, err], [0, ''], out);
      assert.match(out, /^Right: the signature fits the request\./);
    });
  }
  for (const [method, request] of [
    ['hmac', hmacCommand({ text: right })],
    ['parameter-signature', parameterCommand(query, parameters)],
  ] as const) {
    it(`${method}: a right request is right, exit code 0`, () => {
      const args = ['-', '--method', method, '--secret-from', 'env:SECRET', '--at', at];
      const { code, out, err } = installed.run(args, request, variables);
      assert.deepEqual([code, err], [0, ''], out);
      assert.match(out, /^Right: the signature fits the request\./);
    });
  }
});

describe('the examples of examples/explain/README.md that need no store', () => {
  const page = readFileSync(new URL('../../../examples/explain/README.md', import.meta.url), 'utf8');
  const example = /```sh\npostern explain (- --method .+?) <<'END'\n([^]*?)\nEND\n```\n\n```text\n([^]*?)```/g;
  const examples = [...page.matchAll(example)];
  it('have the one of the README among them', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, shown] = /```text\n([^]*?)```/.exec(readme) ?? [];
    assert.ok(
      examples.some(([, , , expected]) => expected === shown),
      shown,
    );
  });
  it('are at least nine', () => {
    assert.ok(examples.length >= 9, String(examples.length));
  });
  for (const [, args = '', request, expected] of examples) {
    it(`print the same: ${/\[([a-z-]+)\]/.exec(expected ?? '')?.[1] ?? args}`, () => {
      const { code, out, err } = installed.run(args.split(' '), `${request ?? ''}\n`, variables);
      assert.deepEqual([out, err, code], [expected, '', 1]);
    });
  }
});

describe('the package', () => {
  it('is one program, its licences and what npm wants', () => {
    const folder = join(installed.folder, 'node_modules');
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.startsWith('.')),
      ['postern-explain'],
    );
    const files = readdirSync(join(folder, 'postern-explain'), { recursive: true }).map(String).sort();
    assert.deepEqual(files, [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'dist/lib',
      'dist/lib/THIRD-PARTY-LICENSES.txt',
      'dist/lib/postern-explain.js',
      'package.json',
    ]);
  });
  it('names the licence of every package in it', () => {
    const folder = join(installed.folder, 'node_modules/postern-explain/dist/lib');
    const text = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const section of text.split('-'.repeat(80))) assert.match(section.trim(), /^\S+ \S+ \(.+\)\n\n[^]{200}/);
    for (const name of ['commander', 'yaml']) assert.match(text, new RegExp(`^${name} \\d`, 'm'));
  });
  it('holds no driver of a database, and nothing that could send a request', () => {
    const folder = join(installed.folder, 'node_modules/postern-explain/dist/lib');
    const text = readFileSync(join(folder, 'postern-explain.js'), 'utf8');
    assert.ok(text.length < 700_000, String(text.length));
    assert.ok(!text.includes('MongoClient'));
    const modules = Array.from(
      text.matchAll(/\b(?:from|import|require\()\s*"(?:node:)?([a-z0-9_/]+)"/g),
      ([, name]) => name,
    );
    assert.ok(modules.includes('fs') && modules.includes('crypto'), modules.join());
    const network = ['http', 'https', 'http2', 'tls', 'dgram', 'dns'];
    assert.deepEqual(
      modules.filter((name) => network.includes(name ?? '')),
      [],
    );
  });
});

describe('the command line', () => {
  it('prints its help, which names every flag of "postern explain" but those of stores', () => {
    const { code, out } = installed.runByNpx(['--help']);
    assert.equal(code, 0);
    assert.match(out, /^Usage: postern-explain \[options\] <file>/);
    const source = readFileSync(new URL('../../../src/cli/explain.ts', import.meta.url), 'utf8');
    const flags = Array.from(source.matchAll(/(?:Option|option)\(\s*'(--[a-z-]+)/g), ([, flag = '']) => flag);
    assert.ok(flags.length >= 8);
    for (const flag of flags.filter((each) => !['--endpoint', '--from', '--store'].includes(each))) {
      assert.ok(out.includes(`  ${flag} `), flag);
    }
    assert.match(out, / -o, --output <format> /);
    assert.doesNotMatch(out, /store|--endpoint|--timeout/);
  });
  it('prints its version', () => {
    const { out } = installed.runByNpx(['--version']);
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal(out, `${version}\n`);
  });
  for (const [what, args, message] of [
    ['without a method', ['-'], /required option '--method <method>' not specified/],
    ['with a store', ['-', '--method', 'key', '--store', 'x'], /unknown option '--store'/],
    [
      'with an unknown method',
      ['-', '--method', 'basic'],
      /Allowed choices are key, hmac, parameter-signature, http-message-signature, oauth2/,
    ],
    ['without a secret', ['-', '--method', 'hmac'], /^postern-explain: --secret-from is missing/],
    ['with a secret that is not set', ['-', '--method', 'hmac', '--secret-from', 'env:NONE'], /NONE/],
    ['with a wrong option', ['-', '--method', 'hmac', '--option', 'clockSkewSeconds=0'], /clockSkewSeconds/],
    ['without a file', ['--method', 'hmac'], /missing required argument 'file'/],
    [
      'with a file that is not there',
      ['none.txt', '--method', 'key', '--secret-from', 'env:SECRET'],
      /none\.txt cannot be read/,
    ],
  ] as const) {
    it(`${what}: exit code 2, and why`, () => {
      const { code, out, err } = installed.run(args, 'curl https://api.example.com/', variables);
      assert.match(err, message);
      assert.deepEqual([code, out], [2, '']);
    });
  }
  it('reads request and secret from files, and options of the API', () => {
    const request = hmacCommand({ text: right.replace('year', 'YEAR') });
    const args = ['--method', 'hmac', '--secret-from', 'env:SECRET', '--at', '2026-11-21T02:42:00Z'];
    const { out, code } = installed.run(
      ['-', ...args, '--option', 'clockSkewSeconds=60', '-o', 'yaml'],
      request,
      variables,
    );
    assert.equal(code, 1);
    assert.match(out, /name: outside-the-window/);
  });
});
