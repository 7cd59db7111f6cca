import assert from 'node:assert/strict';
import { createHash, type KeyObject, sign } from 'node:crypto';
import type { ExplainInput, KnownPublicKey } from '../../../../../src/check/methods/explanation/explainer.ts';
import type { ClientHeader } from '../../../../../src/check/signing/client-request.ts';
import type { HttpSignatureOptions } from '../../../../../src/model/endpoint.ts';
import type { Explanation } from '../../../../../src/partners/explain/explanation.ts';
import { type KeyPairKind, newKeyPair, signers, usualAlgorithms } from '../../../../support/partner/http-signature.ts';
import { explainAlone, keyPairEndpoint, nowSeconds } from '../../../partners/explain/endpoints.ts';

const kinds = ['ed25519', 'p-256'] as const;
const pairs = {
  ed25519: newKeyPair('ed25519'),
  'p-256': newKeyPair('p-256'),
  'p-384': newKeyPair('p-384'),
  rsa: newKeyPair('rsa'),
};
const other = newKeyPair('p-256');
const target = '/orders/a%20b?to=K%C3%B6ln+1&b=2';
const body = '{"b": 1,\n "a": "é/"}';
const digestOf = (text: string, name = 'sha-256'): string =>
  `${name}=:${createHash(name.replace('-', '')).update(text).digest('base64')}:`;

/** A request as a caller with some mistake makes it; what is left out is right. */
interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: readonly ClientHeader[];
  readonly body?: string;
  /** Null for none. */
  readonly digest?: string | null;
  readonly covered?: readonly string[];
  /** What is signed in place of what is sent, by identifier. */
  readonly signed?: Readonly<Record<string, string>>;
  readonly parameters?: string;
  readonly signedParameters?: string;
  readonly label?: string;
  readonly write?: (base: string) => string;
  readonly make?: (base: Buffer, key: KeyObject) => Buffer;
  /** What is made of the bytes of the signature. */
  readonly change?: (bytes: Buffer) => Buffer;
  readonly key?: KeyObject;
  /** The whole of both fields, instead of those made here. */
  readonly fields?: (input: string, signature: string) => readonly ClientHeader[];
  readonly options?: Partial<HttpSignatureOptions>;
  readonly input?: Partial<ExplainInput>;
}

const usual = ['"@method"', '"@authority"', '"@path"', '"@query"'];
const created = `;created=${String(nowSeconds)}`;

async function explainSent(sent: Sent, kind: KeyPairKind): Promise<Explanation> {
  const { method = sent.body === undefined ? 'GET' : 'POST', host = 'api.example.com', label = 'sig1' } = sent;
  const path = sent.target ?? target;
  const digest = sent.digest === undefined ? (sent.body === undefined ? null : digestOf(sent.body)) : sent.digest;
  const headers: ClientHeader[] = [...(sent.headers ?? [])];
  if (digest !== null) headers.push(['Content-Digest', digest]);
  const covered = sent.covered ?? [...usual, ...(digest === null ? [] : ['"content-digest"'])];
  const values: Readonly<Record<string, string>> = {
    '"@method"': method,
    '"@authority"': host.toLowerCase().replace(/:443$/, ''),
    '"@path"': path.split('?', 1)[0] ?? '',
    '"@query"': `?${path.split('?')[1] ?? ''}`,
    '"@target-uri"': `https://${host}${path}`,
    ...sent.signed,
  };
  const valueOf = (identifier: string): string =>
    values[identifier] ?? headers.find(([name]) => `"${name.toLowerCase()}"` === identifier)?.[1] ?? '';
  const parameters = sent.parameters ?? `${created};keyid="acme"`;
  const input = `(${covered.join(' ')})${parameters}`;
  const signedInput = `(${covered.join(' ')})${sent.signedParameters ?? parameters}`;
  const base = [...covered.map((each) => `${each}: ${valueOf(each)}`), `"@signature-params": ${signedInput}`].join(
    '\n',
  );
  const key = sent.key ?? pairs[kind].privateKey;
  const make = sent.make ?? signers[usualAlgorithms[kind]];
  const bytes = make(Buffer.from(sent.write?.(base) ?? base, 'latin1'), key);
  const signature = `:${(sent.change?.(bytes) ?? bytes).toString('base64')}:`;
  const fields = sent.fields?.(input, signature) ?? [
    ['Signature-Input', `${label}=${input}`],
    ['Signature', `${label}=${signature}`],
  ];
  return await explainAlone(
    { method, path, authority: host, headers: [...headers, ...fields], body: Buffer.from(sent.body ?? '') },
    keyPairEndpoint(sent.options),
    { appKey: 'acme', secret: null, publicKeys: [known(kind)], nowSeconds, isTimeKnown: true, ...sent.input },
  );
}

