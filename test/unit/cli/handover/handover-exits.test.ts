import assert from 'node:assert/strict';
import { memoryCli } from '../nouns/memory-cli.ts';
import { demoYaml, handover, url } from './handover-cli.ts';

describe('postern handover ends with', () => {
  it('2 for what is no address of a gateway', async () => {
    for (const wrong of [
      'api.example.com',
      'ftp://api.example.com',
      'https://',
      'https://api.example.com/v1',
      'https://api.example.com?x',
      'https://user:password@api.example.com',
      'https://api example.com',
      'https://api.example.com:99999',
    ]) {
      const { code, out, err } = await handover(demoYaml, '--credential', 'acme-hmac', '--url', wrong);
      assert.deepEqual([code, out], [2, ''], wrong);
      assert.match(err, /Write scheme and host, such as https:\/\/api\.example\.com/, wrong);
    }
    assert.match((await handover(demoYaml, '--credential', 'acme-hmac')).err, /required option '--url <url>'/);
    assert.match((await handover(demoYaml, '--url', url)).err, /required option '--credential <id>'/);
  });

  it('0 for addresses with a port, a slash, or in upper case, and keeps only what is needed', async () => {
    for (const [given, shown] of [
      ['https://API.example.com/', 'https://api.example.com'],
      ['https://api.example.com:443', 'https://api.example.com'],
      ['https://api.example.com:8443/', 'https://api.example.com:8443'],
      ['https://[2001:DB8::1]:8443', String.raw`https://\[2001:db8::1\]:8443`],
    ] as const) {
      const { code, out, err } = await handover(demoYaml, '--credential', 'acme-hmac', '--url', given);
      assert.deepEqual([code, err], [0, '']);
      assert.equal(out.split('\n')[0], `# Calling ${shown}`);
    }
  });

  it('0 and a warning where there is no TLS, but on this machine', async () => {
    const warned = await handover(demoYaml, '--credential', 'acme-hmac', '--url', 'http://api.example.com');
    assert.equal(warned.code, 0);
    assert.match(warned.err, /^warning: http:\/\/api\.example\.com has no TLS/);
    for (const local of ['http://127.0.0.1:10000', 'http://localhost:10000', 'http://[::1]:10000']) {
      assert.equal((await handover(demoYaml, '--credential', 'acme-hmac', '--url', local)).err, '');
    }
  });

  it('3 for a credential that is not there', async () => {
    const { code, out, err } = await handover(demoYaml, '--credential', 'acme-hmca', '--url', url);
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /there is no credential "acme-hmca"; did you mean "acme-hmac"\?/);
  });

  it('1 where no request would get in, and what to do', async () => {
    const cli = await memoryCli();
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, out, err } = await cli.run(['handover', '--url', url, ...args]);
      assert.deepEqual([code, out], [1, ''], err);
      return err;
    };
    await cli.done('consumer', 'create', 'acme');
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'c');
    assert.match(await run('--credential', 'c'), /no endpoint lets acme in with hmac; "postern grant add/);
    await cli.done('endpoint', 'create', 'orders', '--path', '/orders', '--authentication', 'hmac');
    await cli.done('consumer', 'disable', 'acme');
    assert.match(await run('--credential', 'c'), /the consumer acme is disabled.*"postern consumer enable acme"/);
    await cli.done('consumer', 'enable', 'acme');
    await cli.done('handover', '--credential', 'c', '--url', url);
    await cli.done('credential', 'revoke', 'c', '--yes');
    assert.match(await run('--credential', 'c'), /the credential c is revoked; "postern credential issue"/);
    assert.equal(cli.closed(), cli.wishes.length);
  });

  it('0 for a credential that is not valid yet, with the time from which it is', async () => {
    const cli = await memoryCli();
    await cli.done('endpoint', 'create', 'orders', '--path', '/orders', '--authentication', 'hmac');
    await cli.done('consumer', 'create', 'acme');
    const issue = 'credential issue --consumer acme --method hmac --id c --not-before 2d --expires 9d';
    await cli.done(...issue.split(' '));
    const page = await cli.done('handover', '--credential', 'c', '--url', url);
    assert.match(page, /\| Works from \| 2026-09-23 14:13:20 UTC \|\n\| Works until \| 2026-09-30 14:13:20 UTC \|/);
  });
});
