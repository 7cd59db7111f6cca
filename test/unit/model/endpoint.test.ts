import assert from 'node:assert/strict';
import { authenticationMethods, endpointOptions, hasOption, optionsOf } from '../../../src/model/endpoint.ts';
import { readPlain } from '../../../src/model/document/read-plain.ts';
import { readOptions } from '../../../src/resources/options.ts';

describe('options of endpoints', () => {
  it('are each for some method', () => {
    for (const name of Object.keys(endpointOptions)) {
      assert.ok(
        authenticationMethods.some((method) => hasOption(method, name)),
        name,
      );
    }
  });

  it('have defaults that their readers take', () => {
    for (const method of authenticationMethods) {
      const defaults = { ...optionsOf(method, {}) };
      const read = readPlain(defaults, (raw, place, problems) => readOptions(raw, place, method, problems));
      assert.deepEqual(read, { value: defaults });
    }
  });

  it('are, on an open endpoint, those that every endpoint has', () => {
    const names = Object.keys(endpointOptions).filter((name) => hasOption(null, name));
    assert.deepEqual(Object.keys(optionsOf(null, {})), names);
    for (const name of names) assert.ok(authenticationMethods.every((method) => hasOption(method, name)));
  });
});
