import assert from 'node:assert/strict';
import { readRawRequest } from '../../../../../src/partners/explain/read/raw-request.ts';
import type { ReadRequest } from '../../../../../src/partners/explain/read/read-result.ts';

function read(text: string, body: Buffer | null = null): ReadRequest {
  const result = readRawRequest(text, body);
  assert.ok('request' in result, 'problem' in result ? result.problem : '');
  return result;
}

const problemOf = (text: string): string => {
  const result = readRawRequest(text);
  return 'problem' in result ? result.problem : '';
};

describe('reading raw HTTP', () => {
  for (const [name, end] of [
    ['CRLF', '\r\n'],
    ['LF', '\n'],
  ] as const) {
    it(`reads request line, headers and body with ${name}`, () => {
      const lines = ['POST /x?y=1 HTTP/1.1', 'Host: a.example', 'X-B:  two words ', 'X-B:', '', 'a\r\n\r\nb\n'];
      const { request, notes, form } = read(lines.join(end));
      assert.deepEqual([form, notes], ['raw', []]);
      assert.deepEqual([request.method, request.path, request.authority], ['POST', '/x?y=1', 'a.example']);
      assert.deepEqual(request.headers, [
        ['Host', 'a.example'],
        ['X-B', 'two words'],
        ['X-B', ''],
      ]);
      assert.equal(request.body.toString(), 'a\r\n\r\nb\n');
    });
  }

  it('ends the body where Content-Length says', () => {
    const head = 'POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\n';
    assert.deepEqual([read(`${head}{}\n`).request.body.toString(), read(`${head}{}\n`).notes], ['{}', []]);
    assert.match(read(`${head}{}more`).notes.join(), /left out/);
    assert.match(read(`${head}{`).notes.join(), /says 2 bytes, but there are 1 bytes of body\.$/);
  });

  it('takes the body that is given where the text holds none', () => {
    const sent = '> POST / HTTP/1.1\n> Host: a\n> Content-Length: 3\n> \n';
    assert.match(read(sent).notes.join(), /says 3 bytes, but there are 0 bytes of body\. --body FILE gives it\.$/);
    const { request, notes } = read(sent, Buffer.from('{é\n'));
    assert.deepEqual([request.body.toString('latin1'), notes], ['{Ã©', []]);
    const chunked = 'POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n';
    assert.equal(read(chunked, Buffer.from('x')).request.body.toString(), 'x');
    const held = readRawRequest(`${chunked}0\n\n`, Buffer.from('x'));
    assert.deepEqual(held, { problem: 'the request holds a body already, so --body has no use' });
  });

  it('says what the text does not show', () => {
    const post = 'POST /x?a=1 HTTP/1.1\nHost: a\n';
    const hidden = (text: string): readonly unknown[] => {
      const { body, headers, isMasked } = read(text).leftOut;
      return [body, headers, isMasked];
    };
    for (const [text, ...expected] of [
      [`${post}\n`, false, 'none', false],
      [`${post}Content-Length: 0\nContent-Type: text/plain\n\n`, false, 'none', false],
      [`${post}Content-Type: text/plain\n\n`, true, 'none', false],
      [`${post}Transfer-Encoding: chunked\n\n`, true, 'none', false],
      [`${post}Transfer-Encoding: chunked\n\n0\n\n`, false, 'none', false],
      [`${post}Transfer-Encoding: chunked\n\n5\nab`, true, 'none', false],
      [`${post}Content-Length: 3\n\nab`, true, 'none', false],
      [`${post.replace('POST', 'GET')}Content-Type: text/plain\n\n`, false, 'none', false],
      [`${post}Authorization: Bearer <redacted>\n\n`, false, 'none', true],
      [`${post}X-Key: ******\n\n`, false, 'none', true],
      [`${post.replace('a=1', 'sign=REDACTED')}\n`, false, 'none', true],
      [`${post}X-Note: the redacted one\nCookie: ***\n\n`, false, 'none', false],
    ] as const) {
      assert.deepEqual(hidden(text), expected, text);
    }
    const cut = `${post}Content-Length: 3\n\nab`;
    assert.equal(read(cut, Buffer.from('abc')).request.body.toString(), 'abc');
    assert.deepEqual(read(`${post}Content-Type: text/plain\n\n`).notes, [
      'The body that was sent is not in the text. --body FILE gives it.',
    ]);
  });

  it('takes chunks apart', () => {
    const head = 'POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n';
    for (const end of ['\r\n', '\n']) {
      const chunks = ['3;x=1', 'a\nb', '1', 'c', '0', '', ''].join(end);
      assert.equal(read(head + chunks).request.body.toString(), 'a\nbc');
    }
    const plain = read(`${head}{}`);
    assert.equal(plain.request.body.toString(), '{}');
    assert.match(plain.notes.join(), /not in chunks/);
  });

  it('reads what curl -v prints, with the time of the answer', () => {
    const { request, sentAtSeconds } = read(
      [
        '*   Trying 127.0.0.1:10000...',
        '> GET /x?y HTTP/2',
        '> Host: a.example',
        '> accept: */*',
        '> ',
        '{ [5 bytes data]',
        '< HTTP/2 401 ',
        '< Date: Sat, 07 Nov 2026 02:40:00 GMT',
        '<',
      ].join('\n'),
    );
    assert.deepEqual(
      [request.method, request.path, request.authority, request.body.length],
      ['GET', '/x?y', 'a.example', 0],
    );
    assert.equal(sentAtSeconds, Date.UTC(2026, 10, 7, 2, 40) / 1000);
  });

  it('reads pseudo headers of HTTP/2', () => {
    const pseudo = [':method: GET', ':path: /x', ':scheme: https', ':authority: a.example', 'accept: */*'];
    for (const text of [pseudo.join('\n'), pseudo.map((line) => `> ${line}`).join('\n')]) {
      const { request } = read(text);
      assert.deepEqual([request.method, request.path, request.authority], ['GET', '/x', 'a.example']);
      assert.deepEqual(request.headers, [['accept', '*/*']]);
    }
  });

  it('takes an absolute target apart', () => {
    const { request } = read('GET https://a.example:443/x?y HTTP/1.1\n\n');
    assert.deepEqual([request.path, request.authority], ['/x?y', 'a.example']);
  });

  it('says what is no request', () => {
    assert.match(problemOf('hello world\u0001 this is no request'), /neither a request line nor a header/);
    assert.match(problemOf('Host: a\n\n'), /no request line such as/);
  });
});
