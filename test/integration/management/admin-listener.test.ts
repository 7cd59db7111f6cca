import assert from 'node:assert/strict';
import { useManagement } from '../../support/management/use-management.ts';
import { type Relay, startRelay } from '../../support/stack/relay.ts';
import { poll } from '../../support/time/poll.ts';

describe('the admin listener of the management API', () => {
  let relay: Relay;
  const management = useManagement(async (uri) => {
    const { host, pathname } = new URL(uri);
    relay = await startRelay(Number(host.split(':')[1]));
    return `mongodb://127.0.0.1:${String(relay.port)}${pathname}?directConnection=true`;
  });
  let token = '';
  before(async () => {
    token = await management.newOperator('root', '--role admin');
  });
  after(async () => {
    await relay[Symbol.asyncDispose]();
  });

  const admin = async (path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${String(management.adminPort())}${path}`);
    return `${String(answer.status)} ${await answer.text()}`;
  };
  const becomes = async (path: string, text: string): Promise<void> => {
    await poll(`${path} ${text}`, async () => ((await admin(path)).includes(text) ? true : null));
  };

  it('says whether the process and the database answer, and nothing else of the API', async () => {
    assert.equal(await admin('/livez'), '200 ok\n');
    await becomes('/readyz', '200 ready');
    for (const path of ['/v1/consumers', '/openapi.json', '/', '/sign-in']) {
      assert.match(await admin(path), /^404 there are \/livez, \/readyz and \/metrics/, path);
    }
    assert.ok(!(await management.ask('GET', '/metrics', { token })).text.includes('postern_manage_'));
  });

  it('shows requests, refused sign-ins and changes, without an id', async () => {
    await management.ask('POST', '/v1/consumers', { token, body: { id: 'acme-of-metrics' } });
    await management.ask('GET', '/v1/consumers/acme-of-metrics', { token });
    await management.ask('GET', '/v1/consumers/acme-of-metrics', { token: 'pot_root.wrong' });
    const metrics = await admin('/metrics');
    for (const series of [
      'postern_manage_requests_total{part="api",route="/v1/consumers",method="POST",status="201"} 1',
      'postern_manage_requests_total{part="api",route="/v1/consumers/{id}",method="GET",status="200"} 1',
      'postern_manage_refused_sign_ins_total{by="api"} 1',
      'postern_manage_changes_total{kind="consumer",action="create"} 1',
      'postern_manage_store_up 1',
    ]) {
      assert.ok(metrics.split('\n').includes(series), `${series} is not in\n${metrics}`);
    }
    for (const name of ['process_cpu_seconds_total', 'postern_build_info{version=', 'postern_manage_connections ']) {
      assert.ok(metrics.includes(name), name);
    }
    for (const secret of ['acme-of-metrics', 'root', token]) assert.ok(!metrics.includes(secret), secret);
  });

  it('says that MongoDB does not answer, and that it does again', async () => {
    relay.cut();
    try {
      await becomes('/readyz', '503 not ready: MongoDB does not answer');
      await becomes('/metrics', 'postern_manage_store_up 0');
      assert.equal(await admin('/livez'), '200 ok\n');
    } finally {
      relay.restore();
    }
    await becomes('/readyz', '200 ready');
    // What the process has written may take longer on its way here than its answer.
    const logged = /"MongoDB cannot be used; requests get 503"[^]*"MongoDB answers again"/;
    await poll('both lines', () => Promise.resolve(logged.test(management.logs()) ? true : null));
  });
});
