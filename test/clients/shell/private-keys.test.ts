import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { newMark } from '../../support/clients/calls.ts';
import { type ClientGateway, PUBLIC_URL, startClientGateway } from '../../support/clients/client-gateway.ts';
import { type Partner } from '../../support/clients/partner-document.ts';
import { testKeyNames, testKeys } from '../../support/clients/public-key-vectors.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const run = promisify(execFile);
const script = join(projectRoot, 'clients/shell/postern-curl');
const signer = join(projectRoot, 'test/support/clients/signer.ts');

describe('postern-curl, with private keys', () => {
  let gateway: ClientGateway | undefined;
  before(async () => {
    gateway = await startClientGateway(1);
  });
  after(() => release(gateway));

  const subject = (): { readonly gateway: ClientGateway; readonly partner: Partner } => {
    const [partner] = gateway?.partners ?? [];
    assert.ok(gateway !== undefined && partner !== undefined);
    return { gateway, partner };
  };

  /** The status of a POST to an endpoint, sent with these options. */
  const post = async (
    endpoint: string,
    mark: string,
    options: readonly string[],
    key?: string,
    more: readonly string[] = [],
  ): Promise<string> => {
    const { gateway } = subject();
    const curl = ['-sS', '--cacert', gateway.ca, '-o', '/dev/null', '-w', '%{http_code}'];
    const body = [...more, '--json', '{"amount": 12}', `${gateway.url}/${endpoint}/${mark}?a=%c3%a4`];
    const env = { ...process.env, ...(key === undefined ? {} : { PRIVATE_KEY: key }) };
    return (await run(script, [...options, '--', ...curl, ...body], { env, cwd: projectRoot })).stdout;
  };

  const assertArrived = (mark: string, credential: string): void => {
    const { headers, body } = assertOne(subject().gateway.received(mark));
    assert.deepEqual(
      [fieldValue(headers, 'x-credential-identifier'), body.toString()],
      [`${subject().partner.id}-${credential}`, '{"amount": 12}'],
    );
  };

  for (const key of testKeyNames) {
    for (const form of ['pem', 'jwk'] as const) {
      it(`signs a message with a key of the kind ${key}, given as ${form}`, async () => {
        const { partner } = subject();
        const options = ['--method', 'http-message-signature', '--app-key', partner.signers[key]];
        const given = testKeys()[key][form];
        const text = typeof given === 'string' ? given : JSON.stringify(given);
        const more = ['--private-key', 'env:PRIVATE_KEY', '--cover', 'content-type', '--cover', '@target-uri'];
        const mark = newMark();
        assert.equal(await post('signed', mark, [...options, ...more], text), '200');
        assertArrived(mark, key);
      });
    }
  }

  it('signs again what a 401 asks for, once', async () => {
    const { gateway, partner } = subject();
    const options = ['--method', 'http-message-signature', '--app-key', partner.signers.p256];
    const more = [...options, '--private-key', 'env:PRIVATE_KEY', '--cover', 'x-tenant'];
    const mark = newMark();
    const text = testKeys().p256.pem;
    // curl's own header: the endpoint wants it, and a tag and @target-uri that nobody named.
    assert.equal(await post('signed-app', mark, more, text, ['-H', 'X-Tenant: one']), '200');
    assertArrived(mark, 'p256');
    const codes = (await gateway.decisions(mark)).map(({ code }) => code);
    assert.equal(codes.length, 2);
    assert.equal(codes[1], 'ALLOWED');
    const without = newMark();
    assert.equal(await post('signed-app', without, options.concat('--private-key', 'env:PRIVATE_KEY'), text), '401');
    assert.equal((await gateway.decisions(without)).length, 1);
  });

  it('has a nonce, where a signature passes once', async () => {
    const { partner } = subject();
    const options = ['--method', 'http-message-signature', '--app-key', partner.signers.ed25519];
    const more = [...options, '--private-key', 'env:PRIVATE_KEY'];
    const sent = [1, 2].map(() => post('signed-once', newMark(), more, testKeys().ed25519.pem));
    assert.deepEqual(await Promise.all(sent), ['200', '200']);
  });

  it('signs with a key in another process', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'key.pem');
    await writeFile(file, testKeys().p256.pem, { mode: 0o600 });
    const words = [execPath, '--import', 'tsx', signer, file, 'ecdsa-p256-sha256', 'der'];
    const command = words.map((word) => `'${word}'`).join(' ');
    const mark = newMark();
    const options = ['--method', 'http-message-signature', '--app-key', subject().partner.signers.p256];
    const more = [...options, '--sign-with', command, '--algorithm', 'ecdsa-p256-sha256'];
    assert.equal(await post('signed', mark, more), '200');
    assertArrived(mark, 'p256');
  });

  it('gets a token with an assertion', async () => {
    const { gateway, partner } = subject();
    const options = ['--method', 'private-key-jwt', '--app-key', partner.assertions, '--token-url', gateway.tokenUrl];
    const more = [...options, '--audience', PUBLIC_URL, '--private-key', 'env:PRIVATE_KEY'];
    const mark = newMark();
    assert.equal(await post('bearer', mark, more, testKeys().ed25519.pem), '200');
    assertArrived(mark, 'assertions');
  });
});
