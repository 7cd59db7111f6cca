import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import type { Child } from '../support/process/child-process.ts';
import { descendantNamed, untilGone } from '../support/process/process-tree.ts';
import { useDemo } from '../support/demo/use-demo.ts';

describe('postern demo', () => {
  const { start: startDemo, startWhole: startAny, temporary } = useDemo();

  /** Gives Envoy, too. */
  async function startWhole(): Promise<{ demo: Child; envoy: number; children: readonly number[] }> {
    const { demo, children } = await startAny();
    return { demo, envoy: await descendantNamed(demo.pid, 'envoy'), children };
  }

  it('shows every row as expected, in plain text of at most 100 columns, and ends', async () => {
    const demo = await startDemo('--once', '--port-base', '0');
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stdout() + demo.stderr());

    const lines = demo.stdout().split('\n');
    const rows = lines.filter((line) => /^ {2}[✓✗] /.test(line));
    assert.ok(rows.length >= 49, demo.stdout() + demo.stderr());
    assert.deepEqual(
      rows.filter((row) => !row.startsWith('  ✓ ')),
      [],
    );
    assert.ok(lines.includes(`  All ${String(rows.length)} as expected.`));
    for (const method of [
      'App Key',
      'HMAC',
      'Parameter signature',
      'HTTP message signature',
      'OAuth2',
      'OAuth2 with a private key',
      'Client certificates',
    ])
      assert.ok(lines.includes(`  ${method}`), method);
    assert.ok(lines.includes('      back end received the body {"parcels":2,"to":"Køge, \\"north\\" gate"}'));
    assert.ok(lines.some((line) => /^ {6}retry-after: \d+$/.test(line)));
    assert.ok(lines.some((line) => line.startsWith('      accept-signature: sig1=("@method" "@authority" ')));
    assert.ok(lines.includes('  Limits are kept in the memory of Postern; --with-ratelimit keeps them in Redis.'));
    assert.ok(
      lines.some((line) => /^ {2}✓ signed POST, sent again +401 REQUEST_REPLAYED +401 REQUEST_REPLAYED /.test(line)),
    );
    assert.doesNotMatch(demo.stdout() + demo.stderr(), /[\u001b\r]/);
    assert.ok(lines.every((line) => line.length <= 100));
    assert.deepEqual(await readdir(temporary()), []);

    // What README.md shows of it, but for times.
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, excerpt = ''] = /The demo prints .*?```\n(.*?)```/s.exec(readme) ?? [];
    const timeless = (line: string): string => line.replace(/ +\d+\.\d ms$/, '').replace(/\d+$/, '…');
    const printed = new Set(lines.map(timeless));
    assert.ok(excerpt.includes(`  All ${String(rows.length)} as expected.`), excerpt);
    assert.deepEqual(
      excerpt.split('\n').filter((line) => line !== '  …' && !printed.has(timeless(line))),
      [],
    );
  });

  it('runs until Ctrl-C, with curl lines that work, and leaves nothing behind', async () => {
    const { demo, children } = await startWhole();
    const curl = demo
      .stdout()
      .split('\n')
      .find((line) => line.includes('curl') && line.includes('/orders?appKey=acme-demo-key'));
    const answer = execFileSync('sh', ['-c', `${curl ?? ''} --silent`], { encoding: 'utf8' });
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /^GET \/orders\?x=a%2Fb&&y$/m);
    assert.match(demo.stdout(), /^ {2}The console, with MongoDB, is left out: npm run demo -- --with-console$/m);

    demo.signal('SIGINT');
    demo.signal('SIGINT'); // as npm does
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stderr());
    await untilGone(children);
    assert.deepEqual(await readdir(temporary()), []);
  });

  it('leaves nothing behind when it is stopped while it starts', async () => {
    const demo = await startDemo('--port-base', '0', '--without-console');
    await demo.line('stderr', (line) => (line.startsWith('Starting') ? line : null));
    const envoy = await descendantNamed(demo.pid, 'envoy');
    demo.signal('SIGTERM');
    assert.deepEqual(await demo.ended, { code: 1, signal: null }, demo.stderr());
    assert.match(demo.stderr(), /^The demo was interrupted\.$/m);
    await untilGone([envoy]);
  });

  it('ends and says why when Envoy ends', async () => {
    const { demo, envoy, children } = await startWhole();
    process.kill(envoy, 'SIGKILL');
    assert.deepEqual(await demo.ended, { code: 1, signal: null });
    assert.match(demo.stderr(), /^Envoy ended unexpectedly with SIGKILL\.$/m);
    assert.match(demo.stderr(), /^The end of the log of Envoy:$/m);
    await untilGone(children);
  });

  it('takes Envoy with it even when it is killed', async () => {
    const { demo, children } = await startWhole();
    demo.signal('SIGKILL');
    await demo.ended;
    await untilGone(children);
  });

  it('says which port is taken, and by whom', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const demo = await startDemo('--once', '--port-base', String(port));
      assert.deepEqual(await demo.ended, { code: 1, signal: null });
      const taken = `  127.0.0.1:${String(port)}  Envoy          used by `;
      const line = demo
        .stderr()
        .split('\n')
        .find((candidate) => candidate.startsWith(taken));
      assert.ok(line?.endsWith(`(process ${String(process.pid)})`), demo.stderr());
      assert.equal(demo.stdout(), '');
    } finally {
      server.close();
    }
  });

  it('refuses a port base that is none', async () => {
    const demo = await startDemo('--port-base', '99');
    assert.deepEqual(await demo.ended, { code: 2, signal: null });
    assert.match(demo.stderr(), /must be 0, or a port from 1024 to 65522/);
  });
});
