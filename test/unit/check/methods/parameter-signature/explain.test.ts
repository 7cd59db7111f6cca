import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import type { Explanation } from '../../../../../src/partners/explain/explanation.ts';
import type { ExplainInput } from '../../../../../src/check/methods/explanation/explainer.ts';
import { type ParameterSignatureOptions } from '../../../../../src/model/endpoint.ts';
import { type ClientHeader } from '../../../../../src/check/signing/client-request.ts';
import {
  appKey,
  explainAlone,
  hexSecret,
  input,
  nowSeconds,
  parameterEndpoint,
  secret,
} from '../../../partners/explain/endpoints.ts';

const hash = (text: string | Buffer, name = 'sha512'): string => createHash(name).update(text).digest('hex');
const stamp = String(nowSeconds);

/** What is signed of {@link business}, in the right order. */
const text = `Zone=1&a=&apiTimestamp=${stamp}&appKey=${appKey}&to=Köln 1+2`;
const business = 'to=K%C3%B6ln+1%2B2&Zone=1&a=';
const credentials = `appKey=${appKey}&apiTimestamp=${stamp}`;
const formType = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const jsonType = ['Content-Type', 'application/json'] as const;
const data = '{"b": 1,\n "a": "é/"}';
const dataText = `apiTimestamp=${stamp}&appKey=${appKey}&data=`;

/** A request as a caller with some mistake makes it; what is left out is right. */
interface Sent {
  /** Hex digits for `sign`. */
  readonly sign?: string;
  readonly query?: string;
  readonly body?: string | Buffer;
  readonly headers?: readonly ClientHeader[];
  readonly options?: Partial<ParameterSignatureOptions>;
  readonly input?: Partial<ExplainInput>;
}

function explainSent(sent: Sent): Promise<Explanation> {
  return explainAlone(...requestOf(sent));
}

/** The request, its endpoint, and who it is meant to be from. */
function requestOf(sent: Sent): Parameters<typeof explainAlone> {
  const sign = sent.sign ?? hash(text + secret);
  const query = sent.query ?? (sent.body === undefined ? `${business}&${credentials}&sign=${sign}` : '');
  return [
    {
      method: sent.body === undefined ? 'GET' : 'POST',
      path: query === '' ? '/orders' : `/orders?${query}`,
      authority: 'api.example.com',
      headers: sent.headers ?? [],
      body: Buffer.from(sent.body ?? ''),
    },
    parameterEndpoint(sent.options),
    { ...input, ...sent.input },
  ];
}

const names = ({ mistakes }: Explanation): readonly string[] => mistakes.map(({ name }) => name);

/** A URL whose signature is that of another text, the secret appended. */
const signed = (other: string, more: Sent = {}): Sent => ({ sign: hash(other + secret), ...more });

function wrapped(
  signedData: string,
  more: Record<string, unknown> = {},
  sign = hash(dataText + signedData + secret),
): Sent {
  const wrapper = { data, appKey, sign, apiTimestamp: nowSeconds, ...more };
  return { body: JSON.stringify(wrapper), headers: [jsonType] };
}

function form(body: string, more: Sent = {}): Sent {
  return { body, headers: [formType], ...more };
}

