import assert from 'node:assert/strict';
import { isSignableHeader } from '../../../src/model/signable-headers.ts';

describe('headers that signatures may cover', () => {
  it('knows the headers that a signature proves nothing about', () => {
    for (const name of [
      'authorization',
      'connection',
      'keep-alive',
      'te',
      'transfer-encoding',
      'x-request-id',
      'x-forwarded-for',
      'x-forwarded-',
      'x-envoy-external-address',
      'x-consumer-id',
      'x-consumer-',
      'x_consumer_id',
      'x-consumer_id',
      'x_consumer-id',
      'x-credential-identifier',
      'x_credential_x',
      'x-authenticated-userid',
      'x_authenticated-scope',
      'x-anonymous-consumer',
      'x_anonymous_consumer',
      'x-anonymous_consumer',
    ]) {
      assert.equal(isSignableHeader(name), false, name);
    }
  });

  it('knows their neighbours, which can be signed', () => {
    for (const name of [
      'host',
      'date',
      'digest',
      'cookie',
      'content-type',
      'content-length',
      'x-requestid',
      'x-request-ids',
      'x-forwarded',
      'x-envoy',
      'x-consumer',
      'x-consumers-id',
      'x-anonymous-consumers',
      'ax-consumer-id',
      'tea',
      'proxy-authorization',
    ]) {
      assert.equal(isSignableHeader(name), true, name);
    }
  });
});
