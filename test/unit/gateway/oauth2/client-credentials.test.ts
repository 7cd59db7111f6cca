import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findClientCredentials } from '../../../../src/gateway/oauth2/client-credentials.ts';
import { isOAuth2Refusal } from '../../../../src/gateway/oauth2/messages.ts';
import { ASSERTION_CLIENT, assertionFields, clientAssertion } from '../../../support/oauth2/client-assertion.ts';
import { basic, oauth2Request } from '../../../support/oauth2/oauth2-request.ts';

function found(
  headers: readonly (readonly [string, string])[],
  parameters: Readonly<Record<string, string>> = {},
): readonly unknown[] {
  const result = findClientCredentials(oauth2Request({ headers }), new Map(Object.entries(parameters)));
  if (isOAuth2Refusal(result)) return [result.status, result.error, result.headers];
  if (result.method === 'private_key_jwt') return [result.method, result.clientId];
  return [result.clientId, result.secret.reveal().toString('utf8'), result.method === 'client_secret_basic'];
}

const raw = (text: string, encoding: BufferEncoding = 'utf8') =>
  [['authorization', `Basic ${Buffer.from(text, encoding).toString('base64')}`]] as const;
const challenged = [401, 'invalid_client', { 'www-authenticate': 'Basic realm="postern"' }];
const refused = [400, 'invalid_client', {}];
const malformed = [400, 'invalid_request', {}];

describe('client credentials in the header', () => {
  for (const [text, expected] of [
    ['id:secret', ['id', 'secret', true]],
    ['id:se:cret', ['id', 'se:cret', true]],
    ['id:se%20cret', ['id', 'se cret', true]],
    ['id:se+cret', ['id', 'se cret', true]],
    ['i%3Ad:%25%2B', ['i:d', '%+', true]],
    ['id:schl%C3%BCssel', ['id', 'schlüssel', true]],
    ['id:schlüssel', ['id', 'schlüssel', true]],
    [':', ['', '', true]],
    ['id', challenged],
    ['id:%', challenged],
    ['id:%zz', challenged],
    ['id:%ff', challenged],
  ] as const) {
    it(`${text} → ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(found(raw(text)), expected);
    });
  }

  for (const [value, expected] of [
    ['basic aWQ6cw==', ['id', 's', true]],
    ['BASIC   aWQ6cw==', ['id', 's', true]],
    ['Basic aWQ6cw', challenged],
    ['Basic aWQ6cw= ', challenged],
    ['Basic aWQ6cx==', challenged],
    ['Basic', challenged],
    ['Basic ', challenged],
    ['Basic aWQ6cw==,Basic aWQ6cw==', challenged],
    ['Basicx aWQ6cw==', challenged],
    ['Bearer aWQ6cw==', challenged],
    ['', challenged],
  ] as const) {
    it(`${JSON.stringify(value)} → ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(found([['authorization', value]]), expected);
    });
  }

  it('are text: bytes that are not UTF-8 are no credentials', () => {
    assert.deepEqual(found(raw('id:\xff', 'latin1')), challenged);
  });

  it('come back as they were, whatever they are', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (clientId, secret) => {
        assert.deepEqual(found([basic(clientId, secret)]), [clientId, secret, true]);
      }),
    );
  });
});

describe('client credentials in the body', () => {
  it('are client_id and client_secret', () => {
    assert.deepEqual(found([], { client_id: 'id', client_secret: 's' }), ['id', 's', false]);
  });

  it('are both needed', () => {
    assert.deepEqual(found([], {}), refused);
    assert.deepEqual(found([], { client_id: 'id' }), refused);
    assert.deepEqual(found([], { client_secret: 's' }), refused);
  });
});

describe('client credentials in two places', () => {
  it('are refused, the same ones too', () => {
    assert.deepEqual(found([basic('id', 's')], { client_id: 'id', client_secret: 's' }), malformed);
    assert.deepEqual(found([basic('id', 's')], { client_secret: 's' }), malformed);
    assert.deepEqual(found([['authorization', 'Bearer x']], { client_secret: 's' }), malformed);
    assert.deepEqual(found([basic('id', 's'), basic('id', 's')]), malformed);
  });

  it('may name the client once more, and no other', () => {
    assert.deepEqual(found([basic('id', 's')], { client_id: 'id' }), ['id', 's', true]);
    assert.deepEqual(found([basic('id', 's')], { client_id: 'other' }), malformed);
  });
});

describe('a client assertion in the body', () => {
  const fields = assertionFields(clientAssertion());
  const taken = ['private_key_jwt', ASSERTION_CLIENT];

  it('names its client, which the body may name too, and no other', () => {
    assert.deepEqual(found([], fields), taken);
    assert.deepEqual(found([], { ...fields, client_id: ASSERTION_CLIENT }), taken);
    assert.deepEqual(found([], { ...fields, client_id: 'another' }), malformed);
  });

  it('comes with its type, and the type with it', () => {
    const { client_assertion_type: type = '', client_assertion: assertion = '' } = fields;
    for (const wrong of [
      { client_assertion: assertion },
      { client_assertion_type: type },
      { client_assertion: assertion, client_assertion_type: type.toUpperCase() },
      { client_assertion: assertion, client_assertion_type: `${type} ` },
      {
        client_assertion: assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
    ]) {
      assert.deepEqual(found([], wrong), malformed);
      assert.deepEqual(found([], { ...wrong, client_id: ASSERTION_CLIENT }), malformed);
    }
  });

  it('is no client without iss and sub, and is not looked at further then', () => {
    assert.deepEqual(found([], { ...fields, client_assertion: 'x.y.z' }), refused);
    assert.deepEqual(found([], assertionFields(clientAssertion({ claims: { iss: 'another' } }))), refused);
  });

  it('is the only way to authenticate', () => {
    assert.deepEqual(found([], { ...fields, client_secret: 's' }), malformed);
    assert.deepEqual(found([basic(ASSERTION_CLIENT, 's')], fields), malformed);
    assert.deepEqual(found([basic('another', 's')], fields), malformed);
    assert.deepEqual(found([basic(ASSERTION_CLIENT, '')], { ...fields, client_secret: 's' }), malformed);
    for (const header of ['Bearer x', 'Basic', 'Basic aWQ', '']) {
      assert.deepEqual(found([['authorization', header]], fields), malformed);
    }
    assert.deepEqual(found([basic('id', ''), basic('id', '')], fields), malformed);
  });

  it('is asked for alone where an empty secret comes beside it', () => {
    for (const clientId of [ASSERTION_CLIENT, 'another', '']) {
      assert.deepEqual(found([basic(clientId, '')], fields), challenged);
    }
  });
});