const inTheSignature: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'values-percent-encoded': [
    [signed(text.replace('Köln 1+2', 'K%C3%B6ln+1%2B2')), /before they are percent-encoded/],
    [signed(text.replace('Köln 1+2', 'K%C3%B6ln%201%2B2')), /before they are percent-encoded/],
    [signed(text.replace('Köln 1+2', 'K%c3%b6ln+1%2b2')), /before they are percent-encoded/],
  ],
  'values-percent-decoded': [[{ options: { parameterEncoding: 'raw' } }, /exactly as they stand/]],
  'plus-or-%20': [
    [signed(text.replace('Köln 1+2', 'Köln+1+2')), /%2B/],
    [signed(text.replace('Köln 1+2', 'Köln 1 2')), /%2B/],
  ],
  'values-encoded-twice': [[signed(text.replace('Köln 1+2', 'K%25C3%25B6ln%2B1%252B2')), /before they are/]],
  'values-sent-encoded-twice': [
    [
      {
        query: `to=a%2520b&${credentials}&sign=${hash(`apiTimestamp=${stamp}&appKey=${appKey}&to=a b${secret}`)}`,
      },
      /once/,
    ],
  ],
  'name-case': [[signed(`a=&apiTimestamp=${stamp}&appKey=${appKey}&to=Köln 1+2&zone=1`), /as they are sent/]],
  'text-encoding': [
    [{ sign: hash(Buffer.from(text + secret, 'latin1')) }, /UTF-8/],
    [
      {
        query: `appKey=${appKey}&to=%E4%B8%AD%E6%96%87&sign=${hash(Buffer.concat([Buffer.from(`appKey=${appKey}&to=`), Buffer.from('d6d0cec4', 'hex'), Buffer.from(secret)]))}`,
      },
      /UTF-8/,
    ],
  ],
  'not-sorted': [
    [signed(`to=Köln 1+2&Zone=1&a=&appKey=${appKey}&apiTimestamp=${stamp}`), /Sort by name/],
    [signed(`to=Köln 1+2&appKey=${appKey}&apiTimestamp=${stamp}&a=&Zone=1`), /Sort by name/],
    [signed(`Zone=1&a=&to=Köln 1+2&apiTimestamp=${stamp}&appKey=${appKey}`), /Sort by name/],
    [
      { query: `Zone=1&a=2&appKey=${appKey}&to=3&sign=${hash(`to=3&a=2&Zone=1&appKey=${appKey}${secret}`)}` },
      /Sort by name/,
    ],
  ],
  'sorted-without-case': [[signed(`a=&apiTimestamp=${stamp}&appKey=${appKey}&to=Köln 1+2&Zone=1`), /Sort by name/]],
  'sorted-by-locale': [
    [
      {
        query: `${encodeURIComponent('ö')}=1&z=2&appKey=${appKey}&sign=${hash(`appKey=${appKey}&ö=1&z=2${secret}`)}`,
      },
      /Sort by name/,
    ],
  ],
  'sorted-as-pairs': [
    [
      {
        query: `a=2&a1=1&appKey=${appKey}&sign=${hash(`a1=1&a=2&appKey=${appKey}${secret}`)}`,
      },
      /Sort by name/,
    ],
  ],
  'equal-names-by-value': [
    [
      { query: `x=2&x=1&appKey=${appKey}&sign=${hash(`appKey=${appKey}&x=1&x=2${secret}`)}` },
      /equal names keep the order/,
    ],
  ],
  'sorted-by-utf-16': [
    [
      {
        query: `${encodeURIComponent('\uff61')}=1&${encodeURIComponent('\u{1f600}')}=2&appKey=${appKey}&sign=${hash(`appKey=${appKey}&\u{1f600}=2&\uff61=1${secret}`)}`,
      },
      /by bytes/,
    ],
  ],
  'secret-separator': [
    [{ sign: hash(`${text}&${secret}`) }, /nothing between/],
    [{ sign: hash(`${text}\n${secret}`) }, /nothing between/],
  ],
  'secret-as-parameter': [
    [{ sign: hash(`${text}&key=${secret}`) }, /nothing between/],
    [{ sign: hash(`${text}&appSecret=${secret}`) }, /nothing between/],
  ],
  'secret-prepended': [[{ sign: hash(secret + text) }, /Append/]],
  'secret-on-both-sides': [[{ sign: hash(secret + text + secret) }, /once/]],
  'secret-not-appended': [[{ sign: hash(text) }, /Append/]],
  'hmac-for-plain-hash': [
    [{ sign: createHmac('sha512', secret).update(text).digest('hex') }, /no HMAC/],
    [
      {
        sign: createHmac('sha512', secret)
          .update(text + secret)
          .digest('hex'),
      },
      /no HMAC/,
    ],
    [{ sign: createHmac('sha256', secret).update(text).digest('hex') }, /no HMAC/],
  ],
  'wrong-algorithm': [
    [{ sign: hash(text + secret, 'sha1') }, /plain SHA-512/],
    [{ sign: hash(text + secret, 'sha256') }, /plain SHA-512/],
    [{ sign: hash(text + secret, 'md5') }, /plain SHA-512/],
    [{ sign: hash(text + secret, 'sha3-512') }, /plain SHA-512/],
  ],
  'joined-otherwise': [
    [signed(text.replaceAll('&', '')), /"&" between/],
    [signed(text.replaceAll('=', '')), /name=value/],
  ],
  'path-signed': [
    [signed(`/orders?${text}`), /parameters only/],
    [signed(`?${text}`), /parameters only/],
  ],
  'separator-at-the-end': [[signed(`&${text}`), /only between/]],
  'sign-included': [[signed(text.replace('&to=', '&sign=&to=')), /altogether/]],
  'empty-values-left-out': [[signed(text.replace('a=&', '')), /also empty ones/]],
  'timestamp-not-signed': [[signed(text.replace(`apiTimestamp=${stamp}&`, '')), /every parameter/]],
  'app-key-not-signed': [[signed(text.replace(`appKey=${appKey}&`, '')), /every parameter/]],
  'only-reserved-signed': [[signed(`apiTimestamp=${stamp}&appKey=${appKey}`), /every parameter/]],
  'timestamp-signed-otherwise': [
    [signed(text.replace(stamp, `${stamp}000`)), /very digits/],
    [signed(text.replace(stamp, String(nowSeconds - 1))), /very digits/],
  ],
  'parameter-not-signed': [[signed(text.replace('Zone=1&', '')), /every parameter/]],
  'repeated-names': [
    [{ query: `x=2&x=1&appKey=${appKey}&sign=${hash(`appKey=${appKey}&x=1${secret}`)}` }, /in the order/],
    [{ query: `x=2&x=1&appKey=${appKey}&sign=${hash(`appKey=${appKey}&x=2,1${secret}`)}` }, /in the order/],
  ],
  'query-signed': [
    [
      {
        ...form(`to=1&appKey=${appKey}&sign=${hash(`appKey=${appKey}&q=2&to=1${secret}`)}`),
        query: 'q=2',
        options: { unsignedQuery: 'forward' },
      },
      /body only/,
    ],
  ],
  'secret-white-space': [
    [{ sign: hash(`${text}${secret}\n`) }, /line feed/],
    [{ sign: hash(`${text}${secret}`), input: { secret: `${secret} ` } }, /line feed/],
  ],
  'secret-base64-decoded': [
    [{ sign: hash(Buffer.concat([Buffer.from(text), Buffer.from(secret, 'base64')])) }, /as they are/],
  ],
  'secret-hex-decoded': [
    [
      { sign: hash(Buffer.concat([Buffer.from(text), Buffer.from(hexSecret, 'hex')])), input: { secret: hexSecret } },
      /as they are/,
    ],
  ],
  'app-key-as-secret': [[{ sign: hash(text + appKey) }, /App Secret/]],
  'data-reserialised': [
    [wrapped(JSON.stringify(JSON.parse(data))), /very same text/],
    [wrapped(JSON.stringify(JSON.parse(data), null, 4)), /very same text/],
    [wrapped('{"b": 1, "a": "é/"}'), /very same text/],
    [wrapped('{"b": 1, "a": "\\u00e9/"}'), /very same text/],
    [wrapped('{"b":1,"a":"é\\/"}'), /very same text/],
    [wrapped('{"a":"é/","b":1}'), /very same text/],
    [wrapped(`${data}\n`), /very same text/],
  ],
  'data-escaped': [[wrapped(JSON.stringify(data).slice(1, -1)), /before it is put/]],
  'data-not-signed': [[wrapped('', {}, hash(`apiTimestamp=${stamp}&appKey=${appKey}${secret}`)), /one parameter/]],
  'data-fields-signed': [
    [wrapped('', {}, hash(`a=é/&apiTimestamp=${stamp}&appKey=${appKey}&b=1${secret}`)), /one parameter/],
  ],
  'sign-upper-case': [[{ sign: hash(text + secret).toUpperCase() }, /lower-case/]],
  'sign-base64': [
    [{ sign: encodeURIComponent(Buffer.from(hash(text + secret), 'hex').toString('base64')) }, /128 lower-case/],
  ],
  'sign-base64-of-hex': [
    [{ sign: encodeURIComponent(Buffer.from(hash(text + secret)).toString('base64')) }, /128 lower-case/],
  ],
  'sign-white-space': [[{ sign: `${hash(text + secret)}%0A` }, /128 lower-case/]],
};

