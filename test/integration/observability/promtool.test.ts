import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../support/docs/documents.ts';
import { fullRegistry } from '../../support/observe/known-metrics.ts';
import { prometheusPrograms } from '../../support/observe/prometheus.ts';
import { rulesPath } from '../../support/observe/rules.ts';

/** The unit tests of the alerts go through ten hours, every minute. */
const RULE_TESTS_DEADLINE_MS = 240_000;

async function promtool(args: readonly string[], input = ''): Promise<string> {
  // It makes much garbage and lives for seconds: collecting it took a seventh of the time.
  const env = { ...process.env, GOGC: '800' };
  const child = spawn((await prometheusPrograms()).promtool, args, { cwd: projectRoot, env });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(child.exitCode, 0, out + err);
  return out + err;
}

describe('promtool', () => {
  it('takes the rules', async () => {
    assert.match(await promtool(['check', 'rules', rulesPath]), /SUCCESS: 56 rules found/);
  });

  it('takes the configuration of Prometheus, and finds the rules by it', async () => {
    const told = await promtool(['check', 'config', 'deploy/observability/prometheus.yaml']);
    assert.match(told, /SUCCESS: 1 rule files found/);
    assert.match(told, /56 rules found/);
  });

  it('sees every alert fire when it should, and no other', async () => {
    assert.match(
      await promtool(['test', 'rules', join('test/integration/observability', 'alerts.promtool.yaml')]),
      /SUCCESS/,
    );
  }).timeout(RULE_TESTS_DEADLINE_MS);

  it('finds nothing wrong with the names, types and help of our metrics', async () => {
    const blocks = (await fullRegistry().metrics())
      .split('\n\n')
      .filter((block) => block.startsWith('# HELP postern_'));
    assert.ok(blocks.length > 20);
    assert.equal((await promtool(['check', 'metrics'], `${blocks.join('\n')}\n`)).trim(), '');
  });
});