function known(kind: KeyPairKind): KnownPublicKey {
  return { publicKey: pairs[kind].publicKey, mistake: null, explainsAppKey: false };
}

const ofOther: KnownPublicKey = {
  publicKey: other.publicKey,
  mistake: { name: 'key-of-another-credential', what: 'the private key of the credential acme-2 was used', fix: 'Use' },
  explainsAppKey: false,
};
const names = ({ mistakes }: Explanation): readonly string[] => mistakes.map(({ name }) => name);
const type = ['Content-Type', 'application/json'] as const;
const der = (base: Buffer, key: KeyObject): Buffer => sign('sha256', base, key);

/** Mistakes that show in the signature alone, with what the fix says. */
const inTheSignature: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'scheme-http': [
    [
      { covered: ['"@method"', '"@target-uri"'], signed: { '"@target-uri"': `http://api.example.com${target}` } },
      /https:\/\/ in @target-uri/,
    ],
    [{ covered: [...usual, '"@scheme"'], signed: { '"@scheme"': 'http' } }, /@authority, @path and @query instead/],
  ],
  'authority-as-written': [
    [{ host: 'API.Example.com', signed: { '"@authority"': 'API.Example.com' } }, /lower case/],
    [{ signed: { '"@authority"': 'api.example.com:443' } }, /port/],
    [{ host: 'api.example.com:8443', signed: { '"@authority"': 'api.example.com' } }, /port/],
    [
      {
        covered: ['"@method"', '"@target-uri"'],
        signed: { '"@target-uri"': `https://api.example.com:443${target}` },
      },
      /port/,
    ],
  ],
  'last-slash': [
    [{ target: '/orders', signed: { '"@path"': '/orders/' } }, /new URL\(address\)\.href/],
    [{ target: '/orders/', signed: { '"@path"': '/orders' } }, /new URL/],
    [
      {
        target: '/',
        covered: ['"@method"', '"@target-uri"'],
        signed: { '"@target-uri"': 'https://api.example.com' },
      },
      /new URL/,
    ],
  ],
  'method-case': [[{ signed: { '"@method"': 'get' } }, /upper case/]],
  'path-with-query': [[{ signed: { '"@path"': target } }, /@query beside it/]],
  'question-mark': [
    [{ signed: { '"@query"': 'to=K%C3%B6ln+1&b=2' } }, /"\?"/],
    [{ target: '/orders', signed: { '"@query"': '' } }, /"\?"/],
  ],
  'address-encoding': [
    [{ signed: { '"@query"': '?to=Köln+1&b=2' }, write: (base) => Buffer.from(base).toString('latin1') }, /new URL/],
    [{ signed: { '"@query"': '?to=K%C3%B6ln%201&b=2' } }, /new URL/],
  ],
  'query-order': [[{ signed: { '"@query"': '?b=2&to=K%C3%B6ln+1' } }, /new URL/]],
  'path-without-prefix': [[{ signed: { '"@path"': '/a%20b' } }, /base URL/]],
  'value-not-trimmed': [
    [
      { headers: [type], covered: [...usual, '"content-type"'], signed: { '"content-type"': ' application/json' } },
      /blanks/,
    ],
  ],
  'lines-joined-otherwise': [
    [{ headers: [['X-A', 'a,b']], covered: [...usual, '"x-a"'], signed: { '"x-a"': 'a, b' } }, /one line/],
  ],
  'value-changed': [
    [
      {
        headers: [type],
        covered: [...usual, '"content-type"'],
        signed: { '"content-type"': 'application/json; charset=utf-8' },
      },
      /form in which it arrives/,
    ],
  ],
  'query-param-encoding': [
    'K%C3%B6ln+1(~)',
    'Köln 1(~)',
    'K%C3%B6ln+1%28%7E%29',
    'K%C3%B6ln%201(~)',
    'K%C3%B6ln%201%28~%29',
  ].map((value) => [
    {
      target: '/orders?to=K%C3%B6ln+1(~)',
      covered: [...usual, '"@query-param";name="to"'],
      signed: { '"@query-param";name="to"': Buffer.from(value).toString('latin1') },
    },
    /@query instead/,
  ]),
  'parameters-order': [
    [{ signedParameters: `;keyid="acme"${created}` }, /very text/],
    [
      {
        parameters: `${created};nonce="n";keyid="acme";tag="t"`,
        signedParameters: `;nonce="n";tag="t"${created};keyid="acme"`,
      },
      /very text/,
    ],
    [{ parameters: `${created};keyid="acme";nonce="n"`, signedParameters: `${created};keyid="acme"` }, /very text/],
  ],
  'label-in-base': [
    [{ write: (base) => base.replace('"@signature-params": ', '"@signature-params": sig1=') }, /label/],
  ],
  'line-feed-at-the-end': [[{ write: (base) => `${base}\n` }, /none after the last/]],
  'line-separator': [[{ write: (base) => base.replaceAll('\n', '\r\n') }, /single line feed/]],
  'component-names': [[{ write: (base) => base.replaceAll(/^"([^"]*)"/gm, '$1') }, /"name": value/]],
  colon: [[{ write: (base) => base.replaceAll('": ', '":') }, /one blank|"name": value/]],
  'hashed-twice': [
    [{ write: (base) => createHash('sha256').update(base).digest('binary') }, /as it is/],
    [{ write: (base) => createHash('sha512').update(base).digest('hex') }, /as it is/],
  ],
  'signature-encoded-twice': [[{ change: (bytes) => Buffer.from(bytes.toString('hex')) }, /base64 between colons/]],
  'key-of-another-credential': [
    [
      {
        key: other.privateKey,
        make: signers['ecdsa-p256-sha256'],
        input: { publicKeys: [known('ed25519'), ofOther] },
      },
      /Use/,
    ],
  ],
  'digest-signed-otherwise': [[{ body, signed: { '"content-digest"': digestOf(body, 'sha-512') } }, /as it is sent/]],
  'signature-of-another-label': [
    [
      {
        fields: (input, signature) => [
          ['Signature-Input', `sig1=${input}, proxy=("date")${created}`],
          ['Signature', `sig1=:AAAA:, proxy=${signature}`],
        ],
      },
      /own label/,
    ],
  ],
};

/** What needs P-256. */
const inEcdsa: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'der-signature': [[{ make: der }, /64 bytes \(P-256\)/]],
  'other-algorithm': [
    [{ make: (base, key) => sign('sha512', base, { key, dsaEncoding: 'ieee-p1363' }) }, /algorithm of the key/],
  ],
};

