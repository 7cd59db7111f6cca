import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Child } from '../../support/process/child-process.ts';
import { descendantNamed, descendantsOf, untilGone } from '../../support/process/process-tree.ts';
import { useDemo } from '../../support/demo/use-demo.ts';
import { poll } from '../../support/time/poll.ts';

describe('postern demo, with the console', () => {
  const demos = useDemo();

  /** As a person starts it where MongoDB is installed; gives what it prints of the console, and its processes. */
  async function startWithConsole(): Promise<Shown> {
    const demo = await demos.start('--port-base', '0');
    await demo.line('stdout', (line) => (line.includes('Ctrl-C ends the demo') ? line : null));
    const found = (pattern: RegExp): string => {
      const [, text] = pattern.exec(demo.stdout()) ?? [];
      assert.ok(text !== undefined, `${String(pattern)} is not in\n${demo.stdout()}`);
      return text;
    };
    return {
      demo,
      children: await descendantsOf(demo.pid),
      address: found(/^ {2}The console, where they can be changed: (http:\/\/127\.0\.0\.1:\d+)$/m),
      token: found(/^ {2}Sign in with this token: (pot_demo\.\S{43})$/m),
      envoy: `http://127.0.0.1:${found(/^ {2}Envoy :(\d+)/m)}`,
    };
  }

  it('shows a token with which changes come into force behind Envoy, and leaves nothing behind', async () => {
    const { demo, children, address, token, envoy } = await startWithConsole();
    const call = async (): Promise<number> => (await fetch(`${envoy}/orders?appKey=acme-demo-key`)).status;
    assert.equal(await call(), 200);
    const answer = await fetch(`${address}/v1/consumers/acme`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ enabled: false }),
    });
    assert.equal(answer.status, 200, await answer.text());
    await poll('the refusal', async () => ((await call()) === 401 ? true : null));

    demo.signal('SIGINT');
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stderr());
    await untilGone(children);
    assert.deepEqual(await readdir(demos.temporary()), []);
  });

  it('shows every row as expected, from MongoDB', async () => {
    const demo = await demos.start('--once', '--with-console', '--port-base', '0');
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.stdout() + demo.stderr());
    const rows = demo.stdout().match(/^ {2}✓ /gm) ?? [];
    assert.match(demo.stdout(), new RegExp(`^ {2}All ${String(rows.length)} as expected\\.$`, 'm'));
    assert.deepEqual(await readdir(demos.temporary()), []);
  });

  it('ends and says why when MongoDB ends, and takes the others with it', async () => {
    const { demo, children } = await startWithConsole();
    process.kill(await descendantNamed(demo.pid, 'mongod'), 'SIGKILL');
    assert.deepEqual(await demo.ended, { code: 1, signal: null });
    assert.match(demo.stderr(), /^MongoDB ended unexpectedly with SIGKILL\.$/m);
    await untilGone(children);
  });
});

interface Shown {
  readonly demo: Child;
  readonly children: readonly number[];
  readonly address: string;
  readonly token: string;
  readonly envoy: string;
}
