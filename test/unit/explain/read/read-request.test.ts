import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readRequest } from '../../../../src/explain/read/read-request.ts';
import { explainAlone, hmacEndpoint, input, keyEndpoint, parameterEndpoint } from '../endpoints.ts';

const context = { entry: null, readFile: (): string => 'ENOENT' };
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
});
