import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isOAuth2Refusal } from '../../../../src/gateway/oauth2/messages.ts';
import { parseParameters } from '../../../../src/gateway/oauth2/parameters.ts';
import { oauth2Request, type OAuth2RequestParts } from '../../../support/oauth2/oauth2-request.ts';

/** The parameters as an object, or the description of the refusal, which is always a 400. */
function parsed(parts: OAuth2RequestParts): Readonly<Record<string, string>> | string {
  const result = parseParameters(oauth2Request(parts));
  if (!isOAuth2Refusal(result)) return Object.fromEntries(result);
  assert.deepEqual([result.status, result.error], [400, 'invalid_request']);
  assert.match(result.description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  return result.description;
}

const json = (type = 'application/json') => [['content-type', type]] as const;
const REPEATED = 'A parameter appears more than once.';
const ENCODING = 'The form is not encoded as it must be.';
const OBJECT = 'The body must be a JSON object whose values are all strings.';
const TYPE = 'The content type must be application/x-www-form-urlencoded or application/json.';
const CHARSET = 'The charset of the body must be UTF-8.';

describe('parameters in a form', () => {
  for (const [body, expected] of [
    ['', {}],
    ['a=b', { a: 'b' }],
    ['a=b&c=d', { a: 'b', c: 'd' }],
    ['&&a=b&', { a: 'b' }],
    ['a=b%20c+d%2B', { a: 'b c d+' }],
    ['a=K%C3%B8ge&%62=1', { a: 'Køge', b: '1' }],
    ['a=b=c', { a: 'b=c' }],
    // Without a value it counts as absent (RFC 6749 §3.1), yet never as two.
    ['a=&b', {}],
    ['a=&a=b', REPEATED],
    ['a=b&a=b', REPEATED],
    ['a=b&%61=c', REPEATED],
    ['unknown=1&unknown=2', REPEATED],
    ['a=%', ENCODING],
    ['a=%zz', ENCODING],
    ['%f=1', ENCODING],
    ['a=%ff', ENCODING],
    ['a=%C3', ENCODING],
    ['__proto__=x', { ['__proto__']: 'x' }],
  ] as const) {
    it(`${JSON.stringify(body)} → ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parsed({ body }), expected);
    });
  }

  it('may hold UTF-8 as it is, and nothing else', () => {
    assert.deepEqual(parsed({ body: 'a=Køge' }), { a: 'Køge' });
    assert.equal(parsed({ body: Buffer.from('a=\xff', 'latin1') }), ENCODING);
  });

  it('come back as they were, whatever they are', () => {
    const name = fc.string({ unit: 'grapheme' });
    const value = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(name, value), (fields) => {
        assert.deepEqual(parsed({ body: new URLSearchParams(fields).toString() }), { ...fields });
      }),
    );
  });
});

describe('parameters in JSON', () => {
  for (const [body, expected] of [
    ['{}', {}],
    [' { "a" : "b" } ', { a: 'b' }],
    ['{"a":"K\\u00f8ge","b":"\\""}', { a: 'Køge', b: '"' }],
    ['{"a":""}', {}],
    ['{"a":"1","a":"1"}', REPEATED],
    ['{"a":"1","\\u0061":"2"}', REPEATED],
    ['', OBJECT],
    ['{', OBJECT],
    ['{"a"', OBJECT],
    ['{"a":', OBJECT],
    ['{"a":"b"', OBJECT],
    ['{"a":"b",}', OBJECT],
    ['{"a":"b"}x', OBJECT],
    ['{"a":1}', OBJECT],
    ['{"a":null}', OBJECT],
    ['{"a":["b"]}', OBJECT],
    ['{"a":{"b":"c"}}', OBJECT],
    ['["a"]', OBJECT],
    ['"a"', OBJECT],
    ['null', OBJECT],
    ['\ufeff{}', OBJECT],
    ['{"a":"\\ud800"}', OBJECT],
    ['a=b', OBJECT],
    [`${'{"a":'.repeat(2000)}"b"${'}'.repeat(2000)}`, OBJECT],
  ] as const) {
    it(`${body.slice(0, 40)} → ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parsed({ headers: json(), body }), expected);
    });
  }

  it('are UTF-8', () => {
    assert.equal(parsed({ headers: json(), body: Buffer.from('{"a":"\xff"}', 'latin1') }), OBJECT);
  });

  it('never make the reader throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (body) => {
        parsed({ headers: json(), body });
      }),
    );
  });
});

describe('the content type of a body with parameters', () => {
  for (const [type, expected] of [
    ['application/json; charset=utf-8', { a: 'b' }],
    ['APPLICATION/JSON;charset="UTF-8"', { a: 'b' }],
    ['application/json; charset=utf8', { a: 'b' }],
    ['application/json; charset=ISO-8859-1', { a: 'b' }],
    ['application/json; charset="us-ascii"', { a: 'b' }],
    ['application/json; charset=latin1', CHARSET],
    ['application/json; charset=utf-16', CHARSET],
    ['application/json; charset=iso-8859-1; charset=utf-8', CHARSET],
    ['application/json; charset=utf-8; charset=utf-8', CHARSET],
    ['application/json; charset', CHARSET],
    ['application/jwt', TYPE],
    ['text/plain', TYPE],
    ['multipart/form-data; boundary=x', TYPE],
    ['application/json, application/json', TYPE],
    ['', TYPE],
  ] as const) {
    it(`${JSON.stringify(type)} → ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parsed({ headers: json(type), body: '{"a":"b"}' }), expected);
    });
  }

  it('may name a charset that is the same for ASCII, with nothing else in the body', () => {
    const form = [['content-type', 'application/x-www-form-urlencoded; charset=ISO-8859-1']] as const;
    assert.deepEqual(parsed({ headers: form, body: 'a=b%20c&d=%2B+' }), { a: 'b c', d: '+ ' });
    for (const body of ['a=é', 'a=%C3%A9', '%C3%A9=a', 'a=%C3%A9&b=c']) {
      assert.equal(parsed({ headers: form, body }), CHARSET, body);
    }
    assert.equal(parsed({ headers: form, body: 'a=%E9' }), ENCODING);
    const latin1 = json('application/json;charset=iso-8859-1');
    assert.deepEqual(parsed({ headers: latin1, body: '{"a":"\\u00e9"}' }), { a: 'é' }, 'JSON escapes are characters');
    assert.equal(parsed({ headers: latin1, body: '{"a":"é"}' }), CHARSET);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme-ascii' }), (name, value) => {
        const body = new URLSearchParams({ [name]: value }).toString();
        assert.deepEqual(parsed({ headers: form, body }), parsed({ body }));
      }),
    );
  });

  it('must be there, once', () => {
    const bare = { ...oauth2Request({ body: 'a=b' }), headerValues: () => [] };
    const result = parseParameters(bare);
    assert.ok(isOAuth2Refusal(result));
    assert.equal(result.description, TYPE);
    assert.equal(parsed({ headers: [...json(), ...json()], body: '{}' }), TYPE);
  });

  it('says what the bytes are: a coding around them is refused', () => {
    const plain = oauth2Request({ body: 'a=b' });
    assert.ok(!isOAuth2Refusal(parseParameters(plain)));
    assert.deepEqual(parsed({ headers: [['content-encoding', 'Identity']], body: 'a=b' }), { a: 'b' });
    assert.equal(parsed({ headers: [['content-encoding', 'gzip']], body: 'a=b' }), 'The body must not be compressed.');
  });
});
