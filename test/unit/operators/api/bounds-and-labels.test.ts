import assert from 'node:assert/strict';
import { parseLabelOwners } from '../../../../src/model/label-owners.ts';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const headers = { 'if-match': '*' };

describe('an operator who is bound to hosts and paths', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
    const hosts = ['api.example.com', '*.partners.example.com'];
    await api.add('bound', 'admin', { selector: { team: 'payments' }, hosts, pathPrefixes: ['/pay'] });
    const match = { hosts: ['api.example.com'], paths: [{ prefix: '/pay/in' }] };
    const body = { id: 'inside', labels: { team: 'payments' }, match, authentication: 'key' };
    await api.done('alice', 'POST', '/v1/endpoints', { body });
  });

  const wish = (id: string, match: object): object => ({
    ...{ id, labels: { team: 'payments' }, authentication: 'key', match },
  });

  it('makes endpoints within the bounds, and none beyond', async () => {
    const refused: readonly object[] = [
      { paths: [{ prefix: '/pay/a' }] },
      { hosts: ['api.example.org'], paths: [{ prefix: '/pay/a' }] },
      { hosts: ['*.example.com'], paths: [{ prefix: '/pay/a' }] },
      { hosts: ['api.example.com', 'other.example.com'], paths: [{ prefix: '/pay/a' }] },
      { hosts: ['partners.example.com'], paths: [{ prefix: '/pay/a' }] },
      { hosts: ['api.example.com'], paths: [{ prefix: '/payments' }] },
      { hosts: ['api.example.com'], paths: [{ prefix: '/pay/a' }, { exact: '/' }] },
    ];
    for (const match of refused) {
      const answer = await api.refused('FORBIDDEN', 'bound', 'POST', '/v1/endpoints', { body: wish('new', match) });
      assert.equal(
        answer.body['detail'],
        'the endpoint "new" must stay within the bounds of the operator: hosts api.example.com *.partners.example.com; paths /pay',
      );
    }
    const paths = [{ prefix: '/pay' }, { exact: '/pay/one' }];
    const match = { hosts: ['api.example.com', 'a.partners.example.com', '*.b.partners.example.com'], paths };
    await api.done('bound', 'POST', '/v1/endpoints', { body: wish('new', match) });
  });

  it('changes no endpoint beyond them by any way, nor a grant on one, and sees it', async () => {
    await api.done('bound', 'GET', '/v1/endpoints/orders');
    await api.done('alice', 'PATCH', '/v1/endpoints/orders', { body: { description: 'Orders' }, headers });
    const [event] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
    const { revision } = api.store;
    const limits = [{ requests: 1, unit: 'minute', per: 'consumer' }];
    const ways: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['PATCH', '/v1/endpoints/orders', { enabled: false }],
      ['PATCH', '/v1/endpoints/inside', { match: { paths: [{ prefix: '/any' }] } }],
      ['DELETE', '/v1/endpoints/orders'],
      ['PUT', '/v1/endpoints/orders/limits', { limits }],
      ['DELETE', '/v1/endpoints/orders/limits'],
      ['POST', `/v1/audit/${String(event?.['event'])}:revert`],
      ['POST', '/v1/grants', { endpoint: 'orders', consumer: 'globex' }],
      ['PATCH', '/v1/grants/orders/acme', { limits }],
      ['PUT', '/v1/grants/orders/acme/limits', { limits }],
      ['DELETE', '/v1/grants/orders/acme'],
    ];
    for (const [method, path, body] of ways) {
      for (const query of ['?dryRun=true', '']) {
        const asked = { headers, ...(body === undefined ? {} : { body }) };
        await api.refused('FORBIDDEN', 'bound', method, `${path}${query}`, asked);
      }
    }
    assert.equal(api.store.revision, revision);
    await api.done('bound', 'POST', '/v1/grants', { body: { endpoint: 'inside', consumer: 'globex' } });
    await api.done('bound', 'PATCH', '/v1/consumers/acme', { body: { name: 'Acme' }, headers });
  });

  it('manages no operators, also without labels', async () => {
    await api.add('half', 'admin', { pathPrefixes: ['/pay'] });
    const answer = await api.refused('FORBIDDEN', 'half', 'GET', '/v1/operators');
    assert.equal(answer.body['detail'], 'only an admin without labels, hosts and paths manages operators');
    const { body } = await api.done('half', 'GET', '/v1/operators/me');
    assert.deepEqual([body['selector'], body['hosts'], body['pathPrefixes']], [{}, [], ['/pay']]);
    await api.done('alice', 'PATCH', '/v1/operators/half', { body: { pathPrefixes: null }, headers });
    await api.done('half', 'GET', '/v1/operators');
    await api.refused('INVALID_RESOURCE', 'alice', 'PATCH', '/v1/operators/half', {
      ...{ body: { pathPrefixes: ['/a/../b'] }, headers },
    });
  });
});

describe('labels that are reserved', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams(parseLabelOwners('tier:admins,region:team=payments') ?? assert.fail());
    await api.add('peter', 'admin', { selector: { team: 'people' } });
    await api.add('otto', 'operator');
  });
  const label = async (who: string, id: string, labels: object, code: string | null): Promise<void> => {
    const asked = [who, 'PATCH', `/v1/consumers/${id}`, { body: { labels }, headers }] as const;
    if (code === null) await api.done(...asked);
    else await api.refused(code, ...asked);
  };

  it('are set, changed and removed by those they are reserved to', async () => {
    await label('paula', 'globex', { tier: 'gold' }, 'FORBIDDEN');
    await label('paula', 'acme', { tier: 'silver' }, 'FORBIDDEN');
    await label('paula', 'acme', { tier: null }, 'FORBIDDEN');
    await label('otto', 'acme', { tier: null }, 'FORBIDDEN');
    await label('alice', 'acme', { tier: 'silver' }, null);
    await label('paula', 'acme', { region: 'eu' }, null);
    await label('peter', 'initech', { region: 'eu' }, 'FORBIDDEN');
    await label('paula', 'acme', { colour: 'red' }, null);
    const answer = await api.refused('FORBIDDEN', 'paula', 'POST', '/v1/consumers?dryRun=true', {
      body: { id: 'new', labels: { team: 'payments', tier: 'gold' } },
    });
    assert.equal(answer.body['detail'], 'the label "tier" is reserved: others set, change and remove it');
    // A resource that carries one is changed and deleted as before.
    await api.done('paula', 'PATCH', '/v1/consumers/acme', { body: { name: 'Acme' }, headers });
    const endpoint = { body: { labels: { tier: 'gold' } }, headers };
    await api.refused('FORBIDDEN', 'petra', 'PATCH', '/v1/endpoints/orders', endpoint);
  });

  it('do not come back by undoing', async () => {
    await label('alice', 'acme', { tier: null }, null);
    const [event] = itemsOf(await api.done('alice', 'GET', '/v1/audit?limit=1'));
    await api.refused('FORBIDDEN', 'paula', 'POST', `/v1/audit/${String(event?.['event'])}:revert`);
  });

  it('are told in one form', () => {
    for (const text of ['tier', 'tier:', 'tier:admin', 'tier:admins,tier:admins', ':admins', 'a:b=', 'tier:admins,']) {
      assert.equal(parseLabelOwners(text), null, text);
    }
    assert.deepEqual(
      [...(parseLabelOwners('tier:admins, region:team=eu') ?? [])],
      [
        ['tier', null],
        ['region', { team: 'eu' }],
      ],
    );
  });
});
