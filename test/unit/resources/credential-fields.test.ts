import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AddressList, addressListField } from '../../../src/model/address-list.ts';
import { type CredentialFields, credentialDefaults, credentialStates } from '../../../src/model/credential.ts';
import { readMapping, withDefaults } from '../../../src/model/document/read-mapping.ts';
import { readPlain } from '../../../src/model/document/read-plain.ts';
import {
  alwaysStored,
  declaredFields,
  declareFields,
  declareGiven,
  pickFields,
  storedFields,
  storeFields,
} from '../../../src/resources/credential-fields.ts';

const seconds = fc.option(fc.integer({ min: 0, max: 4_000_000_000 }));
const networks = addressListField(['203.0.113.0/24', '2001:db8::7']) as AddressList;
const anyFields: fc.Arbitrary<CredentialFields> = fc.record(
  {
    state: fc.constantFrom(...credentialStates),
    notBefore: seconds,
    expiresAt: seconds,
    allowFrom: fc.constantFrom(null, networks),
  },
  { noNullPrototype: true },
);

function readAs(fields: typeof declaredFields | typeof storedFields, written: object): CredentialFields {
  const kind = { what: 'a credential', fields, required: [] };
  const read = readPlain(written, (raw, place, problems) => readMapping(raw, place, kind, problems));
  assert.ok('value' in read, JSON.stringify(read));
  return withDefaults(read.value, credentialDefaults);
}

describe('the fields of a credential', () => {
  it('are read as they were written, in a file and in a database', () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        assert.deepEqual(readAs(declaredFields, declareFields(fields)), fields);
        assert.deepEqual(readAs(storedFields, storeFields(fields)), fields);
        assert.deepEqual(pickFields({ ...fields, id: 'acme-hmac' } as CredentialFields), fields);
      }),
    );
  });

  it('are left out where they are the default, but for what a database always has', () => {
    assert.deepEqual(declareFields(credentialDefaults), {});
    assert.deepEqual(storeFields(credentialDefaults), { state: 'active' });
    assert.deepEqual(alwaysStored, ['state']);
  });

  it('are given as a moment, which becomes a time, as a text, or as a list', () => {
    const allowFrom = ['203.0.113.0/24'];
    assert.deepEqual(
      declareGiven({ notBefore: { distanceSeconds: 60 }, expiresAt: '2027-01-01T00:00:00Z', allowFrom, id: 'acme' }, 0),
      { notBefore: '1970-01-01T00:01:00Z', expiresAt: '2027-01-01T00:00:00Z', allowFrom },
    );
  });
});
