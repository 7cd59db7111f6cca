import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readDocument } from '../../../support/docs/documents.ts';
import { type PlainRequest, send } from '../../../support/http/http-client.ts';
import { type HttpAnswer } from '../../../support/http/http-message.ts';
import { assertRefused } from '../../../support/http/assert-refused.ts';
import { release } from '../../../support/lifetime/release.ts';
import { type DemoPods, startDemoPods } from './demo-pods.ts';

const run = promisify(execFile);

/** Takes out what differs from one run to the next. */
function normalise(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/"requestId":"[0-9a-f-]{36}"/, '"requestId":"…"'));
}

describe('the overlay demo, its pods as processes', function () {
  this.timeout(60_000);
  let pods: DemoPods;
  before(async () => {
    pods = await startDemoPods();
  });
  after(async () => {
    pods.postern.signal('SIGKILL'); // a good end is not waited for
    await release(pods);
  });

  const call = async (request: PlainRequest): Promise<HttpAnswer> => await send('HTTP/1.1', pods.envoy.port, request);

  it('answers the calls of docs/kubernetes.md as that page shows', async () => {
    const shown = [...readDocument('docs/kubernetes.md').matchAll(/^```console\n(.*?)^```$/gms)].map(
      ([, block]) => block,
    );
    const steps = shown.join('').split(/^\$ /m).slice(1);
    assert.equal(steps.length, 3);
    for (const step of steps) {
      const [command = '', ...lines] = step.trimEnd().split('\n');
      const local = command.replace('127.0.0.1:10000', `127.0.0.1:${String(pods.envoy.port)}`);
      const { stdout } = await run('bash', ['-c', local]);
      assert.deepEqual(normalise(stdout.trimEnd().split('\n')), normalise(lines), command);
    }
  });

  it('lets a partner through, and tells the back end who it is', async () => {
    const answer = await call({ target: '/orders?appKey=acme-demo-key&x=1' });
    assert.equal(answer.status, 200, answer.body.toString());
    assert.deepEqual(answer.body.toString().trim().split('\n'), [
      'GET /orders?x=1',
      'x-consumer-id: acme',
      'x-consumer-username: Acme Ltd',
      'x-credential-identifier: acme-key',
    ]);
  });

  it('refuses who is unknown, and who has no grant', async () => {
    assertRefused(await call({ target: '/orders?appKey=nobody' }), 'AUTHENTICATION_FAILED');
    assertRefused(await call({ target: '/orders?appKey=borealis-demo-key' }), 'NOT_AUTHORIZED');
  });

  it('counts limits in the rate limit service', async () => {
    // Three a minute: of seven at least one is refused, also when a minute ends in between.
    const answers = [];
    for (let number = 1; number <= 7; number += 1)
      answers.push(await call({ target: '/reports?appKey=acme-demo-key' }));
    const refused = answers.find(({ status }) => status !== 200);
    assert.ok(refused);
    assertRefused(refused, 'RATE_LIMITED');
    assert.match(pods.postern.stdout(), /"message":"ready"/);
    assert.doesNotMatch(pods.postern.stdout(), /limits are kept in this process/);
  });

  it('issues access tokens under the address of the port-forward', async () => {
    const answer = await call({ target: '/.well-known/oauth-authorization-server' });
    assert.equal((JSON.parse(answer.body.toString()) as { issuer: string }).issuer, 'http://127.0.0.1:10000');
  });

  it('can run its Job again, and nothing changes', async () => {
    const printed = await pods.runJob();
    assert.match(printed, /no faults/);
    assert.match(printed, /Nothing to change/);
  });
});
