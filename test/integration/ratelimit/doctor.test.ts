import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { checkRateLimitService } from '../../../src/cli/doctor/check-rate-limit-service.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

describe('postern doctor on the rate limit service', () => {
  const running = useRateLimitService();

  async function examine(domain = 'postern') {
    const address = { host: '127.0.0.1', port: running.service().port };
    const findings = await checkRateLimitService(
      { address, domain, deadlineMs: 5000, transport: 'native' },
      systemClock,
    );
    return findings.map(({ level, message, advice }) => ({ level, message, advice }));
  }

  it('finds nothing wrong with the committed configuration', async () => {
    assert.deepEqual(await examine(), [
      { level: 'ok', message: 'applies the limits that it is sent, in the domain postern', advice: null },
    ]);
  });

  it('finds a domain that the configuration lacks', async () => {
    assert.deepEqual(await examine('elsewhere'), [
      {
        level: 'fault',
        message: 'the rate limit service did not apply the limit that was sent; its configuration lacks the domain',
        advice:
          'put "domain: elsewhere" in its configuration, or its domain in POSTERN_RATE_LIMIT_DOMAIN; see deploy/ratelimit',
      },
    ]);
  });

  it('finds a Redis that is away, and a service that is', async () => {
    await running.redis().kill();
    const [withoutRedis] = await examine();
    await running.redis().restart();
    assert.deepEqual([withoutRedis?.level, withoutRedis?.advice], ['fault', 'check that its Redis runs and answers']);
    await running.service().kill();
    const [away] = await examine();
    await running.service().restart();
    assert.deepEqual(away, {
      level: 'fault',
      message: 'the rate limit service cannot be reached',
      advice: 'check that it runs and that this machine reaches it',
    });
  });

  it('is told by the command', async () => {
    await using folder = await temporaryDirectory();
    const file = join(folder.path, 'postern.yaml');
    await writeFile(file, 'version: 1\n');
    const environment = {
      POSTERN_STORE: `file:${file}`,
      POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(running.service().port)}`,
      POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
    };
    const good = await runCli(['doctor'], environment);
    assert.equal(good.code, 0, good.out);
    assert.match(good.out, /✓ rate limit service 127\.0\.0\.1:\d+: applies the limits that it is sent/);
    const bad = await runCli(['doctor'], { ...environment, POSTERN_RATE_LIMIT_DOMAIN: 'elsewhere' });
    assert.equal(bad.code, 1, bad.out);
    assert.match(bad.out, /its configuration lacks the domain/);
  });
});
