import assert from 'node:assert/strict';
import { parseConfig } from '../../../../src/gateway/config.ts';
import type { Environment } from '../../../../src/base/environment.ts';
import { checkCallerAddresses } from '../../../../src/cli/doctor/check-caller-addresses.ts';

function findingOf(environment: Environment): string {
  const parsed = parseConfig(environment);
  assert.ok('config' in parsed);
  const [finding, ...more] = checkCallerAddresses(parsed.config);
  assert.ok(finding !== undefined && more.length === 0);
  return `${finding.level}: ${finding.subject}: ${finding.message}`;
}

describe('whose word the OAuth2 listener takes for the address of a caller', () => {
  const mutual = {
    POSTERN_TLS_CERTIFICATE: 'a.pem',
    POSTERN_TLS_KEY: 'b.pem',
    POSTERN_TLS_CLIENT_CA: 'c.pem',
    POSTERN_HTTP_TLS: 'true',
  };
  const elsewhere = { POSTERN_HTTP_ADDRESS: '0.0.0.0:9002' };

  for (const [title, environment, expected] of [
    [
      'this machine by default',
      {},
      /^ok: OAuth2 listener 127\.0\.0\.1:9002: believes x-envoy-external-address of 127\.0\.0\.0\/8, ::1; other peers count/,
    ],
    [
      'this machine alone, on a listener for others: all of them count as their Envoy',
      elsewhere,
      /^warning: .*0\.0\.0\.0:9002: believes .* of 127\.0\.0\.0\/8, ::1 only: callers through an Envoy elsewhere all count/,
    ],
    ['networks', { ...elsewhere, POSTERN_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, /^ok: .* of 10\.0\.0\.0\/8, ::1; other/],
    [
      'everybody',
      { ...elsewhere, POSTERN_TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' },
      /^warning: .* of 10\.0\.0\.0\/8, 0\.0\.0\.0\/0: anyone who reaches it chooses the address/,
    ],
    ['clients with a certificate', { ...elsewhere, ...mutual }, /^ok: .*, and of clients with a certificate; other/],
    [
      'no certificate where the listener does not ask for one',
      { ...elsewhere, ...mutual, POSTERN_HTTP_TLS: 'false' },
      /^warning: .* only: callers through an Envoy elsewhere/,
    ],
    [
      'a socket',
      { POSTERN_HTTP_ADDRESS: 'unix:/run/http.sock' },
      /^ok: .* of every process that may connect to its socket$/,
    ],
  ] as const) {
    it(title, () => {
      assert.match(findingOf(environment), expected);
    });
  }
});
