import assert from 'node:assert/strict';
import type { Change } from '../../../../src/resources/changes/change.ts';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import { Conflict } from '../../../../src/resources/changes/resource-store.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { consumer, credential, grant, keyEndpoint } from '../../../support/pipeline/resources.ts';

const operation = { actor: 'ada', action: 'test' };

function managed(appKey: string, id = 'acme-key'): ManagedCredential {
  return { ...credential({ id }), appKey: Secret.fromText(appKey), appKeyHash: hashAppKey(appKey) };
}

async function refuses(store: MemoryResourceStore, changes: readonly Change[], why: RegExp): Promise<void> {
  const { revision } = store;
  await assert.rejects(store.commit(changes, operation), (error) => {
    assert.ok(error instanceof Conflict);
    assert.match(error.message, why);
    return true;
  });
  assert.equal(store.revision, revision);
}

describe('the store that commands are tested with', () => {
  it('takes a change only on the revision it was planned on', async () => {
    const store = new MemoryResourceStore({ consumers: [consumer()] });
    const before = await store.find('consumer', 'acme');
    const change: Change = { kind: 'consumer', id: 'acme', before, after: consumer({ enabled: false }) };
    assert.equal(await store.commit([change], operation), 1);
    assert.equal((await store.find('consumer', 'acme'))?.revision, 2);
    await refuses(store, [change], /changed meanwhile/);
    await refuses(store, [{ ...change, before: null }], /already/);
  });

  it('lets no reference lead nowhere', async () => {
    const store = new MemoryResourceStore({ endpoints: [keyEndpoint()], consumers: [consumer()], grants: [grant()] });
    const before = await store.find('consumer', 'acme');
    await refuses(store, [{ kind: 'consumer', id: 'acme', before, after: null }], /leads nowhere/);
    const orphan = { ...managed('some-key'), consumerId: 'nobody' };
    await refuses(store, [{ kind: 'credential', id: 'acme-key', before: null, after: orphan }], /no consumer/);
  });

  it('gives no App Key twice, and never that of a deleted credential', async () => {
    const store = new MemoryResourceStore({ consumers: [consumer()], credentials: [managed('some-key')] });
    const second: Change = { kind: 'credential', id: 'other', before: null, after: managed('some-key', 'other') };
    await refuses(store, [second], /taken/);
    const before = await store.find('credential', 'acme-key');
    await store.commit([{ kind: 'credential', id: 'acme-key', before, after: null }], operation);
    await refuses(store, [second], /given before/);
  });

  it('takes no endpoints that claim the same requests', async () => {
    const store = new MemoryResourceStore({ endpoints: [keyEndpoint()] });
    const after = keyEndpoint({ id: 'others' });
    await refuses(store, [{ kind: 'endpoint', id: 'others', before: null, after }], /same requests/);
  });
});