/** Mistakes that the request shows, whatever was signed. */
const inTheRequest: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'hmac-for-parameter-signature': [
    [{ query: 'a=1', headers: [['Authorization', 'hmac appkey="a"']] }, /appKey and sign as parameters/],
  ],
  'basic-authentication': [[{ query: 'a=1', headers: [['Authorization', 'Basic YTpi']] }, /never sent/]],
  'bearer-token': [[{ query: 'a=1', headers: [['Authorization', 'Bearer a']] }, /appKey and sign/]],
  'app-key-in-header': [[{ query: 'a=1', headers: [['X-App-Key', appKey]] }, /appKey and sign/]],
  'app-key-name': [[{ query: `appkey=${appKey}&sign=${'0'.repeat(128)}` }, /just these letters/]],
  'app-key-missing': [[{ query: 'a=1' }, /appKey and sign/]],
  'sign-name': [[{ query: `${credentials}&signature=${'0'.repeat(128)}` }, /lower case/]],
  'sign-missing': [[{ query: credentials }, /Sign the parameters/]],
  'repeated-parameter': [[{ query: `${credentials}&${credentials}&sign=${'0'.repeat(128)}` }, /once/]],
  'empty-parameter': [[{ query: `appKey=&sign=${'0'.repeat(128)}` }, /it was empty/]],
  'timestamp-milliseconds': [
    [
      {
        query: `appKey=${appKey}&apiTimestamp=${stamp}000&sign=${hash(`apiTimestamp=${stamp}000&appKey=${appKey}${secret}`)}`,
      },
      /Divide it by 1000/,
    ],
  ],
  'timestamp-format': [
    [{ query: `appKey=${appKey}&apiTimestamp=2026-11-07T02:40:00Z&sign=${'0'.repeat(128)}` }, /digits only/],
  ],
  'timestamp-missing': [
    [{ query: `appKey=${appKey}&sign=${'0'.repeat(128)}`, options: { requireTimestamp: true } }, /in seconds/],
  ],
  'timestamp-name': [
    [
      { query: `appKey=${appKey}&timestamp=1&sign=${'0'.repeat(128)}`, options: { requireTimestamp: true } },
      /apiTimestamp/,
    ],
  ],
  'local-time': [
    ...[-5, 1, 8, 14].map((hours) => {
      const local = String(nowSeconds + hours * 3600);
      const sign = hash(`apiTimestamp=${local}&appKey=${appKey}${secret}`);
      return [{ query: `appKey=${appKey}&apiTimestamp=${local}&sign=${sign}` }, /UTC/] as const;
    }),
  ],
  'json-not-wrapped': [
    [{ body: data, headers: [jsonType] }, /whole JSON text as a string/],
    [{ body: '[1]', headers: [jsonType] }, /whole JSON text as a string/],
  ],
  'data-not-a-string': [[{ ...wrapped(data, { data: { a: 1 } }) }, /JSON\.stringify/]],
  'wrapper-keys': [[wrapped(data, { extra: 1 }), /goes into data/]],
  'wrapper-no-json': [[{ body: '{"data":', headers: [jsonType] }, /Send \{"data"/]],
  'json-sent-as-form': [[{ ...wrapped(data), headers: [formType] }, /application\/json/]],
  'form-sent-as-json': [[{ body: `a=1&${credentials}`, headers: [jsonType] }, /urlencoded/]],
  'content-type-missing': [[{ body: 'a=1' }, /Send Content-Type/]],
  'content-type': [[{ body: 'a=1', headers: [['Content-Type', 'text/plain']] }, /Send a form/]],
  charset: [[{ body: 'a=1', headers: [['Content-Type', 'application/json; charset=latin1']] }, /charset=utf-8/]],
  compressed: [[{ body: 'a=1', headers: [jsonType, ['Content-Encoding', 'gzip']] }, /without Content-Encoding/]],
  'parameters-in-the-url': [[{ ...wrapped(data), query: 'page=2' }, /into the body/]],
  'percent-encoding': [[{ query: `a=100%&${credentials}&sign=${'0'.repeat(128)}` }, /%25/]],
  'not-utf-8': [[{ query: `a=%E9&${credentials}&sign=${'0'.repeat(128)}` }, /UTF-8/]],
  'other-app-key': [[{ input: { appKey: ` ${appKey}` } }, /exactly as it was issued/]],
  'too-many-parameters': [[{ query: Array.from({ length: 101 }, () => 'a=1').join('&') }, /100 parameters/]],
  'ambiguous-parameters': [[{ query: `a=1%262%3D3&${credentials}&sign=${'0'.repeat(128)}` }, /as JSON/]],
};

