import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import type { Explanation } from '../../../../../src/partners/explain/explanation.ts';
import type { ExplainInput } from '../../../../../src/check/methods/explanation/explainer.ts';
import { type HmacOptions } from '../../../../../src/model/endpoint.ts';
import { type ClientHeader } from '../../../../../src/check/signing/client-request.ts';
import {
  appKey,
  date,
  explainAlone,
  hexSecret,
  hmacEndpoint,
  input,
  nowSeconds,
  secret,
} from '../../../partners/explain/endpoints.ts';

const path = '/orders/a%20b?to=K%C3%B6ln+1&b=2';
const body = '{"b": 1,\n "a": "é/"}';
const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();
const digest = `SHA-256=${sha256(body).toString('base64')}`;
const mac = (text: string, key: string | Buffer = secret, hash = 'sha256'): string =>
  createHmac(hash, key).update(text).digest('base64');

/** A request as a caller with some mistake makes it; what is left out is right. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly date?: string | null;
  readonly headers?: readonly ClientHeader[];
  readonly list?: string;
  readonly algorithm?: string;
  readonly body?: string;
  /** The whole header. */
  readonly authorization?: string | null;
  readonly signature?: string;
  readonly options?: Partial<HmacOptions>;
  readonly input?: Partial<ExplainInput>;
}

const getText = `date: ${date}\nGET ${path} HTTP/1.1`;
const postText = `date: ${date}\nPOST ${path} HTTP/1.1\ndigest: ${digest}`;

function explainSent(sent: Sent): Promise<Explanation> {
  const text = sent.body === undefined ? getText : postText;
  const list = sent.list ?? (sent.body === undefined ? 'date request-line' : 'date request-line digest');
  const authorization =
    sent.authorization === undefined
      ? `hmac appkey="${appKey}", algorithm="${sent.algorithm ?? 'hmac-sha256'}", headers="${list}", signature="${sent.signature ?? mac(text)}"`
      : sent.authorization;
  const headers: ClientHeader[] = [...(sent.headers ?? [])];
  if (sent.date !== null) headers.push(['Date', sent.date ?? date]);
  if (authorization !== null) headers.push(['Authorization', authorization]);
  return explainAlone(
    {
      method: sent.method ?? (sent.body === undefined ? 'GET' : 'POST'),
      path: sent.path ?? path,
      authority: sent.host ?? 'api.example.com',
      headers,
      body: Buffer.from(sent.body ?? ''),
    },
    hmacEndpoint(sent.options),
    { ...input, ...sent.input },
  );
}

const names = ({ mistakes }: Explanation): readonly string[] => mistakes.map(({ name }) => name);
const digestHeader = ['Digest', digest] as const;

/** A GET of the text that was signed, with `${…}` of the right one changed. */
const signed = (text: string, more: Sent = {}): Sent => ({ signature: mac(text), ...more });

