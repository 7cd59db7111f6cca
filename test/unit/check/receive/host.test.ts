import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAuthority } from '../../../../src/check/receive/host.ts';

describe('the host of an authority', () => {
  for (const [authority, host] of [
    ['api.example.com', 'api.example.com'],
    ['API.Example.COM', 'api.example.com'],
    ['api.example.com:443', 'api.example.com'],
    ['api.example.com:0', 'api.example.com'],
    ['api.example.com:65535', 'api.example.com'],
    ['api.example.com:00080', 'api.example.com'],
    ['api.example.com.', 'api.example.com'],
    ['api.example.com.:80', 'api.example.com'],
    ['localhost', 'localhost'],
    ['a_b-c.1', 'a_b-c.1'],
    ['127.0.0.1:8080', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[::1]:8080', '[::1]'],
    ['[2001:DB8::A]', '[2001:db8::a]'],
    ['[::ffff:1.2.3.4]:1', '[::ffff:1.2.3.4]'],
  ] as const) {
    it(`of ${authority} is ${host}`, () => {
      assert.equal(parseAuthority(authority), host);
    });
  }

  for (const authority of [
    '',
    '.',
    '.:80',
    ':80',
    'a:',
    'a:x',
    'a:-1',
    'a:+1',
    'a: 80',
    'a:65536',
    'a:100000',
    'a:80:80',
    'a b',
    ' a',
    'a ',
    'a,b',
    'a@b',
    'u:p@a',
    'a/b',
    'a\\b',
    'a?b',
    'a#b',
    'a%41',
    'a*b',
    '*.a',
    'ä',
    'a\xe9',
    'a!',
    'a\0',
    'a\r\n',
    '[',
    ']',
    '[]',
    '[::1',
    '::1',
    '[::1]]',
    '[::1]x',
    '[::1]x:80',
    '[::1]:',
    '[::1]:x',
    '[::1]:80:80',
    '[fe80::1%eth0]',
    '[v1.x]',
    '[127.0.0.1]',
    'x[::1]',
  ]) {
    it(`is not read from ${JSON.stringify(authority)}`, () => {
      assert.equal(parseAuthority(authority), null);
    });
  }

  it('is not read from one that is longer than any name', () => {
    assert.equal(parseAuthority('a'.repeat(254)), 'a'.repeat(254));
    assert.equal(parseAuthority('a'.repeat(255)), null);
  });

  it('never holds more than the bytes of a host, whatever the authority', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: fc.constantFrom('a', 'A', '.', ':', '[', ']', '1', '-', '_', '%', '@', ',') }),
          fc.string({ unit: 'binary' }),
        ),
        (authority) => {
          const host = parseAuthority(authority);
          if (host === null) return;
          assert.match(host, /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/);
          if (!host.endsWith('.')) assert.equal(parseAuthority(host), host);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
