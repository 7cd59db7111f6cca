import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readCurlRequest } from '../../../../src/partners/explain/read/curl-request.ts';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import type { Secret } from '../../../../src/model/secret.ts';
import { record } from '../../../support/refusals/refused.ts';
import type { CommandResult } from '../run-cli.ts';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { prepare } from './resources.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

const day = 86_400;

describe('postern credential', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  async function credential(id: string): Promise<ManagedCredential> {
    const stored = await cli.store.find('credential', id);
    assert.ok(stored !== null);
    return stored.resource;
  }

  async function issue(method: string, ...flags: readonly string[]): Promise<string> {
    return await cli.done('credential', 'issue', '--consumer', 'acme', '--method', method, ...flags);
  }

  /** Every secret of the store, as text. */
  async function secrets(): Promise<readonly string[]> {
    const texts: string[] = [];
    for await (const { resource } of cli.store.list('credential')) {
      const { methods, appKey } = resource;
      const { appSecret, retiringSecret } = secretsOf(resource);
      const isKey = methods.length === 1 && methods[0] === 'key';
      texts.push(...[isKey ? appKey : null, appSecret, retiringSecret?.appSecret ?? null].flatMap(textOf));
    }
    return texts;
  }

  it('issues with an address list, and shows it', async () => {
    await issue('hmac', '--id', 'acme-hmac', '--allow-from', '203.0.113.7', '--allow-from', '2001:db8::/32');
    const { allowFrom } = await credential('acme-hmac');
    assert.deepEqual(
      allowFrom?.map(({ text }) => text),
      ['203.0.113.7', '2001:db8::/32'],
    );
    const shown = await cli.done('credential', 'show', 'acme-hmac');
    assert.match(shown, /\n *allowed from +203\.0\.113\.7, 2001:db8::\/32\n/);
    await issue('hmac', '--id', 'acme-anywhere');
    assert.match(await cli.done('credential', 'show', 'acme-anywhere'), /\n *allowed from +anywhere\n/);
  });

  it('edits the end and the address list alone, and none of a revoked one', async () => {
    await issue('hmac', '--id', 'acme-hmac');
    const before = await credential('acme-hmac');
    const out = await cli.done('credential', 'edit', 'acme-hmac', '--allow-from', '2001:DB8::/32', '--revision', '1');
    assert.match(out, /\n {4}allowFrom: /);
    const after = await credential('acme-hmac');
    assert.deepEqual(
      after.allowFrom?.map(({ text }) => text),
      ['2001:db8::/32'],
    );
    assert.deepEqual({ ...after, allowFrom: null }, before);
    const wrong = await cli.run(['credential', 'edit', 'acme-hmac', '--allow-from', '10.1.2.3/8']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /--allow-from: item 1 of "allowFrom" .*write 10\.0\.0\.0\/8/);
    await cli.done('credential', 'edit', 'acme-hmac', '--unset', 'allow-from');
    assert.equal((await credential('acme-hmac')).allowFrom, null);
    await cli.done('credential', 'edit', 'acme-hmac', '--expires', '90d');
    assert.deepEqual(await credential('acme-hmac'), { ...before, expiresAt: nowSeconds + 90 * day });
    const over = await cli.run(['credential', 'edit', 'acme-hmac', '--expires', '2020-01-01T00:00:00Z']);
    assert.equal(over.code, 2);
    assert.match(over.err, /--expires: 2020-01-01T00:00:00Z is over; revoke the credential to end it at once/);
    await cli.done('credential', 'edit', 'acme-hmac', '--unset', 'expires');
    assert.deepEqual(await credential('acme-hmac'), before);
    await cli.done('credential', 'revoke', 'acme-hmac', '--yes');
    const revoked = await cli.run(['credential', 'edit', 'acme-hmac', '--allow-from', '10.0.0.0/8']);
    assert.equal(revoked.code, 4);
    assert.match(revoked.err, /the credential "acme-hmac" is revoked; issue a new one/);
  });

  it('issues App Key and App Secret, printed with a command to try them', async () => {
    const out = await issue('hmac', '--id', 'acme-hmac', '--not-before', '1d', '--expires', '2027-01-01T00:00:00Z');
    const issued = await credential('acme-hmac');
    const { appKey, notBefore, expiresAt, state } = issued;
    const { appSecret } = secretsOf(issued);
    assert.deepEqual(
      [state, notBefore, expiresAt],
      ['active', nowSeconds + day, Date.parse('2027-01-01T00:00:00Z') / 1000],
    );
    const [key = ''] = textOf(appKey);
    const [secret = ''] = textOf(appSecret);
    assert.match(key, /^[0-9a-f]{32}$/);
    assert.match(secret, /^[\w-]{43}$/);
    assert.ok(out.includes(`  App Key     ${key}\n  App Secret  ${secret}\n`));
    assert.equal(out.split(secret).length, 2, 'the secret is printed once');
    assert.match(
      out,
      new RegExp(
        `\\$ postern sign GET http://127.0.0.1:10000/invoices --endpoint invoices --app-key ${key} --secret-from env:APP_SECRET \\| sh\n`,
      ),
    );
  });

  it('issues without App Secret for key, and keeps only its hash on request', async () => {
    const out = await issue('key', '--id', 'k', '--hash-only');
    const { appKey, appKeyHash } = await credential('k');
    const printed = /App Key {5}([0-9a-f]{32})\n/.exec(out)?.[1] ?? '';
    assert.equal(appKey, null);
    assert.equal(appKeyHash, execFileSync('sha256sum', { input: printed }).toString().slice(0, 64));
    assert.ok(!out.includes('App Secret'));
    assert.match(out, /It cannot be shown again: only its hash is kept\./);
    const { code, err } = await cli.run([
      'credential',
      'issue',
      '--consumer',
      'acme',
      '--method',
      'hmac',
      '--hash-only',
    ]);
    assert.deepEqual(
      [code, err],
      [2, 'postern credential issue: --hash-only: only the App Key of method key can be kept as a hash\n'],
    );
  });

  it('gives programs the secrets as JSON', async () => {
    const given = JSON.parse(await issue('oauth2', '--id', 'o', '-o', 'json')) as Record<string, unknown>;
    const issued = await credential('o');
    const { appKey } = issued;
    const { appSecret } = secretsOf(issued);
    const { id, consumer, method, state } = given;
    assert.deepEqual({ id, consumer, method, state }, { id: 'o', consumer: 'acme', method: 'oauth2', state: 'active' });
    assert.deepEqual([given['appKey'], given['appSecret']], [...textOf(appKey), ...textOf(appSecret)]);
  });

  it('generates an id, and says what is in the way of use', async () => {
    const out = await issue('parameter-signature');
    assert.match(out, /Credential acme-parameter-signature-[0-9a-f]{8} issued to acme\.\n/);
    assert.match(
      out,
      /No endpoint lets acme in with parameter-signature yet:\n {2}\$ postern grant add --endpoint ID --consumer acme\n/,
    );
    await cli.done('consumer', 'disable', 'acme');
    const { err } = await cli.run(['credential', 'issue', '--consumer', 'acme', '--method', 'hmac']);
    assert.match(err, /^note: the consumer acme is disabled/);
  });

  it('issues nothing that is wrong, taken or for no consumer', async () => {
    await issue('hmac', '--id', 'taken');
    const cases: readonly (readonly [string, number, RegExp])[] = [
      ['--consumer acme --method hmac --id taken', 4, /the credential "taken" already exists/],
      ['--consumer acne --method hmac', 3, /did you mean "acme"\?/],
      ['--consumer acme --method hmc', 2, /Allowed choices are key, hmac/],
      ['--consumer acme', 2, /required option '--method <method>' not specified/],
      ['--consumer acme --method hmac --expires 2020-01-01T00:00:00Z', 2, /--expires: 2020-01-01T00:00:00Z is over/],
      [
        '--consumer acme --method hmac --not-before 2d --expires 1d',
        2,
        /--expires: "expiresAt" must be later than "notBefore"/,
      ],
    ];
    for (const [flags, expected, message] of cases) {
      const { code, out, err } = await cli.run(['credential', 'issue', ...flags.split(' ')]);
      assert.deepEqual([code, out], [expected, ''], flags);
      assert.match(err, message);
    }
  });

  it('keeps nothing of a dry run', async () => {
    const { code, out, err } = await cli.run([
      'credential',
      'issue',
      '--consumer',
      'acme',
      '--method',
      'hmac',
      '--id',
      'x',
      '--dry-run',
    ]);
    assert.equal(code, 0);
    assert.match(out, /^\+ credential x of consumer acme\n/);
    assert.match(out, /Nothing was changed \(--dry-run\)\.\n$/);
    assert.ok(!out.includes('App Secret'));
    assert.match(err, /other keys/);
    assert.equal(await cli.store.find('credential', 'x'), null);
  });

  it('rotates: new App Secret, same App Key, the former one for the grace period', async () => {
    await issue('hmac', '--id', 'a');
    const before = await credential('a');
    const out = await cli.done('credential', 'rotate', 'a', '--grace', '2d');
    const after = await credential('a');
    assert.deepEqual(secretsOf(after).retiringSecret, {
      appSecret: secretsOf(before).appSecret,
      expiresAt: nowSeconds + 2 * day,
    });
    assert.notDeepEqual(secretsOf(after).appSecret?.reveal(), secretsOf(before).appSecret?.reveal());
    assert.equal(after.appKeyHash, before.appKeyHash);
    assert.match(
      out,
      /Credential a rotated\. The former App Secret works until 2026-09-23 14:13:20 UTC \(in 2 days\)\./,
    );
    assert.ok(out.includes(textOf(secretsOf(after).appSecret)[0] ?? '?'));
    assert.ok(!out.includes(textOf(secretsOf(before).appSecret)[0] ?? ''));
    const again = await cli.run(['credential', 'rotate', 'a']);
    assert.equal(again.code, 4);
    assert.match(again.err, /--force does that/);
    assert.match(
      await cli.done('credential', 'rotate', 'a', '--grace', '0', '--force'),
      /The former App Secret is refused from now on\./,
    );
    assert.equal(secretsOf(await credential('a')).retiringSecret, null);
    assert.match(await cli.done('credential', 'rotate', 'a'), /\(in 7 days\)/);
  });

  it('prints in data the new App Secret of a rotation, and of the former one only when it ends', async () => {
    await issue('hmac', '--id', 'a');
    const [former = ''] = textOf(secretsOf(await credential('a')).appSecret);
    const out = await cli.done('credential', 'rotate', 'a', '--grace', '1d', '-o', 'json');
    assert.ok(!out.includes(former));
    const rotated = JSON.parse(out) as Record<string, unknown>;
    assert.equal(rotated['appSecret'], textOf(secretsOf(await credential('a')).appSecret)[0]);
    assert.deepEqual(rotated['retiringSecret'], { expiresAt: '2026-09-22T14:13:20Z' });
  });

  it('refuses an id for a second credential where rotation makes none, and rotates nothing', async () => {
    await issue('hmac', '--id', 'a');
    const before = await credential('a');
    const { code, err } = await cli.run(['credential', 'rotate', 'a', '--id', 'b']);
    assert.equal(code, 2);
    assert.match(err, /--id is for key, jwt and certificate/);
    assert.deepEqual(secretsOf(await credential('a')).appSecret, secretsOf(before).appSecret);
  });

  it('rotates key by a second credential', async () => {
    await issue('key', '--id', 'a');
    const out = await cli.done('credential', 'rotate', 'a', '--grace', '12h', '--id', 'b');
    const [former, successor] = [await credential('a'), await credential('b')];
    assert.deepEqual([former.state, former.expiresAt], ['retiring', nowSeconds + day / 2]);
    assert.deepEqual([successor.state, successor.methods], ['active', ['key']]);
    assert.match(
      out,
      /Credential a rotated: b follows it\. The former credential a works until 2026-09-22 02:13:20 UTC \(in 12 hours\)\./,
    );
    assert.ok(out.includes(textOf(successor.appKey)[0] ?? '?'));
    assert.ok(!out.includes(textOf(former.appKey)[0] ?? ''));
    const given = JSON.parse(await cli.done('credential', 'rotate', 'b', '--grace', '0', '-o', 'json')) as {
      id: string;
      appKey: string;
    };
    assert.equal(given.appKey, textOf((await credential(given.id)).appKey)[0]);
    assert.equal((await credential('b')).state, 'revoked');
  });

  it('prints in data the state of a credential and its consumer, though they are the usual ones', async () => {
    await issue('hmac', '--id', 'a');
    const shown = JSON.parse(await cli.done('credential', 'show', 'a', '-o', 'json')) as Record<string, unknown>;
    assert.deepEqual([shown['state'], shown['appSecret']], ['active', undefined]);
    const consumer = JSON.parse(await cli.done('consumer', 'show', 'acme', '-o', 'json')) as Record<string, unknown>;
    assert.equal(consumer['enabled'], true);
  });

  it('revokes once, after asking', async () => {
    await issue('hmac', '--id', 'a');
    cli.store.usage.set('a', { lastUsedAt: nowSeconds - 3 * day, retiringSecretLastUsedAt: null });
    const asked: string[] = [];
    const answer =
      (text: string) =>
      async (question: string): Promise<string> => {
        asked.push(question);
        return await Promise.resolve(text);
      };
    const no = await cli.run(['credential', 'revoke', 'a'], { ask: answer('n') });
    assert.deepEqual([no.code, no.err], [1, 'Nothing was changed.\n']);
    assert.equal((await credential('a')).state, 'active');
    const yes = await cli.run(['credential', 'revoke', 'a'], { ask: answer('y') });
    assert.equal(yes.code, 0);
    assert.deepEqual(asked, Array(2).fill('Revoke the credential a of acme (last used 3 days ago)? [y/N] '));
    assert.equal((await credential('a')).state, 'revoked');
    assert.equal(await cli.done('credential', 'revoke', 'a'), 'Credential a is revoked already.\n');
    const rotate = await cli.run(['credential', 'rotate', 'a']);
    assert.deepEqual(
      [rotate.code, rotate.err],
      [4, 'postern credential rotate: the credential "a" is revoked; issue a new one\n'],
    );
  });

  it('imports a pair from the environment, never from the command line', async () => {
    const secret = 'an old secret of the partner';
    const flags = ['credential', 'import', '--consumer', 'acme', '--secret-from', 'env:OLD'];
    const given = { environment: { OLD: secret } };
    const done = await cli.run(
      [...flags, '--method', 'hmac', '--method', 'key', '--app-key', 'acme-2019', '--id', 'i'],
      given,
    );
    assert.deepEqual([done.code, done.err], [0, '']);
    const imported = await credential('i');
    assert.deepEqual(
      [imported.methods, textOf(imported.appKey), textOf(secretsOf(imported).appSecret)],
      [['hmac', 'key'], ['acme-2019'], [secret]],
    );
    const key = await cli.run([...flags, '--method', 'key', '--id', 'k', '--hash-only'], {
      environment: { OLD: 'Old.Key_1' },
    });
    assert.equal(key.code, 0);
    assert.deepEqual([(await credential('k')).appKey, secretsOf(await credential('k')).appSecret], [null, null]);
    const cases: readonly (readonly [readonly string[], string, number, RegExp])[] = [
      [['--method', 'hmac', '--app-key', 'acme-2019'], secret, 4, /the credential "i" has this App Key/],
      [['--method', 'key'], 'Old.Key_1', 4, /the credential "k" has this App Key/],
      [['--method', 'hmac'], secret, 2, /--app-key is missing/],
      [['--method', 'key', '--app-key', 'x'], secret, 2, /--app-key is not for key alone/],
      [['--method', 'key'], 'not an App Key', 2, /--secret-from: "appKey" must be/],
      [['--method', 'hmac', '--app-key', 'x y'], secret, 2, /--app-key: "appKey" must be/],
      [['--method', 'hmac', '--app-key', 'x'], 'too short', 2, /--secret-from: "appSecret" is too short/],
      [['--method', 'hmac', '--method', 'hmac', '--app-key', 'x'], secret, 2, /--method: "hmac" appears twice/],
      [['--method', 'hmca', '--app-key', 'x'], secret, 2, /Did you mean hmac\?/],
    ];
    let printed = `${done.out}${key.out}`;
    for (const [more, value, expected, message] of cases) {
      const { code, out, err } = await cli.run([...flags, ...more], { environment: { OLD: value } });
      assert.equal(code, expected, more.join(' '));
      assert.match(err, message);
      printed += `${out}${err}`;
    }
    for (const text of [secret, 'Old.Key_1', 'not an App Key', 'too short']) {
      assert.ok(!printed.replaceAll('is too short', '').includes(text), text);
    }
  });

  it('finds whose an App Key or a refused request is, and prints no key', async () => {
    await issue('key', '--id', 'k');
    await issue('hmac', '--id', 'h');
    cli.refusals.add(record({ requestId: 'baac2dab-1', credentialId: 'h', consumerId: 'acme' }));
    cli.refusals.add(record({ requestId: 'stray-1', credentialId: null, consumerId: null, endpointId: null }));
    const [key = ''] = textOf((await credential('k')).appKey);
    const find = async (text: string, ...more: readonly string[]): Promise<CommandResult> =>
      await cli.run(['credential', 'find', ...more], { environment: { KEY: text } });
    const found = await find(key, '--from', 'env:KEY');
    assert.deepEqual([found.code, found.err], [0, '']);
    assert.match(found.out, /^k +acme +key /m);
    const shown = JSON.parse((await find(key, '--from', 'env:KEY', '-o', 'json')).out) as { id: string }[];
    assert.deepEqual(
      shown.map(({ id }) => id),
      ['k'],
    );
    const refused = await find(key, '--request-id', 'baac2dab');
    assert.match(refused.out, /^h +acme +hmac /m);
    const cases: readonly (readonly [CommandResult, number, RegExp])[] = [
      [await find('nobody-has-this', '--from', 'env:KEY'), 3, /no credential has this App Key/],
      [
        await find('nobody hàs this', '--from', 'env:KEY'),
        2,
        /--from: the text is no App Key, which has 1 to 512 print/,
      ],
      [await find(`${key} `, '--from', 'env:KEY'), 2, /--from env:KEY: the secret ends with a blank/],
      [await find(key, '--from', key), 2, /--from takes env:NAME, file:PATH or - .*, never the secret itself/],
      [await find(key), 2, /give one of --from, .*, and --request-id/],
      [await find(key, '--from', 'env:KEY', '--request-id', 'baac2dab'), 2, /give one of --from/],
      [await find(key, '--request-id', 'stray-1'), 3, /no endpoint took that request, so nobody was looked up/],
      [await find(key, '--request-id', 'unknown-1'), 3, /no refusal with the request id unknown-1 is kept/],
    ];
    for (const [{ code, out, err }, expected, message] of cases) {
      assert.deepEqual([code, out], [expected, ''], err);
      assert.match(err, message);
    }
    for (const { out, err } of [found, refused, ...cases.map(([result]) => result)]) {
      for (const secret of [key, 'nobody-has-this', 'nobody hàs this']) assert.ok(!`${out}${err}`.includes(secret));
    }
  });

  it('never takes an App Key of a deleted credential', async () => {
    const flags = ['credential', 'import', '--method', 'hmac', '--app-key', 'once', '--secret-from', 'env:OLD'];
    const given = { environment: { OLD: 'an old secret of the partner' } };
    assert.equal((await cli.run([...flags, '--consumer', 'acme'], given)).code, 0);
    await cli.done('consumer', 'delete', 'acme', '--yes');
    const again = await cli.run([...flags, '--consumer', 'globex'], given);
    assert.equal(again.code, 4, again.err);
    assert.match(again.err, /was given before/);
  });

  it('lists by consumer, method and state, with the last use', async () => {
    await issue('hmac', '--id', 'a', '--expires', '30d');
    await issue('key', '--id', 'b');
    await cli.done('credential', 'issue', '--consumer', 'globex', '--method', 'key', '--id', 'c');
    await cli.done('credential', 'rotate', 'a');
    await cli.done('credential', 'revoke', 'c', '--yes');
    cli.store.usage.set('b', { lastUsedAt: nowSeconds - 90, retiringSecretLastUsedAt: null });
    const appKey = textOf((await credential('a')).appKey).join();
    const endOf = async (id: string): Promise<string> =>
      `…${textOf((await credential(id)).appKey)
        .join()
        .slice(-4)}`;
    assert.equal(
      await cli.done('credential', 'list'),
      [
        'ID  CONSUMER  METHOD  APP KEY                           STATE     ENDS        LAST USED',
        `a   acme      hmac    ${appKey}  rotating  in 30 days  never`,
        `b   acme      key     ${await endOf('b')}                             active    never       90 seconds ago`,
        `c   globex    key     ${await endOf('c')}                             revoked   never       never`,
        '',
      ].join('\n'),
    );
    const ids = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (JSON.parse(await cli.done('credential', 'list', '-o', 'json', ...flags)) as { id: string }[]).map(
        ({ id }) => id,
      );
    assert.deepEqual(await ids('--consumer', 'acme'), ['a', 'b']);
    assert.deepEqual(await ids('--method', 'key'), ['b', 'c']);
    assert.deepEqual(await ids('--state', 'revoked'), ['c']);
    assert.deepEqual(await ids('--state', 'rotating'), ['a']);
    assert.deepEqual(await ids('--limit', '2'), ['a', 'b']);
    cli.setNow(nowSeconds + 30 * day);
    assert.deepEqual(await ids('--state', 'expired'), ['a']);
    assert.equal((await cli.run(['credential', 'list', '--consumer', 'acne'])).code, 3);
  });

  it('says that none fits where flags leave none, and how to issue one where there is none', async () => {
    const none = async (...flags: readonly string[]): Promise<string> =>
      (await cli.run(['credential', 'list', ...flags])).err;
    for (const flags of [['--expiring', '30d'], ['--unused', '90d'], ['--former-in-use'], ['--state', 'revoked']]) {
      assert.equal(await none(...flags), 'No credential fits these flags.\n', flags.join(' '));
    }
    assert.match(await none(), /^There is no such credential\. "postern credential issue" creates one\.$/m);
  });

  it('lists what ends soon, and what nobody uses', async () => {
    await issue('hmac', '--id', 'ends-in-30', '--expires', '30d');
    await issue('hmac', '--id', 'ends-in-31', '--expires', '31d');
    await issue('hmac', '--id', 'begins', '--not-before', '60d', '--expires', '90d');
    await issue('key', '--id', 'revoked', '--expires', '3d');
    await cli.done('credential', 'revoke', 'revoked', '--yes');
    const ids = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (JSON.parse(await cli.done('credential', 'list', '-o', 'json', ...flags)) as { id: string }[]).map(
        ({ id }) => id,
      );
    assert.deepEqual(await ids('--expiring', '30d'), ['ends-in-30']);
    assert.deepEqual(await ids('--expiring', '365d'), ['ends-in-30', 'ends-in-31']);
    assert.deepEqual(await ids('--expiring', '365d', '--limit', '1'), ['ends-in-30']);
    assert.deepEqual(await ids('--unused', '7d'), [], 'nothing has been there for that long');

    cli.setNow(nowSeconds + 8 * day);
    cli.store.usage.set('ends-in-31', { lastUsedAt: nowSeconds + day + 1, retiringSecretLastUsedAt: null });
    assert.deepEqual(await ids('--unused', '7d'), ['ends-in-30']);
    cli.setNow(nowSeconds + 8 * day + 1);
    assert.deepEqual(await ids('--unused', '7d'), ['ends-in-30', 'ends-in-31']);
    assert.deepEqual(await ids('--unused', '7d', '--limit', '1'), ['ends-in-30']);
    assert.deepEqual(await ids('--unused', '7d', '--expiring', '22d'), ['ends-in-30']);
    cli.setNow(nowSeconds + 30 * day);
    assert.deepEqual(await ids('--expiring', '1d'), ['ends-in-31'], 'what has ended ends no more');
    assert.deepEqual(await ids('--unused', '7d'), ['ends-in-31'], 'what does not work yet is not unused');
  });

  it('lists by what is due without reading the others, in the order of a list', async () => {
    await issue('hmac', '--id', 'b', '--expires', '20d');
    await issue('hmac', '--id', 'a', '--expires', '30d');
    for (const id of ['c', 'd', 'e']) await issue('hmac', '--id', id);
    await cli.done('credential', 'rotate', 'd', '--grace', '7d');
    await cli.done('credential', 'rotate', 'e', '--grace', '7d');
    cli.store.usage.set('d', { lastUsedAt: nowSeconds, retiringSecretLastUsedAt: nowSeconds });
    cli.setNow(nowSeconds + day);
    cli.store.usage.set('d', { lastUsedAt: nowSeconds + day, retiringSecretLastUsedAt: nowSeconds + day });
    for (const id of ['a', 'c'])
      cli.store.usage.set(id, { lastUsedAt: nowSeconds + 1, retiringSecretLastUsedAt: null });
    for (const [flags, ids, read] of [
      [['--expiring', '30d'], ['a', 'b'], 2],
      [['--expiring', '30d', '--limit', '1'], ['a'], 2],
      [['--former-in-use'], ['d'], 2],
      [['--unused', '1d'], ['b', 'e'], 2],
    ] as const) {
      const before = cli.store.read.credential;
      const listed = JSON.parse(await cli.done('credential', 'list', '-o', 'json', ...flags)) as { id: string }[];
      assert.deepEqual(
        listed.map(({ id }) => id),
        ids,
        flags.join(' '),
      );
      assert.equal(cli.store.read.credential - before, read, `${flags.join(' ')}: read`);
    }
  });

  it('shows all that a partner needs, and secrets only on request', async () => {
    await issue('hmac', '--id', 'a');
    await cli.done('credential', 'rotate', 'a');
    cli.store.usage.set('a', { lastUsedAt: nowSeconds, retiringSecretLastUsedAt: nowSeconds - 7200 });
    const rotated = await credential('a');
    const { appKey } = rotated;
    const { appSecret, retiringSecret } = secretsOf(rotated);
    const out = await cli.done('credential', 'show', 'a');
    for (const part of [
      ...[/^credential a\n/, /consumer +acme\n/, /method +hmac\n/, /state +rotating\n/, /ends +never\n/],
      ...[
        /last used +2026-09-21 14:13:20 UTC \(now\)\n/,
        /former secret +works until .* \(in 7 days\)\n +last used .* \(2 hours ago\)\n/,
      ],
      ...[
        /invoices +\/invoices +granted +-\n/,
        /orders +\/orders +authenticated +-\n/,
        new RegExp(`App Key +${textOf(appKey).join()}\n`),
      ],
    ]) {
      assert.match(out, part);
    }
    const revealed = await cli.done('credential', 'show', 'a', '--reveal');
    for (const text of [...textOf(appSecret), ...textOf(retiringSecret?.appSecret ?? null)]) {
      assert.ok(!out.includes(text) && revealed.includes(text));
    }
    const json = JSON.parse(await cli.done('credential', 'show', 'a', '--reveal', '-o', 'json')) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [json['appSecret'], json['endpoints'], json['consumer']],
      [textOf(appSecret)[0], ['invoices', 'orders'], 'acme'],
    );
    const curl = revealed.slice(revealed.indexOf('\ncurl ') + 1);
    const read = readCurlRequest(Buffer.from(curl).toString('latin1'), { body: null });
    assert.ok('request' in read);
    assert.match(JSON.stringify(read.request.headers), new RegExp(`hmac appkey=.*${textOf(appKey).join()}`));
  });

  it('shows where key and oauth2 credentials can be tried', async () => {
    await issue('key', '--id', 'k');
    await cli.done(
      'endpoint',
      'create',
      'tokens',
      '--path',
      '/t',
      '--host',
      '*.example.com',
      '--authentication',
      'oauth2',
    );
    await issue('oauth2', '--id', 'o');
    const key = await cli.done('credential', 'show', 'k');
    assert.match(
      key,
      /postern sign GET http:\/\/127.0.0.1:10000\/keyed --endpoint keyed --secret-from env:APP_KEY \| sh/,
    );
    assert.match(await cli.done('credential', 'show', 'k', '--reveal'), /Or, with the App Key in it:\ncurl /);
    const { out } = await cli.run(['credential', 'show', 'o'], {
      environment: { POSTERN_PUBLIC_URL: 'https://api.acme.test' },
    });
    assert.match(out, /\| curl -sS -K - -d grant_type=client_credentials https:\/\/api\.acme\.test\/oauth2\/token\n/);
    assert.match(out, /-H 'Host: api\.example\.com' https:\/\/api\.acme\.test\/t -H "Authorization: Bearer \$TOKEN"/);
  });

  it('shows no endpoints for what is refused everywhere', async () => {
    await issue('hmac', '--id', 'a');
    const endpointsOf = async (): Promise<readonly string[]> => {
      const shown = JSON.parse(await cli.done('credential', 'show', 'a', '-o', 'json')) as { endpoints: string[] };
      return shown.endpoints;
    };
    assert.notDeepEqual(await endpointsOf(), []);
    const revoked = await cli.done('credential', 'revoke', 'a', '--yes', '-o', 'json');
    assert.deepEqual((JSON.parse(revoked) as { changes: { fields: unknown }[] }).changes[0]?.fields, [
      { path: 'state', before: 'active', after: 'revoked' },
    ]);
    assert.deepEqual(await endpointsOf(), []);
    assert.doesNotMatch(await cli.done('credential', 'show', 'a'), /endpoints that let it in \(?\d/);
  });

  it('asks the store for secrets only where it prints or keeps some, or the end of one', async () => {
    await issue('hmac', '--id', 'a');
    const count = cli.wishes.length;
    await cli.done('credential', 'list');
    await cli.done('credential', 'show', 'a');
    await cli.done('credential', 'show', 'a', '--reveal');
    await cli.done('credential', 'rotate', 'a');
    assert.deepEqual(
      cli.wishes.slice(count).map(({ needsSecrets }) => needsSecrets),
      ['where-possible', 'where-possible', true, 'new'],
    );
  });

  it('prints secrets nowhere else', async () => {
    for (const method of ['key', 'hmac', 'oauth2']) await issue(method, '--id', method);
    await cli.done('credential', 'rotate', 'hmac');
    const hidden = await secrets();
    assert.equal(hidden.length, 4);
    let printed = '';
    for (const command of [
      ...[
        'credential list',
        'credential show key',
        'credential show hmac',
        'credential show oauth2',
        'consumer show acme',
      ],
      ...['audit list --limit 1000', 'credential rotate oauth2 --dry-run', 'credential revoke hmac --dry-run'],
      'consumer delete acme --yes --dry-run',
    ]) {
      for (const format of ['table', 'json', 'yaml']) {
        const { code, out, err } = await cli.run([...command.split(' '), '-o', format]);
        assert.equal(code, 0, command);
        printed += `${out}${err}`;
      }
    }
    for (const secret of hidden) assert.ok(!printed.includes(secret));
  });
});

function textOf(secret: Secret | null): readonly string[] {
  return secret === null ? [] : [secret.reveal().toString('utf8')];
}
