import assert from 'node:assert/strict';
import { send } from '../../support/http/http-client.ts';
import { type Mongod } from '../../support/mongodb/mongod.ts';
import { type ReplicaSet } from '../../support/mongodb/replica-set.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { startTraffic } from '../../support/load/traffic.ts';
import {
  codeOf,
  type HandedOver,
  keyedWith,
  type OwnMongodbStack,
  signedWith,
  startOwnMongodbStack,
} from './mongodb-stack.ts';

/** Requests by callers who are known, during the outage. */
const knownRequests = 300;
const unknownRequests = 30;

const outages: readonly {
  readonly name: string;
  readonly begin: (mongod: Mongod, mongodb: ReplicaSet) => Promise<void>;
  readonly end: (mongod: Mongod) => Promise<void>;
}[] = [
  { name: 'killed', begin: (mongod) => mongod.kill(), end: (mongod) => mongod.restart() },
  {
    name: 'frozen',
    begin: (mongod) => mongod.freeze(),
    end: async (mongod) => {
      mongod.thaw();
      await Promise.resolve();
    },
  },
];

describe('traffic through Envoy while MongoDB is away', function () {
  this.timeout(90_000);
  let stack: OwnMongodbStack;
  let acme: HandedOver;
  let number = 0;
  before(async () => {
    stack = await startOwnMongodbStack();
    acme = await stack.handOver('credential issue --consumer acme --method hmac --id acme-hmac');
    await stack.untilEverywhere(() => signedWith(acme), 200);
  });
  after(() => release(stack));

  /** A caller that nobody has seen before, and what it is told. */
  async function callUnknown(): Promise<string> {
    number += 1;
    const request = keyedWith({ id: '', appKey: `nobody-has-this-${String(number)}`, appSecret: null });
    const answer = await send('HTTP/1.1', stack.replica().envoy.port, request);
    return `${String(answer.status)} ${codeOf(answer) ?? ''}`;
  }

  for (const { name, begin, end } of outages) {
    it(`goes on for known callers and gets 503 for unknown ones when it is ${name}, and all is well afterwards`, async () => {
      const mongod = assertOne(stack.mongodb.members);
      const { envoy, postern } = stack.replica();
      const { headers } = signedWith(acme);
      assert.equal(await callUnknown(), '401 AUTHENTICATION_FAILED');
      {
        await using known = await startTraffic(envoy.port, { target: '/signed', headers });
        await begin(mongod, stack.mongodb);
        // For two seconds at most a replica goes by the App Keys that it knew of a moment ago.
        const startMs = performance.now();
        await poll('an unknown caller to get 503', async () => {
          const answer = await callUnknown();
          assert.match(answer, performance.now() - startMs < 5000 ? /^(50[03]|401) / : /^50[03] /);
          return answer === '503 STORE_UNAVAILABLE' ? true : null;
        });
        const told = new Map<string, number>();
        for (let call = 0; call < unknownRequests; call += 1) {
          const answer = await callUnknown();
          told.set(answer, (told.get(answer) ?? 0) + 1);
        }
        await known.more(knownRequests);
        // An answer that came too late would be Envoy's own, with another code.
        assert.deepEqual([...told], [['503 STORE_UNAVAILABLE', unknownRequests]]);
        await poll('the metric of the store to say that it is down', async () =>
          /^postern_store_up 0$/m.test(await postern.metrics()) ? true : null,
        );

        await end(mongod);
        await poll('an unknown caller to get 401', async () =>
          (await callUnknown()) === '401 AUTHENTICATION_FAILED' ? true : null,
        );
        await known.more(knownRequests);
        assert.deepEqual([...known.outcomes.keys()], ['200'], 'known callers got something else');
      }
      const key = await stack.handOver(`credential issue --consumer acme --method key --id acme-${name}`);
      await stack.untilEverywhere(() => keyedWith(key), 200);
      await stack.postern(`credential revoke acme-${name} --yes`);
      await stack.untilEverywhere(() => keyedWith(key), 401, 'AUTHENTICATION_FAILED');
      await poll('the metric of the store', async () =>
        /^postern_store_up 1$/m.test(await postern.metrics()) ? true : null,
      );
    });
  }

  it('leaves no secret in the database, in logs and in metrics', async () => {
    assert.deepEqual(await stack.findSecrets(), []);
  });
});
