import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findRefusalRequestId, readRequest } from '../../../../../src/partners/explain/read/read-request.ts';
import { explainAlone, hmacEndpoint, input, keyEndpoint, parameterEndpoint } from '../endpoints.ts';

const context = { entry: null, body: null };
const formOf = (text: string): string => {
  const result = readRequest(Buffer.from(text), context);
  return 'problem' in result ? result.problem : result.form;
};

describe('finding the form of a request', () => {
  it('knows curl, raw HTTP and HAR', () => {
    assert.equal(formOf('\ufeff  curl http://a/'), 'curl');
    assert.equal(formOf("\n$ curl \\\n 'http://a/'"), 'curl');
    assert.equal(formOf("printf %s 'e30=' | base64 -d | curl --data-binary @- http://a/"), 'curl');
    assert.equal(formOf('GET / HTTP/1.1\nHost: a\n\n'), 'raw');
    assert.equal(formOf('* Trying\n> GET / HTTP/1.1\n> Host: a\n> \n'), 'raw');
    assert.equal(formOf(' {"method":"GET","url":"http://a/"}'), 'har');
    assert.equal(formOf(' \n'), 'there is no text');
  });

  const pieces = fc.constantFrom(
    ...['curl ', 'http://a/', '-d', ' ', '\\', '\n', "'", '"', "$'", '$(', '`', '|', '@f', '-H', 'A: b', '> ', '< '],
    ...[
      'GET / HTTP/1.1',
      ':path: /',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      '\r\n\r\n',
      '{',
      '}',
      '[',
      '"log":',
    ],
    ...[
      'Authorization: hmac appkey="a", algorithm="hmac-sha256", headers="date", signature="AA=="',
      '?appKey=a&sign=b',
    ],
    ...['\u0000', 'é', '%', '%zz', '=', '&'],
  );
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))),
    fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(`curl ${parts.join('')}`)),
    fc.json().map((text) => Buffer.from(text)),
  );

  it('never throws, whatever the text', async () => {
    const endpoints = [hmacEndpoint(), parameterEndpoint(), keyEndpoint()];
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(endpoints.length - 1), async (text, index) => {
        const result = readRequest(text, context);
        const endpoint = endpoints[index];
        if ('problem' in result || endpoint === undefined) return;
        const { verdict } = await explainAlone(result.request, endpoint, input);
        assert.notEqual(verdict, 'right');
      }),
      { numRuns: 500 },
    );
  });

  it('takes time in proportion to the text', () => {
    // One step for each pair of characters, and one of these would take longer than a test may.
    const length = 128 * 1024;
    const fill = (start: string, repeated: string, end = ''): string =>
      `${start}${repeated.repeat((length - start.length - end.length) / repeated.length)}${end}`;
    for (const text of [
      ...['|', '| ', '|\n', ' |', '/|', '\\\n|', '| curl', '$ '].map((each) => fill('', each)),
      ...['| ', 'a ', '""', '"" ', 'a"b"', "$'a'", '\\a', '-H ', '-d', '$'].map((each) =>
        fill('curl http://a/ ', each),
      ),
      ...['"', "'", "$'", "$'\\", '"\\', '"$a', '-d "`a'].map((each) => fill(`curl http://a/ ${each}`, 'a$\\ ')),
      ...['--url-query a ', '-d@f ', '--json=a ', '-H a:b ', '-sssss '].map((each) => fill('curl http://a/ ', each)),
      fill('curl http://a/ --url-query ', '-d a --url-query b '),
      fill('curl http://a', '/..'),
      fill('curl http://a/ -H "a:', ' ', '\rb"'),
      ...['\\', '^', '""', '^"', '\\\\"', '" '].map((each) => fill('curl ^"http://a/^" ', each)),
      fill('GET / HTTP/1.1\na:', ' ', '\rb\n'),
      ...['a:b\n', '\n ', '\r', '> ', '> a b\n', ':'].map((each) => fill('GET / HTTP/1.1\n', each)),
      fill('> GET / HTTP/1.1\n', '> a: b\n'),
      fill('GET / HTTP/1.1\nTransfer-Encoding: chunked\n\n', '1\na\n'),
      fill('GET / HTTP/1.1\nTransfer-Encoding: chunked\n\n1', ';', '\r\r\n'),
      ...['{"code":"A","message":"', '< x-request-id: a ', '{"code": ', '{'].map((each) => fill('{', each)),
      fill('{"method":"GET","url":"http://a","headers":[{}', ',{"name":"a","value":"b"}', ']}'),
    ]) {
      readRequest(Buffer.from(text), context);
      findRefusalRequestId(text);
    }
  });
});