const inTheSignature: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'path-without-query': [[signed(`date: ${date}\nGET /orders/a%20b HTTP/1.1`), /with "\?" and the query/]],
  'full-url': [
    [signed(`date: ${date}\nGET https://api.example.com${path} HTTP/1.1`), /path and query only/],
    [signed(`date: ${date}\nGET api.example.com${path} HTTP/1.1`), /path and query only/],
  ],
  'http-version': [
    [signed(`date: ${date}\nGET ${path} HTTP/2.0`), /HTTP\/1\.1, whatever/],
    [signed(`date: ${date}\nGET ${path} HTTP/2`), /HTTP\/1\.1, whatever/],
  ],
  'no-http-version': [[signed(`date: ${date}\nGET ${path}`), /HTTP\/1\.1/]],
  'method-case': [[signed(`date: ${date}\nget ${path} HTTP/1.1`), /upper case/]],
  'other-method': [[signed(`date: ${date}\nPOST ${path} HTTP/1.1`), /redirect/]],
  'labelled-request-line': [[signed(`date: ${date}\nrequest-line: GET ${path} HTTP/1.1`), /line alone/]],
  'request-target': [[signed(`date: ${date}\n(request-target): get ${path}`), /line alone/]],
  'path-percent-decoded': [[signed(`date: ${date}\nGET /orders/a b?to=Köln+1&b=2 HTTP/1.1`), /byte for byte/]],
  'path-encoded-twice': [
    [signed(`date: ${date}\nGET /orders/a%2520b?to=K%25C3%25B6ln+1&b=2 HTTP/1.1`), /byte for byte/],
  ],
  'path-percent-encoded': [
    [signed(`date: ${date}\nGET /p?a=1%2C2 HTTP/1.1`, { path: '/p?a=1,2' }), /byte for byte/],
    [signed(`date: ${date}\nGET /p?a=1,2%20 HTTP/1.1`, { path: '/p?a=1%2C2%20' }), /byte for byte/],
  ],
  'plus-or-%20': [
    [signed(`date: ${date}\nGET /orders/a%20b?to=K%C3%B6ln%201&b=2 HTTP/1.1`), /byte for byte/],
    [signed(`date: ${date}\nGET /p?to=K%C3%B6ln+1 HTTP/1.1`, { path: '/p?to=K%C3%B6ln%2B1' }), /byte for byte/],
  ],
  'escape-case': [[signed(`date: ${date}\nGET /orders/a%20b?to=K%c3%b6ln+1&b=2 HTTP/1.1`), /byte for byte/]],
  'query-order': [
    [signed(`date: ${date}\nGET /orders/a%20b?b=2&to=K%C3%B6ln+1 HTTP/1.1`), /byte for byte/],
    [signed(`date: ${date}\nGET /p?to=1&b=2&a=3 HTTP/1.1`, { path: '/p?a=3&b=2&to=1' }), /byte for byte/],
  ],
  'path-without-prefix': [[signed(`date: ${date}\nGET /a%20b?to=K%C3%B6ln+1&b=2 HTTP/1.1`), /base URL/]],
  'trailing-slash': [[signed(`date: ${date}\nGET /orders/a%20b/?to=K%C3%B6ln+1&b=2 HTTP/1.1`), /byte for byte/]],
  'question-mark': [[signed(`date: ${date}\nGET /orders? HTTP/1.1`, { path: '/orders' }), /byte for byte/]],
  'line-feed-at-the-end': [[signed(`${getText}\n`), /printf/]],
  crlf: [
    [signed(getText.replace('\n', '\r\n')), /single line feed/],
    [signed(`${getText.replace('\n', '\r\n')}\r\n`), /single line feed/],
  ],
  'line-separator': [[signed(getText.replace('\n', '\\n')), /0x0a/]],
  'no-blank-after-colon': [[signed(getText.replace('date: ', 'date:')), /one blank/]],
  'name-separator': [
    [signed(getText.replace('date: ', 'date=')), /one blank/],
    [signed(getText.replace('date: ', '')), /one blank/],
  ],
  'header-names-not-lower-case': [[signed(getText.replace('date', 'Date')), /lower case/]],
  'text-encoding': [
    [{ signature: mac(`\ufeff${getText}`) }, /byte order mark/],
    [
      {
        signature: createHmac('sha256', secret)
          .update(Buffer.concat([Buffer.from(`${getText}\nx-name: `), Buffer.from('d6d0cec4', 'hex')]))
          .digest('base64'),
        headers: [['X-Name', Buffer.from('中文').toString('latin1')]],
        list: 'date request-line x-name',
      },
      /UTF-8/,
    ],
  ],
  'empty-digest-signed': [
    [signed(`${getText}\ndigest: SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`), /no body/],
  ],
  'header-order': [[signed(`GET ${path} HTTP/1.1\ndate: ${date}`), /very order/]],
  'listed-but-not-signed': [
    [signed(getText, { list: 'date request-line host' }), /Add the line of host/],
    [signed(`GET ${path} HTTP/1.1`), /Add the line of date/],
  ],
  'signed-but-not-listed': [
    [signed(`host: api.example.com\n${getText}`), /Add host/],
    [signed(`${getText}\naccept: */*`, { headers: [['Accept', '*/*']] }), /Add accept/],
  ],
  'host-port': [
    [signed(`${getText}\nhost: api.example.com:443`, { list: 'date request-line host' }), /exactly as the Host header/],
    [
      signed(`${getText}\nhost: api.example.com`, { list: 'date request-line host', host: 'api.example.com:8443' }),
      /exactly as the Host header/,
    ],
  ],
  'date-read-twice': [[signed(getText.replace('40:00', '39:59')), /clock once/]],
  'date-signed-otherwise': [
    [signed(getText.replace('02:40:00 GMT', '03:40:00 GMT')), /same text/],
    [signed(getText.replace('02:40:00 GMT', '03:40:00 +0100')), /same text/],
    [signed(getText.replace(date, '2026-11-07T02:40:00Z')), /same text/],
  ],
  'header-changed': [
    [
      signed(`${getText}\ncontent-type: application/json`, {
        list: 'date request-line content-type',
        headers: [['Content-Type', 'application/json; charset=utf-8']],
      }),
      /Do not sign content-type/,
    ],
    [
      signed(`${getText}\naccept-encoding: gzip, deflate, br`, {
        list: 'date request-line accept-encoding',
        headers: [['Accept-Encoding', 'gzip']],
      }),
      /Do not sign accept-encoding/,
    ],
  ],
  'digest-signed-otherwise': [
    [
      signed(`date: ${date}\nPOST ${path} HTTP/1.1\ndigest: ${digest.replace('SHA-256=', '')}`, {
        body,
        headers: [digestHeader],
      }),
      /value of the Digest header/,
    ],
    [
      signed(`date: ${date}\nPOST ${path} HTTP/1.1\ndigest: SHA-256=${sha256('').toString('base64')}`, {
        body,
        headers: [digestHeader],
      }),
      /value of the Digest header/,
    ],
  ],
  'secret-white-space': [
    [{ signature: mac(getText, `${secret}\n`) }, /line feed and blanks/],
    [{ signature: mac(getText, `${secret} `) }, /line feed and blanks/],
    [{ signature: mac(getText), input: { secret: ` ${secret}\r\n` } }, /line feed and blanks/],
  ],
  'secret-base64-decoded': [[{ signature: mac(getText, Buffer.from(secret, 'base64')) }, /as they are/]],
  'secret-hex-decoded': [
    [{ signature: mac(getText, Buffer.from(hexSecret, 'hex')), input: { secret: hexSecret } }, /as they are/],
  ],
  'secret-encoded': [[{ signature: mac(getText, Buffer.from(secret).toString('base64')) }, /as they are/]],
  'secret-quoted': [[{ signature: mac(getText, `"${secret}"`) }, /Remove the quotes/]],
  'app-key-as-secret': [[{ signature: mac(getText, appKey) }, /App Secret/]],
  'secret-empty': [[{ signature: mac(getText, '') }, /there was none/]],
  'wrong-algorithm': [
    [{ signature: mac(getText, secret, 'sha1') }, /SHA-256/],
    [{ signature: mac(getText, secret, 'sha512') }, /SHA-256/],
  ],
  'plain-hash': [[{ signature: sha256(getText + secret).toString('base64') }, /App Secret is the key/]],
  'key-and-text-swapped': [[{ signature: mac(secret, getText) }, /App Secret is the key/]],
  'hashed-twice': [[{ signature: mac(sha256(getText).toString('hex')) }, /App Secret is the key/]],
  'signature-hex': [
    [{ signature: Buffer.from(mac(getText), 'base64').toString('hex') }, /base64 of the bytes/],
    [{ signature: Buffer.from(mac(getText), 'base64').toString('hex').toUpperCase() }, /base64 of the bytes/],
  ],
  'signature-base64-of-hex': [
    [{ signature: Buffer.from(Buffer.from(mac(getText), 'base64').toString('hex')).toString('base64') }, /bytes/],
  ],
};

