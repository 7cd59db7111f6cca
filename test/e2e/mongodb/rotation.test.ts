import assert from 'node:assert/strict';
import { type PlainRequest } from '../../support/http/http-client.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { startTraffic } from '../../support/load/traffic.ts';
import { keyedWith, type OwnMongodbStack, signedWith, startOwnMongodbStack } from './mongodb-stack.ts';

/** Requests to each replica between two steps. */
const requestsBetween = 100;

/** Calls by one partner to all replicas, all the time. */
interface Calls extends AsyncDisposable {
  /** Resolves when there were some more. */
  more(): Promise<void>;
  /** Ends them; a single one that was not answered with 200 is a failure. */
  endWithoutRefusal(): Promise<void>;
}

/** What `credential show -o json` tells of the use. */
interface ShownUse {
  readonly lastUsedAt?: string;
  readonly retiringSecretLastUsedAt?: string;
  readonly retiringSecret?: { readonly expiresAt: string };
}

describe('rotation while partners call two replicas', function () {
  this.timeout(90_000);
  let stack: OwnMongodbStack;
  before(async () => {
    stack = await startOwnMongodbStack(2);
  });
  after(() => release(stack));

  async function startCalls({ target = '/', headers = [] }: PlainRequest): Promise<Calls> {
    const traffics = await Promise.all(
      stack.replicas.map(({ envoy }) => startTraffic(envoy.port, { target, headers })),
    );
    return {
      more: async () => {
        await Promise.all(traffics.map((traffic) => traffic.more(requestsBetween)));
      },
      endWithoutRefusal: async () => {
        await release(...traffics);
        for (const { outcomes } of traffics) assert.deepEqual([...outcomes.keys()], ['200']);
      },
      [Symbol.asyncDispose]: () => release(...traffics),
    };
  }

  async function show(id: string): Promise<ShownUse> {
    return JSON.parse(await stack.postern(`credential show ${id} -o json`)) as ShownUse;
  }

  it('takes the former and the new App Secret during the grace period, tells their use, and refuses nobody', async () => {
    const former = await stack.handOver('credential issue --consumer acme --method hmac --id acme-hmac');
    await stack.untilEverywhere(() => signedWith(former), 200);
    await using callsOfFormer = await startCalls(signedWith(former));
    const latter = await stack.handOver('credential rotate acme-hmac --grace 7d');
    assert.equal(latter.appKey, former.appKey);
    assert.notEqual(latter.appSecret, former.appSecret);
    await stack.untilEverywhere(() => signedWith(latter), 200);
    await using callsOfLatter = await startCalls(signedWith(latter));
    await callsOfFormer.more();
    await callsOfLatter.more();
    const shown = await poll('the times of use of both', async () => {
      const credential = await show('acme-hmac');
      return credential.lastUsedAt !== undefined && credential.retiringSecretLastUsedAt !== undefined
        ? credential
        : null;
    });
    assert.match(shown.retiringSecret?.expiresAt ?? '', /^\d{4}-\d\d-\d\dT/);
    await callsOfFormer.endWithoutRefusal();
    await callsOfLatter.endWithoutRefusal();

    const last = await stack.handOver('credential rotate acme-hmac --grace 0 --force');
    await stack.untilEverywhere(() => signedWith(last), 200);
    for (const ended of [former, latter]) {
      await stack.untilEverywhere(() => signedWith(ended), 401, 'AUTHENTICATION_FAILED');
    }
  });

  it('takes the former and the new App Key of key during the grace period, and refuses nobody', async () => {
    const former = await stack.handOver('credential issue --consumer acme --method key --id acme-key');
    await stack.untilEverywhere(() => keyedWith(former), 200);
    await using callsOfFormer = await startCalls(keyedWith(former));
    const latter = await stack.handOver('credential rotate acme-key --grace 12h --id acme-key-2');
    assert.notEqual(latter.appKey, former.appKey);
    await stack.untilEverywhere(() => keyedWith(latter), 200);
    await using callsOfLatter = await startCalls(keyedWith(latter, 'query'));
    await callsOfFormer.more();
    await callsOfLatter.more();
    await callsOfFormer.endWithoutRefusal();
    await callsOfLatter.endWithoutRefusal();

    const last = await stack.handOver('credential rotate acme-key-2 --grace 0 --id acme-key-3');
    await stack.untilEverywhere(() => keyedWith(last), 200);
    await stack.untilEverywhere(() => keyedWith(latter), 401, 'AUTHENTICATION_FAILED');
    await stack.untilEverywhere(() => keyedWith(former), 200);
  });

  it('refuses nobody while the key ring is rotated, and takes what was sealed with either key', async () => {
    const former = await stack.handOver('credential issue --consumer acme --method hmac --id acme-former-key');
    await stack.untilEverywhere(() => signedWith(former), 200);
    await using callsOfFormer = await startCalls(signedWith(former));
    await stack.postern('keyring rotate');
    const latter = await stack.handOver('credential issue --consumer acme --method hmac --id acme-new-key');
    await stack.untilEverywhere(() => signedWith(latter), 200);
    await using callsOfLatter = await startCalls(signedWith(latter));
    await stack.postern('keyring rewrap');
    await callsOfFormer.more();
    await callsOfLatter.more();
    await callsOfFormer.endWithoutRefusal();
    await callsOfLatter.endWithoutRefusal();
  });

  it('leaves no secret in the database, in logs and in metrics', async () => {
    assert.deepEqual(await stack.findSecrets(), []);
  });
});