/** Mistakes that show without the signature, which is right in itself. */
const inTheFields: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'signature-missing': [[{ fields: () => [] }, /redirect/]],
  'other-credentials': [[{ fields: () => [['Authorization', 'hmac appkey="acme"']] }, /RFC 9421/]],
  'cavage-signature': [
    [{ fields: () => [['Signature', 'keyId="acme",headers="date",signature="AA=="']] }, /names RFC 9421/],
  ],
  'signature-input-missing': [[{ fields: (_, signature) => [['Signature', `sig1=${signature}`]] }, /Signature-Input/]],
  'signature-bytes-missing': [[{ fields: (input) => [['Signature-Input', `sig1=${input}`]] }, /and Signature/]],
  'other-label': [
    [
      {
        fields: (input, signature) => [
          ['Signature-Input', `sig1=${input}`],
          ['Signature', `sig2=${signature}`],
        ],
      },
      /same label/,
    ],
  ],
  'keyid-missing': [[{ parameters: created }, /App Key as keyid/]],
  'created-missing': [[{ parameters: ';keyid="acme"' }, /whole seconds/]],
  'created-in-milliseconds': [
    [{ parameters: `;created=${String(nowSeconds)}000;keyid="acme"` }, /Send created in whole seconds/],
  ],
  'tag-missing': [[{ options: { tag: 'pay' } }, /tag="pay"/]],
  'nonce-missing': [[{ options: { replayProtection: true } }, /random nonce/]],
  'algorithm-unknown': [[{ parameters: `${created};keyid="acme";alg="hs2019"` }, /Leave alg out/]],
  'alg-of-another-key': [
    [{ parameters: `${created};keyid="acme";alg="rsa-pss-sha512"` }, /Leave alg out/],
    [
      { parameters: `${created};keyid="acme";alg="ecdsa-p384-sha384"` },
      /follows from the key, here (?:ed25519|ecdsa-p256)/,
    ],
  ],
  'component-not-taken': [
    [
      { covered: [...usual, '"@method"'] },
      /Cover @method, @authority, @path, @query; as Accept-Signature has it: sig1=\("@method"/,
    ],
    [{ covered: [...usual, '"Date"'] }, /Cover @method/],
  ],
  'not-covered': [
    [{ covered: ['"@method"', '"@path"', '"@query"'] }, /Cover @method, @authority, @path, @query/],
    [{ covered: ['"@method"', '"@authority"', '"@path"'] }, /Cover @method/],
    [{ body, covered: usual }, /content-digest; as Accept-Signature has it: .*"content-digest"\);created/],
    [{ headers: [type], options: { coverAlso: ['content-type'] } }, /content-type/],
  ],
  'query-param-for-query': [
    [
      {
        covered: ['"@method"', '"@authority"', '"@path"', '"@query-param";name="b"'],
        signed: { '"@query-param";name="b"': '2' },
      },
      /no @query-param/,
    ],
  ],
  'digest-covered-but-absent': [
    [
      { body, digest: null, covered: [...usual, '"content-digest"'], signed: { '"content-digest"': digestOf(body) } },
      /what drops it/,
    ],
    [{ covered: [...usual, '"content-digest"'], signed: { '"content-digest"': digestOf('') } }, /do not cover it/],
  ],
  'covered-but-absent': [[{ covered: [...usual, '"x-none"'] }, /Send x-none/]],
  'digest-hex': [
    [{ body, digest: `sha-256=:${createHash('sha256').update(body).digest('hex')}:` }, /between the colons/],
  ],
  'digest-colons': [[{ body, digest: digestOf(body).replaceAll(':', '') }, /between the colons/]],
  'digest-name': [[{ body, digest: digestOf(body).replace('sha', 'SHA') }, /sha-256=/]],
  'digest-of-body-reformatted': [[{ body, digest: digestOf('{"b":1,"a":"é/"}') }, /very bytes/]],
  'digest-of-body-line-feed': [[{ body, digest: digestOf(`${body}\n`) }, /very bytes/]],
  'body-changed': [[{ body, digest: digestOf('another') }, /very bytes/]],
  'outside-the-window': [
    [{ parameters: `;created=${String(nowSeconds - 301)};keyid="acme"` }, /NTP/],
    [{ parameters: `;created=${String(nowSeconds + 61)};keyid="acme"` }, /NTP/],
    [{ parameters: `${created};expires=${String(nowSeconds)};keyid="acme"` }, /NTP/],
  ],
};

