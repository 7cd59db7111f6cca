import assert from 'node:assert/strict';
import { readHarRequest } from '../../../../../src/partners/explain/read/har-request.ts';
import type { ReadRequest } from '../../../../../src/partners/explain/read/read-result.ts';

const first = {
  startedDateTime: '2026-11-07T03:40:00.500+01:00',
  request: {
    method: 'POST',
    url: 'https://a.example/x?y=1#z',
    headers: [
      { name: ':authority', value: 'b.example' },
      { name: 'content-type', value: 'application/json' },
      { name: 'x-name', value: 'Køge' },
    ],
    postData: { mimeType: 'application/json', text: '{"a":"é"}' },
  },
};
const second = { request: { method: 'GET', url: 'http://a.example:8080', headers: [] } };

function read(value: unknown, entry: number | null = null): ReadRequest {
  const result = readHarRequest(Buffer.from(JSON.stringify(value)).toString('latin1'), { entry, body: null });
  assert.ok('request' in result, 'problem' in result ? result.problem : '');
  return result;
}

const problemOf = (text: string, entry: number | null = null): string => {
  const result = readHarRequest(text, { entry, body: null });
  return 'problem' in result ? result.problem : '';
};

describe('reading a HAR', () => {
  it('reads the first entry, with its time', () => {
    const { request, sentAtSeconds, notes, form } = read({ log: { entries: [first, second] } });
    assert.deepEqual([request.method, request.path, request.authority], ['POST', '/x?y=1', 'b.example']);
    assert.deepEqual(request.headers, [
      ['content-type', 'application/json'],
      ['x-name', Buffer.from('Køge').toString('latin1')],
    ]);
    assert.equal(request.body.toString(), '{"a":"é"}');
    assert.equal(sentAtSeconds, Date.UTC(2026, 10, 7, 2, 40) / 1000);
    assert.equal(form, 'har');
    assert.match(notes.join(), /2 entries.*--entry N/);
  });

  it('reads another entry, an entry alone and a request alone', () => {
    const { request, notes } = read({ log: { entries: [first, second] } }, 2);
    assert.deepEqual([request.path, request.authority, notes], ['/', 'a.example:8080', []]);
    assert.equal(read(first).request.path, '/x?y=1');
    assert.equal(read(second.request).request.authority, 'a.example:8080');
  });

  it('reads bodies in base64 and as pairs', () => {
    const withBody = (postData: object): Buffer => read({ ...second.request, postData }).request.body;
    assert.deepEqual([...withBody({ text: 'AP8=', encoding: 'base64' })], [0, 255]);
    assert.equal(withBody({ params: [{ name: 'a', value: 'b c' }, { name: 'd' }] }).toString(), 'a=b+c&d=');
  });

  it('says what the HAR does not show', () => {
    const { request } = first;
    const headers = [...request.headers, { name: 'Authorization', value: 'Bearer x' }];
    const hidden = (more: object): readonly unknown[] => {
      const { body, headers, isMasked } = read({ ...request, ...more }).leftOut;
      return [body, headers, isMasked];
    };
    const length = (value: string): object => ({ headers: [...headers, { name: 'Content-Length', value }] });
    assert.deepEqual(hidden({ headers }), [false, 'none', false]);
    assert.deepEqual(hidden({}), [false, 'authorization', false]);
    assert.deepEqual(hidden({ headers, postData: undefined }), [true, 'none', false]);
    assert.deepEqual(hidden({ headers, postData: { params: [{ name: 'a', value: 'b' }] } }), [true, 'none', false]);
    assert.deepEqual(hidden({ method: 'GET', headers: [], postData: undefined }), [false, 'all', false]);
    assert.deepEqual(hidden({ method: 'GET', headers, postData: undefined, bodySize: 3 }), [true, 'none', false]);
    assert.deepEqual(hidden(length('10')), [false, 'none', false]);
    assert.deepEqual(hidden(length('9')), [true, 'none', false]);
    assert.match(read({ ...request, ...length('9') }).notes.join(), /not show the body byte for byte .* --body FILE/);
  });

  it('says what is no HAR', () => {
    assert.match(problemOf('{"log":'), /begins like JSON/);
    assert.match(problemOf('{"a":1}'), /no HAR/);
    assert.match(problemOf('{"log":{"entries":[]}}'), /no entry 1; entries of this HAR: 0/);
    assert.match(problemOf(JSON.stringify({ log: { entries: [first] } }), 2), /no entry 2; entries of this HAR: 1/);
    assert.match(problemOf('[]'), /no HAR/);
  });

  it('takes the body that is given where the HAR holds none', () => {
    const given = Buffer.from('{}');
    const result = readHarRequest('{"method":"PUT","url":"http://a/"}', { entry: null, body: given });
    assert.equal('request' in result ? result.request.body : null, given);
  });
});