describe('explain on a parameter-signature endpoint', () => {
  it('finds nothing wrong with right requests in the three forms', async () => {
    const forms: readonly Sent[] = [
      {},
      form(`${business}&${credentials}&sign=${hash(text + secret)}`),
      wrapped(data),
      signed(`Zone=1&a=&apiTimestamp=${stamp}&appKey=${appKey}&to=K%C3%B6ln+1%2B2`, {
        options: { parameterEncoding: 'auto' },
      }),
      signed(`Zone=1&a=&apiTimestamp=${stamp}&appKey=${appKey}&to=K%C3%B6ln+1%2B2`, {
        options: { parameterEncoding: 'raw' },
      }),
    ];
    for (const sent of forms) {
      const explanation = await explainSent(sent);
      assert.deepEqual([explanation.verdict, names(explanation)], ['right', []]);
      assert.equal(explanation.difference, null);
    }
  });

  for (const [name, cases] of Object.entries(inTheSignature)) {
    it(`names ${name} when the signature shows it`, async () => {
      for (const [sent, fix] of cases) {
        const explanation = await explainSent(sent);
        assert.deepEqual([explanation.verdict, names(explanation)], ['wrong', [name]]);
        assert.equal(explanation.answer.status, 401);
        assert.match(explanation.mistakes[0]?.fix ?? '', fix);
      }
    });
  }

  for (const [name, cases] of Object.entries(inTheRequest)) {
    it(`names ${name} when the request shows it`, async () => {
      for (const [sent, fix] of cases) {
        const explanation = await explainSent(sent);
        const mistake = explanation.mistakes.find((one) => one.name === name);
        assert.ok(mistake !== undefined, `${names(explanation).join()} for ${JSON.stringify(sent)}`);
        assert.match(mistake.fix, fix);
        assert.equal(explanation.verdict, 'wrong');
        assert.notEqual(explanation.answer.status, null);
      }
    });
  }

  it('names an empty parameter once', async () => {
    const query = `appKey=${appKey}&apiTimestamp=&sign=${'0'.repeat(128)}`;
    assert.deepEqual(names(await explainSent({ query })), ['empty-parameter']);
  });

  it('says that what could be read in two ways has to be signed as it is sent, where both are taken', async () => {
    const explanation = await explainSent({
      query: `appKey=${appKey}&b=1%26c%3D2&sign=${hash(`appKey=${appKey}&b=1&c=2${secret}`)}`,
      options: { parameterEncoding: 'auto' },
    });
    assert.deepEqual([explanation.verdict, names(explanation)], ['wrong', ['values-percent-decoded']]);
    assert.equal(explanation.stringToSign?.toString(), `appKey=${appKey}&b=1%26c%3D2`);
    assert.match(explanation.difference?.signed ?? '', /b=1&c=2\[App Secret\]$/);
  });

  it('names several mistakes at once', async () => {
    const unsorted = `to=K%C3%B6ln+1%2B2&Zone=1&a=&appKey=${appKey}&apiTimestamp=${stamp}`;
    assert.deepEqual(names(await explainSent(signed(unsorted))), ['values-percent-encoded', 'not-sorted']);
    const upper = await explainSent({ sign: hash(`${text}&key=${secret}`).toUpperCase() });
    assert.deepEqual(names(upper), ['secret-as-parameter', 'sign-upper-case']);
    assert.equal(upper.answer.code, 'CREDENTIALS_MALFORMED');
  });

  it('shows the first byte that differs, and the secret only by name', async () => {
    const { difference, stringToSign } = await explainSent({ sign: hash(`${text}&key=${secret}`) });
    assert.equal(stringToSign?.toString(), text);
    assert.ok(difference !== null);
    assert.equal(difference.offset, Buffer.byteLength(text));
    assert.ok(difference.expected.endsWith('to=Köln 1+2[App Secret]'), difference.expected);
    assert.ok(difference.signed.endsWith('to=Köln 1+2&key=[App Secret]'), difference.signed);
    const within = (await explainSent(signed(text.replace('Köln', 'Kòln')))).difference;
    assert.equal(within, null, 'another value is no known mistake');
  });

  it('names only the size of a body that is too large', async () => {
    const { verdict, answer, ...explanation } = await explainSent({
      body: Buffer.alloc(2_097_153, ' '),
      headers: [jsonType],
    });
    assert.deepEqual([verdict, answer.status], ['wrong', 413]);
    assert.deepEqual(names({ verdict, answer, ...explanation }), ['body-too-large']);
  });

  it('explains a large body in a moment', async () => {
    const large = JSON.stringify({ items: Array.from({ length: 6000 }, (_, index) => ({ id: index, name: 'é' })) });
    const sign = hash(`appKey=${appKey}&data=nothing like it${secret}`);
    const sent = { body: JSON.stringify({ data: large, appKey, sign }), headers: [jsonType] };
    const explanation = await explainAlone(...requestOf(sent));
    assert.equal(explanation.verdict, 'unexplained');
    assert.deepEqual(explanation.notes, ['The body is large, so not every pair of mistakes was tried.']);
  });
});
