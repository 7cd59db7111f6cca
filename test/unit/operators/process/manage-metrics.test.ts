import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { reportingCommits } from '../../../../src/operators/process/count-changes.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { ManageMetrics } from '../../../../src/operators/process/manage-metrics.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';

describe('the metrics of postern manage', () => {
  let registry: Registry;
  let metrics: ManageMetrics;
  beforeEach(() => {
    registry = new Registry();
    metrics = new ManageMetrics(registry, () => ({ isStoreUp: true, connections: 3 }));
  });

  /** A series as Prometheus gets it. */
  async function has(line: string): Promise<void> {
    const text = await registry.metrics();
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }

  it('count requests by templates and by methods that there are', async () => {
    const request = { part: 'api', route: '/v1/consumers/{id}', status: 200, seconds: 0.02 } as const;
    metrics.countRequest({ ...request, method: 'GET' });
    metrics.countRequest({ ...request, method: 'PROPFIND', status: 405 });
    metrics.countRequest({ ...request, part: 'page', method: 'GET', route: null, status: 303 });
    const route = 'route="/v1/consumers/{id}"';
    await has(`postern_manage_requests_total{part="api",${route},method="GET",status="200"} 1`);
    await has(`postern_manage_requests_total{part="api",${route},method="OTHER",status="405"} 1`);
    await has('postern_manage_requests_total{part="page",route="none",method="GET",status="303"} 1');
    await has(`postern_manage_request_duration_seconds_bucket{le="0.025",part="api",${route}} 2`);
    await has('postern_manage_store_up 1');
    await has('postern_manage_connections 3');
  });

  it('count who is no operator: at the API by the answer, in the console by the way', async () => {
    const request = { method: 'GET', route: '/v1/*', status: 401, seconds: 0 } as const;
    metrics.countRequest({ ...request, part: 'api' });
    metrics.countRequest({ ...request, part: 'page' });
    metrics.countRefusedSignIn('token');
    await has('postern_manage_refused_sign_ins_total{by="api"} 1');
    await has('postern_manage_refused_sign_ins_total{by="token"} 1');
    await has('postern_manage_refused_sign_ins_total{by="openid"} 0');
  });

  it('count what commits made, and nothing of one that failed', async () => {
    const store = new MemoryResourceStore();
    const resources = reportingCommits(store, (changes) => {
      metrics.countChanges(changes);
    });
    const operation = { actor: 'ada', action: 'test' };
    const after = { ...consumerDefaults, id: 'acme' };
    await resources.commit([{ kind: 'consumer', id: 'acme', before: null, after }], operation);
    await assert.rejects(resources.commit([{ kind: 'consumer', id: 'acme', before: null, after }], operation));
    const before = (await resources.find('consumer', 'acme')) ?? assert.fail();
    const edited = { ...after, name: 'Acme' };
    await resources.commit([{ kind: 'consumer', id: 'acme', before, after: edited }], operation);
    const second = (await resources.find('consumer', 'acme')) ?? assert.fail();
    await resources.commit([{ kind: 'consumer', id: 'acme', before: second, after: null }], operation);
    for (const action of ['create', 'change', 'delete']) {
      await has(`postern_manage_changes_total{kind="consumer",action="${action}"} 1`);
      await has(`postern_manage_changes_total{kind="operator",action="${action}"} 0`);
    }
  });
});
