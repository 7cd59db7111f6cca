import assert from 'node:assert/strict';
import { formatListenAddress, parseListenAddress } from '../../../../src/base/net/listen-address.ts';

describe('parsing an address to listen on', () => {
  it('reads hosts, IPv4, IPv6 and unix sockets, and writes them back', () => {
    const addresses = {
      '127.0.0.1:9001': { kind: 'tcp', host: '127.0.0.1', port: 9001 },
      'localhost:0': { kind: 'tcp', host: 'localhost', port: 0 },
      '[::1]:65535': { kind: 'tcp', host: '::1', port: 65535 },
      '[::]:1': { kind: 'tcp', host: '::', port: 1 },
      'unix:/run/postern.sock': { kind: 'unix', path: '/run/postern.sock' },
    } as const;
    for (const [text, address] of Object.entries(addresses)) {
      assert.deepEqual(parseListenAddress(text), address);
      assert.equal(formatListenAddress(address), text);
    }
  });

  it('says what is wrong with others', () => {
    const problems = {
      '': /is no address; expected host:port/,
      ':9001': /is no address/,
      localhost: /is no address/,
      '::1:9001': /is no address/,
      'http://localhost:9001': /is no address/,
      'localhost:65536': /port must be 0 to 65535/,
      'localhost:999999': /is no address/,
      '[1.2.3.4]:1': /no IPv6 address/,
      '[::g]:1': /is no address/,
      'unix:run/postern.sock': /must be absolute/,
      'unix:': /must be absolute/,
      [`unix:/${'x'.repeat(107)}`]: /longer than 107 bytes/,
      'unix:/a\0b': /NUL/,
    };
    for (const [text, problem] of Object.entries(problems)) {
      const parsed = parseListenAddress(text);
      assert.match('fault' in parsed ? parsed.fault : 'none', problem, text);
    }
  });
});
