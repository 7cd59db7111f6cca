import assert from 'node:assert/strict';
import { EndpointDirectory } from '../../../../../src/stores/mongodb/feed/endpoint-directory.ts';
import { describeFault, type RawDocument } from '../../../../../src/stores/mongodb/mapping/document-fault.ts';

/** A document of a protected endpoint, as the database has it. */
function endpointDocument(parts: RawDocument = {}): RawDocument {
  return {
    _id: 'orders',
    scenario: 'partner-openapi',
    match: { paths: [{ prefix: '/orders' }] },
    authentication: 'key',
    revision: 1,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...parts,
  };
}

/** A document of an open endpoint that is wider than the others. */
function openEverything(): RawDocument {
  return { _id: 'everything', scenario: 'open', match: { paths: [{ prefix: '/' }] }, revision: 1 };
}

describe('the directory of endpoints', () => {
  let directory: EndpointDirectory;

  beforeEach(() => {
    directory = new EndpointDirectory();
  });

  /** Who gets a request: `orders`, `orders refuses`, or null for nobody. */
  function ownerOf(path: string, method = 'GET', host = 'api.example.com'): string | null {
    const endpoint = directory.compile().table.find(host, path, method);
    return endpoint === null ? null : endpoint.enabled ? endpoint.id : 'refused';
  }

  function faults(): string[] {
    return directory.compile().faults.map(describeFault);
  }

  it('has what the documents say, whatever their revisions and times', () => {
    directory.replaceAll([
      endpointDocument({ revision: 'x', createdAt: null, updatedAt: undefined }),
      openEverything(),
    ]);
    assert.equal(ownerOf('/orders/1'), 'orders');
    assert.equal(ownerOf('/'), 'everything');
    assert.deepEqual(faults(), []);
  });

  it('takes changes and deletions', () => {
    directory.replaceAll([endpointDocument(), openEverything()]);
    directory.set(endpointDocument({ match: { paths: [{ exact: '/sales' }] } }));
    assert.equal(ownerOf('/sales'), 'orders');
    assert.equal(ownerOf('/orders'), 'everything');
    directory.remove('orders');
    assert.equal(ownerOf('/sales'), 'everything');
  });

  it('forgets what a whole reading no longer has', () => {
    directory.replaceAll([endpointDocument()]);
    directory.replaceAll([openEverything()]);
    assert.equal(ownerOf('/orders'), 'everything');
    assert.equal(directory.compile().table.findById('orders'), null);
  });

  describe('with a document edited into nonsense', () => {
    it('refuses its requests instead of leaving them to a wider endpoint', () => {
      for (const nonsense of [
        { authentication: 'password' },
        { scenario: 7 },
        { enabled: 'no' },
        { trafficControl: { limits: [{ requests: -1 }] } },
        { options: { mode: 'obsreve' } },
        { surplus: true },
      ]) {
        directory = new EndpointDirectory();
        directory.replaceAll([endpointDocument(nonsense), openEverything()]);
        assert.equal(ownerOf('/orders/1'), 'refused', JSON.stringify(nonsense));
        assert.equal(ownerOf('/other'), 'everything', JSON.stringify(nonsense));
        assert.equal(faults().length > 0, true, JSON.stringify(nonsense));
        assert.equal(directory.compile().table.findById('orders')?.enabled, false);
      }
    });

    it('says where the fault is and what to write', () => {
      directory.replaceAll([endpointDocument({ authentication: 'hmca' })]);
      assert.deepEqual(faults(), [
        'endpoints "orders", authentication: "authentication" must be "key", "hmac", "parameter-signature", "http-message-signature", "oauth2", "jwt" or "certificate"; did you mean "hmac"?',
      ]);
    });

    it('keeps the requests of the right parts of its match', () => {
      const match = {
        hosts: [7, 'API.example.com'],
        paths: [{ prefix: '/orders' }, { prefix: 'x' }],
        methods: ['GET', 7],
      };
      directory.replaceAll([endpointDocument({ match }), openEverything()]);
      assert.equal(ownerOf('/orders'), 'refused');
      assert.equal(ownerOf('/orders', 'GET', 'other.example.com'), 'everything');
      assert.equal(ownerOf('/orders', 'POST'), null);
    });

    it('claims no host that it was not given', () => {
      directory.replaceAll([
        endpointDocument({ match: { hosts: 7, paths: [{ prefix: '/orders' }] } }),
        openEverything(),
      ]);
      assert.equal(ownerOf('/orders'), 'everything');
      assert.deepEqual(
        directory.compile().faults.map(({ id, keepsItsRequests }) => [id, keepsItsRequests]),
        [['"orders"', false]],
      );
    });

    it('keeps the requests of its last good match while its match cannot be read', () => {
      directory.replaceAll([endpointDocument(), openEverything()]);
      for (const match of ['nonsense', { paths: [] }, null, { paths: [{ prefix: '/sales' }, {}] }]) {
        directory.set(endpointDocument({ match }));
        assert.equal(ownerOf('/orders'), 'refused', JSON.stringify(match));
      }
      assert.equal(ownerOf('/sales'), 'refused');
    });

    it('serves again once it is fixed, and no longer what it claimed before', () => {
      directory.replaceAll([endpointDocument(), openEverything()]);
      directory.set(endpointDocument({ match: 'nonsense' }));
      directory.set(endpointDocument({ match: { paths: [{ prefix: '/sales' }] } }));
      assert.equal(ownerOf('/sales'), 'orders');
      assert.equal(ownerOf('/orders'), 'everything');
      assert.deepEqual(faults(), []);
    });

    it('lets go of its requests once it is deleted', () => {
      directory.replaceAll([endpointDocument(), openEverything()]);
      directory.set(endpointDocument({ match: 'nonsense' }));
      directory.remove('orders');
      assert.equal(ownerOf('/orders'), 'everything');
    });

    it('takes ids of any type', () => {
      for (const id of [7, null, undefined, { a: 1 }, 'no id!']) {
        directory.set(endpointDocument({ _id: id }));
        assert.equal(ownerOf('/orders'), 'refused', JSON.stringify(id));
        directory.remove(id);
        assert.equal(ownerOf('/orders'), null, JSON.stringify(id));
      }
    });
  });

  describe('with two endpoints that claim the same', () => {
    const open = (): RawDocument => ({
      ...openEverything(),
      _id: 'intruder',
      match: { paths: [{ prefix: '/orders' }] },
    });

    it('lets neither decide, in whatever order they came', () => {
      for (const documents of [
        [endpointDocument(), open()],
        [open(), endpointDocument()],
      ]) {
        directory = new EndpointDirectory();
        directory.replaceAll([...documents, openEverything()]);
        assert.equal(ownerOf('/orders/1'), 'refused');
        assert.equal(faults().length, 1);
        assert.match(faults()[0] ?? '', /claims the same requests as the endpoint "(orders|intruder)"/);
      }
    });

    it('leaves them what they do not share', () => {
      const both = { paths: [{ prefix: '/orders' }, { prefix: '/sales' }] };
      directory.replaceAll([endpointDocument({ match: both }), open()]);
      assert.equal(ownerOf('/sales'), 'orders');
      assert.equal(ownerOf('/orders'), 'refused');
    });

    it('serves again once one of them is gone', () => {
      directory.replaceAll([endpointDocument(), open()]);
      directory.remove('intruder');
      assert.equal(ownerOf('/orders'), 'orders');
      assert.deepEqual(faults(), []);
    });

    it('refuses also when one of them is a faulty one', () => {
      directory.replaceAll([endpointDocument({ authentication: 'x' }), open()]);
      assert.equal(ownerOf('/orders'), 'refused');
    });
  });
});
