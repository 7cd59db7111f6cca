import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { defaultDemoPorts } from '../../../src/cli/demo/demo-ports.ts';
import { nameOf, untilGone } from '../../support/process/process-tree.ts';
import { useDemo } from '../../support/demo/use-demo.ts';
import { command } from '../../support/ratelimit/start-redis.ts';

describe('postern demo --with-ratelimit', () => {
  const demos = useDemo();

  it('shows every row as expected, limits with their headers, and ends', async () => {
    const demo = await demos.start('--once', '--with-ratelimit', '--port-base', '0');
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stdout() + demo.stderr());
    const lines = demo.stdout().split('\n');
    assert.ok(lines.includes("  Limits are kept by Envoy's rate limit service, in Redis."));
    const rows = lines.filter((line) => /^ {2}[✓✗] /.test(line));
    assert.ok(lines.includes(`  All ${String(rows.length)} as expected.`), demo.stdout());
    const within = lines.findIndex((line) => line.startsWith('  ✓ within the limit of 3 a minute'));
    const shown = lines.slice(within + 1, within + 7).map((line) => line.replaceAll(/\d{1,2}$/g, 'N'));
    assert.deepEqual(
      shown.filter((line) => line.startsWith('      ')),
      [
        '      ratelimit: "default";r=2;t=N',
        '      ratelimit-policy: "default";q=3;w=N',
        '      retry-after: N',
        '      ratelimit: "default";r=0;t=N',
        '      ratelimit-policy: "default";q=3;w=N',
      ],
    );
    assert.deepEqual(await readdir(demos.temporary()), []);
  });

  it('counts in Redis, runs until Ctrl-C, and leaves nothing behind', async () => {
    const { demo, children } = await demos.startWhole('--with-ratelimit', '--without-console');
    const names = await Promise.all(children.map(nameOf));
    for (const program of ['envoy', 'ratelimit'])
      assert.ok(
        names.some((name) => name.startsWith(program)),
        names.join(),
      );
    const [, redisPort] = /Redis :(\d+)/.exec(demo.stdout()) ?? [];
    const keys = await command(Number(redisPort), 'KEYS *');
    assert.match(keys, /endpoint_reports_consumer_acme_unit_minute/);
    const [, metricsPort] = /rate limit service :\d+ \(metrics :(\d+)\/metrics\)/.exec(demo.stdout()) ?? [];
    assert.equal((await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).status, 200);

    demo.signal('SIGINT');
    demo.signal('SIGINT'); // as npm does
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stderr());
    await untilGone(children);
    assert.deepEqual(await readdir(demos.temporary()), []);
  });

  for (const program of ['redis', 'ratelimit']) {
    it(`ends and says why when ${program} ends, and takes the others with it`, async () => {
      const { demo, children } = await demos.startWhole('--with-ratelimit', '--without-console');
      const names = await Promise.all(children.map(nameOf));
      const isWanted = (name: string) => name.startsWith(program) || (program === 'redis' && name.startsWith('valkey'));
      const pid = children[names.findIndex(isWanted)];
      assert.ok(pid !== undefined, names.join());
      process.kill(pid, 'SIGKILL');
      assert.deepEqual(await demo.ended, { code: 1, signal: null });
      assert.match(demo.stderr(), /^(Redis|Rate limit service) ended unexpectedly with SIGKILL\.$/m);
      await untilGone(children);
    });
  }

  it('takes all programs with it even when it is killed', async () => {
    const { demo, children } = await demos.startWhole('--with-ratelimit', '--without-console');
    demo.signal('SIGKILL');
    await demo.ended;
    await untilGone(children);
  });

  it('says that a port of the service is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      // Redis is the first after those of the demo.
      const before = Object.keys(defaultDemoPorts).length;
      const demo = await demos.start('--once', '--with-ratelimit', '--port-base', String(port - before));
      assert.deepEqual(await demo.ended, { code: 1, signal: null });
      assert.match(demo.stderr(), new RegExp(`^ {2}127\\.0\\.0\\.1:${String(port)} +Redis +used by `, 'm'));
    } finally {
      server.close();
    }
  });
});