describe('what callers get wrong who sign by RFC 9421', () => {
  for (const kind of kinds) {
    it(`is nothing in a right request: ${kind}`, async () => {
      for (const sent of [{}, { body }, { covered: ['"@method"', '"@target-uri"'] }]) {
        const explanation = await explainSent(sent, kind);
        assert.deepEqual([explanation.verdict, names(explanation)], ['right', []], explanation.answer.detail);
        assert.match(explanation.stringToSign?.toString('latin1') ?? '', /^"@method": /);
      }
    });
  }

  const tables = [
    ...kinds.map((kind) => ({ kind, table: inTheSignature })),
    { kind: 'p-256', table: inEcdsa },
    ...kinds.map((kind) => ({ kind, table: inTheFields })),
  ] as const;
  for (const { kind, table } of tables) {
    for (const [name, cases] of Object.entries(table)) {
      it(`is found alone: ${name}, ${kind}`, async () => {
        for (const [sent, fix] of cases) {
          const explanation = await explainSent(sent, kind);
          assert.deepEqual([explanation.verdict, names(explanation)], ['wrong', [name]], explanation.answer.detail);
          assert.match(explanation.mistakes[0]?.fix ?? '', fix);
        }
      });
    }
  }

  const combined: readonly (readonly [wanted: readonly string[], sent: Sent])[] = [
    [
      ['scheme-http', 'line-feed-at-the-end'],
      {
        covered: ['"@method"', '"@target-uri"'],
        signed: { '"@target-uri"': `http://api.example.com${target}` },
        write: (base) => `${base}\n`,
      },
    ],
    [
      ['scheme-http', 'last-slash'],
      {
        target: '/orders',
        covered: ['"@method"', '"@target-uri"'],
        signed: { '"@target-uri"': 'http://api.example.com/orders/' },
      },
    ],
    [
      ['authority-as-written', 'last-slash'],
      { target: '/orders', signed: { '"@authority"': 'api.example.com:443', '"@path"': '/orders/' } },
    ],
    [
      ['authority-as-written', 'parameters-order'],
      { signed: { '"@authority"': 'api.example.com:443' }, signedParameters: `;keyid="acme"${created}` },
    ],
    [
      ['value-not-trimmed', 'parameters-order'],
      {
        headers: [type],
        covered: [...usual, '"content-type"'],
        signed: { '"content-type"': ' application/json' },
        signedParameters: `;keyid="acme"${created}`,
      },
    ],
    [
      ['last-slash', 'query-param-encoding'],
      {
        target: '/orders?to=K%C3%B6ln+1',
        covered: [...usual, '"@query-param";name="to"'],
        signed: { '"@path"': '/orders/', '"@query-param";name="to"': 'K%C3%B6ln+1' },
      },
    ],
    [
      ['digest-covered-but-absent', 'scheme-http'],
      {
        body,
        digest: null,
        covered: ['"@method"', '"@target-uri"', '"content-digest"'],
        signed: { '"@target-uri"': `http://api.example.com${target}`, '"content-digest"': digestOf(body) },
      },
    ],
    [
      ['body-changed', 'last-slash'],
      { target: '/orders', body, digest: digestOf('another'), signed: { '"@path"': '/orders/' } },
    ],
    [
      ['other-label', 'authority-as-written'],
      {
        signed: { '"@authority"': 'api.example.com:443' },
        fields: (input, signature) => [
          ['Signature-Input', `a=${input}`],
          ['Signature', `b=${signature}`],
        ],
      },
    ],
    [
      ['alg-of-another-key', 'last-slash'],
      {
        target: '/orders',
        parameters: `${created};keyid="acme";alg="rsa-pss-sha512"`,
        signed: { '"@path"': '/orders/' },
      },
    ],
  ];
  for (const kind of kinds) {
    for (const [wanted, sent] of combined) {
      it(`is found in pairs: ${wanted.join(' and ')}, ${kind}`, async () => {
        const explanation = await explainSent(sent, kind);
        assert.deepEqual([...names(explanation)].sort(), [...wanted].sort(), explanation.answer.detail);
      });
    }
  }

  it('is found in pairs of which one is about the key', async () => {
    const byOther = { key: other.privateKey, make: der, input: { publicKeys: [known('ed25519'), ofOther] } };
    assert.deepEqual(names(await explainSent(byOther, 'ed25519')), ['der-signature', 'key-of-another-credential']);
    const slash = { make: der, target: '/orders', signed: { '"@path"': '/orders/' } };
    assert.deepEqual(names(await explainSent(slash, 'p-256')), ['der-signature', 'last-slash']);
  });

  it('is found with P-384 and RSA too', async () => {
    const slash = { target: '/orders', signed: { '"@path"': '/orders/' } };
    for (const kind of ['p-384', 'rsa'] as const) {
      assert.deepEqual(names(await explainSent(slash, kind)), ['last-slash'], kind);
    }
    const derOf384 = { make: (base: Buffer, key: KeyObject) => sign('sha384', base, key) };
    assert.deepEqual(names(await explainSent(derOf384, 'p-384')), ['der-signature']);
    const old = { make: signers['rsa-v1_5-sha256'] };
    assert.deepEqual(names(await explainSent(old, 'rsa')), ['other-algorithm']);
  });

  it('shows where the signature base parts from the one that was signed', async () => {
    const { difference } = await explainSent({ signed: { '"@authority"': 'api.example.com:443' } }, 'ed25519');
    assert.deepEqual(
      [difference?.line, difference?.expected, difference?.signed],
      [2, '"@authority": api.example.com\\n', '"@authority": api.example.com:443\\n'],
    );
  });

  it('is not invented where nothing fits', async () => {
    for (const kind of kinds) {
      const { verdict, mistakes, checked } = await explainSent({ key: newKeyPair(kind).privateKey }, kind);
      assert.deepEqual([verdict, mistakes], ['unexplained', []]);
      assert.ok(checked.includes('scheme-http') && checked.includes('der-signature'));
    }
  });

  it('is not looked for in bytes where no key is known', async () => {
    const sent: Sent = { input: { publicKeys: [] }, signed: { '"@method"': 'get' } };
    assert.deepEqual(names(await explainSent(sent, 'ed25519')), []);
  });
});
