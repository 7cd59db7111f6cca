import assert from 'node:assert/strict';
import { send } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import {
  codeOf,
  type HandedOver,
  keyedWith,
  type OwnMongodbStack,
  signedWith,
  startOwnMongodbStack,
} from './mongodb-stack.ts';

describe('two replicas on one MongoDB', function () {
  this.timeout(60_000);
  let stack: OwnMongodbStack;
  let acme: HandedOver;
  before(async () => {
    stack = await startOwnMongodbStack(2);
    acme = await stack.handOver('credential issue --consumer acme --method hmac --id acme-hmac');
    await stack.untilEverywhere(() => signedWith(acme), 200);
  });
  after(() => release(stack));

  const signed = () => signedWith(acme);

  it('let a new credential in, and refuse it once it is revoked', async () => {
    const key = await stack.handOver('credential issue --consumer acme --method key --id acme-key');
    await stack.untilEverywhere(() => keyedWith(key), 200);
    await stack.untilEverywhere(() => keyedWith(key, 'query'), 200);
    await stack.postern('credential revoke acme-key --yes');
    await stack.untilEverywhere(() => keyedWith(key), 401, 'AUTHENTICATION_FAILED');
  });

  it('let in a credential that they refused before it was issued', async () => {
    const appKey = 'what-acme-has-called-with-since-2019';
    const request = () => keyedWith({ id: 'acme-2019', appKey, appSecret: null });
    await stack.untilEverywhere(request, 401, 'AUTHENTICATION_FAILED');
    await stack.postern(
      'credential import --consumer acme --method key --id acme-2019 --secret-from env:SECRET',
      appKey,
    );
    await stack.untilEverywhere(request, 200);
  });

  it('refuse the credentials of a disabled consumer until it is enabled', async () => {
    await stack.postern('consumer disable acme');
    await stack.untilEverywhere(signed, 401, 'AUTHENTICATION_FAILED');
    await stack.postern('consumer enable acme');
    await stack.untilEverywhere(signed, 200);
  });

  it('refuse who has no grant, let in who gets one, and refuse again without', async () => {
    await stack.postern('endpoint edit signed --access-condition authenticated-and-authorized');
    await stack.untilEverywhere(signed, 403, 'NOT_AUTHORIZED');
    await stack.postern('grant add --endpoint signed --consumer acme');
    await stack.untilEverywhere(signed, 200);
    await stack.postern('grant remove --endpoint signed --consumer acme');
    await stack.untilEverywhere(signed, 403, 'NOT_AUTHORIZED');
    await stack.postern('endpoint edit signed --access-condition authenticated');
    await stack.untilEverywhere(signed, 200);
  });

  it('let in a group by its labels, with the limits of its grant, until it leaves or the grant goes', async () => {
    const limits = async (): Promise<readonly (string | null)[]> =>
      await Promise.all(
        stack.replicas.map(async ({ envoy }) => {
          const { headers } = await send('HTTP/1.1', envoy.port, signed());
          return fieldValue(headers, 'x-ratelimit-limit');
        }),
      );
    await stack.postern('endpoint edit signed --access-condition authenticated-and-authorized');
    await stack.postern('grant add --endpoint signed --label tier=gold --priority 10 --limit 1000/minute');
    await stack.postern('grant add --endpoint signed --label region=eu --limit 2000/minute');
    await stack.untilEverywhere(signed, 403, 'NOT_AUTHORIZED');
    await stack.postern('consumer edit acme --label tier=gold --label region=eu');
    await stack.untilEverywhere(signed, 200);
    assert.deepEqual(await limits(), ['1000', '1000']);
    assert.match(await stack.postern('may acme signed'), /^yes: acme may call signed by the grant for tier=gold/);
    assert.match(
      await stack.postern('who-may signed'),
      /\nacme +tier=gold \(priority 10\) +1000\/minute\/consumer +-\n$/,
    );
    await stack.postern('grant remove --endpoint signed --label tier=gold');
    await poll('the limits of the other group', async () =>
      (await limits()).every((each) => each === '2000') ? true : null,
    );
    await stack.postern('consumer edit acme --unset label.region');
    await stack.untilEverywhere(signed, 403, 'NOT_AUTHORIZED');
    await stack.postern('grant remove --endpoint signed --label region=eu');
    await stack.postern('endpoint edit signed --access-condition authenticated');
    await stack.untilEverywhere(signed, 200);
  });

  it('follow an endpoint that is disabled, enabled, and moved', async () => {
    await stack.postern('endpoint disable signed');
    await stack.untilEverywhere(signed, 404, 'ENDPOINT_NOT_FOUND');
    await stack.postern('endpoint enable signed');
    await stack.untilEverywhere(signed, 200);
    await stack.postern('endpoint edit signed --path /elsewhere');
    await stack.untilEverywhere(signed, 404, 'ENDPOINT_NOT_FOUND');
    await stack.postern('endpoint edit signed --path /signed');
    await stack.untilEverywhere(signed, 200);
  });

  it('follow a limit that is set, raised and cleared', async () => {
    await stack.postern('limit set 1/day/consumer --endpoint signed');
    await stack.untilEverywhere(signed, 429, 'RATE_LIMITED');
    await stack.postern('limit set 100000/day/consumer --endpoint signed');
    await stack.untilEverywhere(signed, 200);
    await stack.postern('limit clear --endpoint signed');
    await stack.untilEverywhere(signed, 200);
  });

  it('forget a consumer that is deleted', async () => {
    await stack.postern('consumer create initech');
    const initech = await stack.handOver('credential issue --consumer initech --method hmac');
    await stack.untilEverywhere(() => signedWith(initech), 200);
    await stack.postern('consumer delete initech --yes');
    await stack.untilEverywhere(() => signedWith(initech), 401, 'AUTHENTICATION_FAILED');
    for (const { envoy } of stack.replicas) {
      assert.equal(codeOf(await send('HTTP/1.1', envoy.port, signed())), undefined);
    }
  });

  it('leave no secret in the database, in logs and in metrics', async () => {
    assert.deepEqual(await stack.findSecrets(), []);
  });
});
