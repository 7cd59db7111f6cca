import assert from 'node:assert/strict';
import { compose, requireCompose, startStack } from '../../scripts/compose/stack.mjs';
import { dockerOutput } from '../../scripts/image/docker.mjs';
import { makeServerImages } from '../../scripts/image/local-servers.mjs';
import { buildTestImage } from '../support/image/built-image.ts';
import { freePort } from '../../src/cli/programs/free-ports.ts';
import { poll } from '../support/time/poll.ts';

const project = 'postern-test';

describe('deploy/compose', () => {
  let env: Readonly<Record<string, string>>;
  let address = '';
  before(async () => {
    await requireCompose();
    env = {
      ...(await makeServerImages()),
      IMAGE_POSTERN: await buildTestImage(),
      COMPOSE_PROJECT_NAME: project,
      PORT_ENVOY: String(await freePort()),
      PORT_ADMIN: String(await freePort()),
      PORT_MANAGE: String(await freePort()),
    };
    address = await startStack({ env });
  });
  after(async () => {
    await compose(['down', '--volumes', '--timeout', '30'], { env });
  });
  const statusOf = async (path: string): Promise<number> => (await fetch(`${address}${path}`)).status;

  it('lets partners of the demo do what they may', async () => {
    const orders = await fetch(`${address}/orders?appKey=acme-demo-key`);
    assert.equal(orders.status, 200);
    assert.match(await orders.text(), /^GET \/orders\nx-consumer-id: acme\n/);
    assert.equal(await statusOf('/orders?appKey=borealis-demo-key'), 403);
    assert.equal(await statusOf('/orders'), 401);
    assert.equal(await statusOf('/status'), 200);
  });

  it('gives access tokens that it accepts', async () => {
    const answer = await fetch(`${address}/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('acme-oauth2-demo:public-demo-secret-of-acme-for-oauth2').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    assert.equal(answer.status, 200);
    const { access_token: token } = (await answer.json()) as { readonly access_token: string };
    const stock = await fetch(`${address}/stock`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(stock.status, 200);
  });

  it('counts in Redis, over the rate limit service', async () => {
    // Three a minute: of eight, one at least is over its limit wherever the minute ends.
    const statuses: number[] = [];
    for (let i = 0; i < 8; i += 1) statuses.push(await statusOf('/reports?appKey=acme-demo-key'));
    assert.ok(statuses.includes(429), statuses.join(' '));
    const metrics = await (await fetch(`http://127.0.0.1:${String(env['PORT_ADMIN'])}/metrics`)).text();
    assert.match(metrics, /^postern_limiter_[a-z_]+/m);
  });

  it('answers requests of an operator, and nobody else', async () => {
    const manage = `http://127.0.0.1:${String(env['PORT_MANAGE'])}`;
    const command = ['dist/main.js', 'operator', 'add', 'alice', '--role', 'viewer', '-o', 'json'];
    const printed = await dockerOutput(
      ['compose', '--file', 'deploy/compose/compose.yaml', 'run', '--rm', '--no-deps', 'postern', ...command],
      { env },
    );
    const { token } = JSON.parse(printed) as { readonly token: { readonly token: string } };
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`${manage}/v1/consumers`, { headers })).status;
    assert.equal(await ask({ authorization: `Bearer ${token.token}` }), 200);
    assert.equal(await ask({}), 401);
  });

  it('publishes nothing but three ports of the loopback', async () => {
    const ids = (
      await dockerOutput(['ps', '--quiet', '--filter', `label=com.docker.compose.project=${project}`])
    ).split('\n');
    const format = '{{range $ports := .NetworkSettings.Ports}}{{range $ports}}{{.HostIp}} {{end}}{{end}}';
    const published = (await dockerOutput(['inspect', '--format', format, ...ids]))
      .split(/\s+/)
      .filter((ip) => ip !== '');
    assert.deepEqual(published, ['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  });

  it('can be set up again, and takes commands', async () => {
    await compose(['run', '--rm', 'setup'], { env });
    await compose(['run', '--rm', '--no-deps', 'postern', 'dist/main.js', 'consumer', 'show', 'acme'], { env });
  });

  it('lets nothing pass while Postern is away, and goes on when it is back', async () => {
    await compose(['stop', 'postern'], { env });
    assert.equal(await statusOf('/status'), 503);
    await compose(['start', 'postern'], { env });
    await poll('Envoy', async () => ((await statusOf('/status')) === 200 ? true : null));
  });
});