/** Mistakes that the request shows, whatever was signed. */
const inTheRequest: Readonly<Record<string, readonly (readonly [Sent, RegExp])[]>> = {
  'one-digit-day': [dated('Sat, 7 Nov 2026 02:40:00 GMT')],
  'zone-offset': [dated('Sat, 07 Nov 2026 02:40:00 +0000'), dated('Sat, 07 Nov 2026 03:40:00 +0100')],
  'zone-name': [dated('Sat, 07 Nov 2026 02:40:00 UTC'), dated('Sat, 07 Nov 2026 03:40:00 CET')],
  'date-asctime': [dated('Sat Nov  7 02:40:00 2026')],
  'date-iso': [dated('2026-11-07T02:40:00Z')],
  'date-rfc-850': [dated('Saturday, 07-Nov-26 02:40:00 GMT')],
  'date-number': [dated(String(nowSeconds))],
  'date-format': [dated('Sa, 07 Nov. 2026 02:40:00 GMT')],
  'x-date': [[{ date: null, headers: [['X-Date', date]] }, /as Date/]],
  'date-missing': [[{ date: null }, /list date/]],
  'date-twice': [[{ headers: [['Date', date]] }, /Send one/]],
  'authorization-missing': [[{ authorization: null }, /Authorization: hmac/]],
  'key-for-hmac': [
    [{ authorization: null, headers: [['X-App-Key', appKey]] }, /Sign the request/],
    [{ authorization: null, path: `/orders?appKey=${appKey}` }, /Sign the request/],
  ],
  'parameter-signature-for-hmac': [
    [{ authorization: null, path: `/orders?appKey=${appKey}&sign=${'0'.repeat(128)}` }, /Sign the request/],
  ],
  'basic-authentication': [[{ authorization: 'Basic YTpi' }, /never sent/]],
  'bearer-token': [[{ authorization: 'Bearer abc' }, /Sign the request/]],
  'other-scheme': [
    [
      { authorization: `Signature keyId="${appKey}",headers="date",signature="${mac(getText)}"` },
      /Authorization: hmac/,
    ],
  ],
  'authorization-twice': [[{ headers: [['Authorization', 'hmac x']] }, /Send one/]],
  'authorization-parameters': [
    [
      {
        authorization: `hmac username="${appKey}", algorithm="hmac-sha256", headers="date request-line", signature="${mac(getText)}"`,
      },
      /appkey=/,
    ],
  ],
  'authorization-grammar': [
    [
      {
        authorization: `hmac appkey='${appKey}', algorithm='hmac-sha256', headers='date request-line', signature='${mac(getText)}'`,
      },
      /double quotes/,
    ],
    [
      {
        authorization: `hmac appkey="${appKey}" algorithm="hmac-sha256" headers="date request-line" signature="${mac(getText)}"`,
      },
      /double quotes/,
    ],
  ],
  'algorithm-not-allowed': [
    [{ algorithm: 'hmac-sha1', signature: mac(getText, secret, 'sha1') }, /hmac-sha256/],
    [{ algorithm: 'HMAC-SHA256' }, /lower case/],
  ],
  'list-not-lower-case': [[{ list: 'Date request-line' }, /lower case/]],
  'list-separators': [[{ list: 'date,request-line' }, /one blank each/]],
  'list-request-target': [
    [{ list: 'date (request-target)' }, /request-line/],
    [{ list: 'date :path' }, /request-line/],
  ],
  'date-not-listed': [[signed(`GET ${path} HTTP/1.1`, { list: 'request-line' }), /add date/]],
  'request-line-not-listed': [[signed(`date: ${date}`, { list: 'date' }), /add request-line/]],
  'listed-twice': [[{ list: 'date date request-line' }, /once/]],
  'unsignable-header': [
    [{ list: 'date request-line x-forwarded-for', headers: [['X-Forwarded-For', '1.2.3.4']] }, /Do not sign/],
  ],
  'listed-header-absent': [[{ list: 'date request-line content-type' }, /every header that is listed/]],
  'signature-url-safe': [[{ signature: urlSafe() }, /with \+ and \//]],
  'signature-not-padded': [[{ signature: mac(getText).replace('=', '') }, /padded/]],
  'signature-percent-encoded': [[{ signature: encodeURIComponent(mac(getText)) }, /as it is/]],
  'signature-white-space': [[{ signature: `${mac(getText)}\\n` }, /base64 -w0/]],
  'digest-missing': [[{ body }, /Send Digest/]],
  'digest-not-signed': [
    [
      signed(`date: ${date}\nPOST ${path} HTTP/1.1`, { body, headers: [digestHeader], list: 'date request-line' }),
      /add digest/i,
    ],
  ],
  'digest-twice': [[{ body, headers: [digestHeader, digestHeader] }, /Send one/]],
  'digest-hex': [digested(`SHA-256=${sha256(body).toString('hex')}`, /base64 of the 32 bytes/)],
  'digest-base64-of-hex': [
    digested(`SHA-256=${Buffer.from(sha256(body).toString('hex')).toString('base64')}`, /32 bytes/),
  ],
  'digest-prefix': [
    digested(digest.replace('SHA-256', 'sha-256'), /SHA-256=/),
    digested(digest.replace('SHA-256=', ''), /SHA-256=/),
    digested(`sha-256=:${sha256(body).toString('base64')}:`, /SHA-256=/),
  ],
  'digest-algorithm': [
    digested(`SHA-512=${createHash('sha512').update(body).digest('base64')}`, /SHA-256/),
    digested(`MD5=${createHash('md5').update(body).digest('base64')}`, /SHA-256/),
  ],
  'digest-not-padded': [digested(digest.replace('=', '=').replace(/=$/, ''), /32 bytes/)],
  'digest-of-body-reformatted': [
    digested(digestOf(JSON.stringify(JSON.parse(body))), /very bytes/),
    digested(digestOf(JSON.stringify(JSON.parse(body), null, 2)), /very bytes/),
    digested(digestOf('{"b": 1, "a": "\\u00e9/"}'), /very bytes/),
    digested(digestOf('{"a":"é/","b":1}'), /very bytes/),
  ],
  'digest-of-body-line-feed': [digested(digestOf(`${body}\n`), /very bytes/)],
  'digest-of-body-line-ends': [digested(digestOf(body.replace('\n', '\r\n')), /very bytes/)],
  'digest-url-safe': [
    digested(`SHA-256=${sha256('0').toString('base64url')}=`, /32 bytes/, '0'),
    digested(`SHA-256=${sha256('0').toString('base64url')}`, /32 bytes/, '0'),
  ],
  'digest-of-body-byte-order-mark': [digested(digestOf(`\ufeff${body}`), /very bytes/)],
  'digest-of-body-latin1': [
    digested(`SHA-256=${sha256(Buffer.from(body, 'latin1')).toString('base64')}`, /very bytes/),
  ],
  'digest-of-body-empty': [digested(digestOf(''), /very bytes/)],
  'digest-of-another-body': [digested(digestOf('something else'), /very bytes/)],
  'local-time': [
    ...[-12, -5, -1, 1, 2, 5.5, 5.75, 8, 14].map((hours) => {
      const local = new Date((nowSeconds + hours * 3600) * 1000).toUTCString();
      return [signed(getText.replace(date, local), { date: local }), /GMT \(UTC\)/] as const;
    }),
  ],
  'outside-the-window': [dated(new Date((nowSeconds - 900) * 1000).toUTCString(), /NTP/)],
  'other-app-key': [
    [{ input: { appKey: 'another' } }, /belongs to this App Secret/],
    [{ input: { appKey: appKey.toUpperCase() } }, /exactly as it was issued/],
  ],
  'endpoint-not-found': [[{ host: 'other.example.com' }, /--endpoint/]],
  'path-not-normal': [[signed(`date: ${date}\nGET /a/../b HTTP/1.1`, { path: '/a/../b' }), /"\." and "\.\."/]],
  'body-too-large': [[{ headers: [['Content-Length', '13']] }, /with its body/]],
};

function dated(text: string, fix = /two-digit day, GMT/): readonly [Sent, RegExp] {
  return [signed(getText.replace(date, text), { date: text }), fix];
}

function digested(value: string, fix: RegExp, sent = body): readonly [Sent, RegExp] {
  return [signed(postText.replace(digest, value), { body: sent, headers: [['Digest', value]] }), fix];
}

function digestOf(text: string): string {
  return `SHA-256=${sha256(text).toString('base64')}`;
}

/** URL-safe base64 that differs from the standard one. */
function urlSafe(): string {
  const text = Buffer.from(mac(getText), 'base64').toString('base64url');
  assert.match(text, /[-_]/);
  return `${text}=`;
}

describe('explain on an hmac endpoint', () => {
  it('finds nothing wrong with a right request', async () => {
    for (const sent of [{}, { body, headers: [digestHeader] }]) {
      const explanation = await explainSent(sent);
      assert.equal(explanation.verdict, 'right');
      assert.deepEqual(names(explanation), []);
      const { status, code, detail } = explanation.answer;
      assert.deepEqual([status, code, detail], [null, 'ALLOWED', 'the credentials are right']);
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
        assert.notEqual(explanation.verdict, 'right');
        assert.notEqual(explanation.answer.status, null);
      }
    });
  }

  it('names nothing else for faults that stand alone', async () => {
    const alone = [
      'one-digit-day',
      'zone-name',
      'date-iso',
      'date-number',
      'local-time',
      'digest-hex',
      'digest-of-body-empty',
      'signature-url-safe',
    ];
    for (const name of alone) {
      for (const [sent] of inTheRequest[name] ?? []) assert.deepEqual(names(await explainSent(sent)), [name]);
    }
  });

  it('names several mistakes at once', async () => {
    const local = 'Sat, 7 Nov 2026 03:40:00 GMT';
    const wrong = await explainSent({
      date: local,
      signature: Buffer.from(mac(`date: ${local}\nget /orders/a%20b HTTP/1.1\n`, secret), 'base64').toString('hex'),
    });
    assert.deepEqual(names(wrong), ['one-digit-day'], 'three mistakes in the text are too many');
    assert.deepEqual(wrong.notes, ['The signature fits no known mistake; fix this first, and try again.']);
    const two = await explainSent({ date: local, signature: mac(`date: ${local}\nget /orders/a%20b HTTP/1.1`) });
    assert.deepEqual(names(two), ['one-digit-day', 'path-without-query', 'method-case']);
    assert.equal(two.answer.code, 'CREDENTIALS_MALFORMED');
    const spelling = await explainSent({ signature: Buffer.from(mac(`${getText}\n`), 'base64').toString('hex') });
    assert.deepEqual(names(spelling), ['line-feed-at-the-end', 'signature-hex']);
    const listed = await explainSent({
      list: 'Date (request-target)',
      signature: mac(`Date: ${date}\n(request-target): get ${path}`),
    });
    assert.deepEqual(names(listed), [
      'list-not-lower-case',
      'list-request-target',
      'request-target',
      'header-names-not-lower-case',
    ]);
  });

  it('shows the first byte that differs', async () => {
    const { difference } = await explainSent(signed(`date: ${date}\nGET /orders/a%20b HTTP/1.1`));
    const offset = Buffer.byteLength(`date: ${date}\nGET /orders/a%20b`);
    assert.ok(difference !== null);
    assert.equal(difference.offset, offset);
    assert.deepEqual([difference.line, difference.column], [2, 18]);
    assert.deepEqual([difference.expectedByte, difference.signedByte], ['0x3f', '0x20']);
    assert.equal(difference.expected.slice(0, difference.markAt), 'GET /orders/a%20b');
    const feed = (await explainSent(signed(`${getText}\n`))).difference;
    assert.deepEqual([feed?.expectedByte, feed?.signedByte], [null, '0x0a']);
    assert.ok(feed?.signed.endsWith('HTTP/1.1\\n'));
  });

  it('says what it tried, and what the gateway builds, when nothing fits', async () => {
    const explanation = await explainSent({ signature: mac(getText, 'the secret of another caller') });
    assert.equal(explanation.verdict, 'unexplained');
    assert.deepEqual(explanation.mistakes, []);
    assert.equal(explanation.stringToSign?.toString(), getText);
    for (const name of Object.keys(inTheSignature)) {
      if (!name.startsWith('signature-'))
        assert.ok(explanation.checked.includes(name) || name === 'header-changed', name);
    }
  });

  it('takes an old request for right when its time is not given', async () => {
    const later = { nowSeconds: nowSeconds + 86_400 + 1000, isTimeKnown: false };
    const old = await explainSent({ input: later });
    assert.deepEqual([old.verdict, old.answer.code, names(old)], ['right-but-old', 'REQUEST_EXPIRED', []]);
    const known = await explainSent({ input: { ...later, isTimeKnown: true } });
    assert.deepEqual([known.verdict, names(known)], ['wrong', ['outside-the-window']]);
    const hour = await explainSent({ input: { nowSeconds: nowSeconds + 3600, isTimeKnown: false } });
    assert.deepEqual([hour.verdict, names(hour)], ['wrong', ['local-time']]);
    assert.match(hour.mistakes[0]?.fix ?? '', /--at/);
    const future = await explainSent({ input: { nowSeconds: nowSeconds - 900, isTimeKnown: false } });
    assert.deepEqual(names(future), ['outside-the-window']);
  });

  it('follows the options of the endpoint', async () => {
    const options = { algorithms: ['hmac-sha512'], clockSkewSeconds: 3600 } as const;
    const later = { nowSeconds: nowSeconds + 3600 };
    const right = await explainSent({
      algorithm: 'hmac-sha512',
      signature: mac(getText, secret, 'sha512'),
      options,
      input: later,
    });
    assert.equal(right.verdict, 'right');
    assert.deepEqual(names(await explainSent({ options })), ['algorithm-not-allowed']);
  });
});
