import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import type { CommandResult } from '../run-cli.ts';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

const day = 86_400;

interface Line {
  readonly credential: string;
  readonly consumer: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly successor?: string;
  readonly appKey?: string;
  readonly appSecret?: string;
  readonly formerEndsAt?: string;
}

describe('postern credential rotate of many', () => {
  let cli: MemoryCli;
  let folder: TemporaryDirectory;
  let file = '';
  beforeEach(async () => {
    cli = await memoryCli();
    folder = await temporaryDirectory();
    file = join(folder.path, 'gold.jsonl');
    const commands = [
      'consumer create acme --label tier=gold --label region=eu',
      'consumer create globex --label tier=gold',
      'consumer create initech --label tier=silver',
      'credential issue --consumer acme --method hmac --id acme-hmac',
      'credential issue --consumer acme --method key --id acme-key --hash-only',
      'credential issue --consumer globex --method oauth2 --id globex-oauth2',
      'credential issue --consumer globex --method hmac --id globex-old',
      'credential revoke globex-old --yes',
      'credential issue --consumer initech --method hmac --id initech-hmac',
    ];
    for (const command of commands) await cli.done(...command.split(' '));
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function rotate(...flags: readonly string[]): Promise<CommandResult> {
    return await cli.run(['credential', 'rotate', ...flags]);
  }

  async function credential(id: string): Promise<ManagedCredential> {
    const stored = await cli.store.find('credential', id);
    assert.ok(stored !== null, id);
    return stored.resource;
  }

  async function revisions(): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for await (const { resource, revision } of cli.store.list('credential')) found[resource.id] = revision;
    return found;
  }

  function lines(path = file): readonly Line[] {
    const [, ...rest] = readFileSync(path, 'utf8').trimEnd().split('\n');
    return rest.map((line) => JSON.parse(line) as Line);
  }

  const gold = ['--label', 'tier=gold'];

  it('waits for the replicas where that is wished, also when nothing is left to do', async () => {
    cli.replicas = {
      storeRevision: () => Promise.resolve({ latest: 20, underWay: [] }),
      list: () =>
        Promise.resolve([
          {
            ...{ id: '0d5a1f7c93be', name: 'pod-a', version: '1.2.3', mode: 'following', unreadiness: null },
            ...{ revision: { latest: 20, underWay: [] }, ageMs: 7_200_000, silentMs: 1000, servesForMs: 3_600_000 },
          },
        ]),
      forget: () => Promise.resolve(false),
    };
    for (const flags of [['--wait'], ['--wait-timeout', '5s']]) {
      const { code, out, err } = await rotate(...gold, '--out', file, '--yes', ...flags);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /In force on the one replica that reports\.\n$/);
    }
    assert.doesNotMatch((await rotate(...gold, '--out', file, '--yes')).out, /In force/);
  });

  it('shows the plan, changes those that carry the label, and writes their secrets where only the owner reads', async () => {
    const { code, out, err } = await rotate(...gold, '--grace', '14d', '--out', file, '--yes', '--reason', 'OPS-7');
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^\nto be rotated \(3\)\n {2}CREDENTIAL +CONSUMER +METHOD +LAST USED\n {2}acme-hmac +acme +hmac +never\n {2}acme-key +acme +key +never\n {2}globex-oauth2 +globex +oauth2 +never\n/,
    );
    assert.match(out, /The former secrets work until 2026-10-05 14:13:20 UTC \(in 14 days\) at most\./);
    assert.match(out, /left out \(1\)\n {2}CREDENTIAL +CONSUMER +BECAUSE\n {2}globex-old +globex +revoked\n/);
    assert.match(out, /3 credentials of 3 rotated\. The new secrets are in .*gold\.jsonl, a line of JSON each\.\n/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [hmac, key, oauth2, ...none] = lines();
    assert.deepEqual(none, []);
    assert.deepEqual(
      [hmac, key, oauth2].map((line) => [line?.credential, line?.consumer, line?.outcome, line?.formerEndsAt]),
      ['acme-hmac', 'acme-key', 'globex-oauth2'].map((id) => [
        ...[id, id.split('-')[0], 'rotated', '2026-10-05T14:13:20Z'],
      ]),
    );
    const stored = await credential('acme-hmac');
    assert.equal(secretsOf(stored).appSecret?.reveal().toString(), hmac?.appSecret);
    assert.equal(stored.appKey?.reveal().toString(), hmac?.appKey);
    assert.equal(secretsOf(stored).retiringSecret?.expiresAt, nowSeconds + 14 * day);
    const successor = await credential(key?.successor ?? '');
    assert.deepEqual([successor.consumerId, successor.state, successor.appKey], ['acme', 'active', null]);
    assert.deepEqual([(await credential('acme-key')).state, key?.appSecret], ['retiring', undefined]);
    assert.equal((await revisions())['initech-hmac'], 1);
    for (const { appSecret = '', appKey = '', credential: id } of lines()) {
      assert.ok(!out.includes(id === 'acme-key' ? appKey : appSecret), 'no secret goes to the terminal');
    }
    const events = await cli.done('audit', 'list', '--resource', 'credential/acme-hmac', '--limit', '1', '-o', 'json');
    const [event] = JSON.parse(events) as { action: string; reason: string }[];
    assert.deepEqual([event?.action, event?.reason], ['credential rotate', 'OPS-7']);
  });

  it('rotates nothing twice when it is repeated, also not what it issued', async () => {
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 0);
    const before = [readFileSync(file, 'utf8'), await revisions()];
    const { code, out } = await rotate(...gold, '--out', file, '--yes');
    assert.equal(code, 0);
    assert.match(
      out,
      /^The rotation that began at 2026-09-21 14:13:20 UTC \(now\): 3 of 3 done\.\n3 credentials of 3 rotated/,
    );
    assert.deepEqual([readFileSync(file, 'utf8'), await revisions()], before);
  });

  it('goes on where MongoDB went down, with the rest of the first plan', async () => {
    const { StoreUnavailable } = await import('../../../../src/check/store/credential-source.ts');
    let commits = 0;
    cli.store.beforeCommit = () => {
      commits += 1;
      if (commits === 2) throw Object.assign(new StoreUnavailable('MongoDB is down'), { reason: 'unreachable' });
    };
    const first = await rotate(...gold, '--out', file, '--yes');
    assert.equal(first.code, 5);
    assert.equal(
      first.err,
      `postern credential rotate: MongoDB is down\n1 of 3 credentials are done. Run the same command again: it goes on with ${file}.\n`,
    );
    assert.deepEqual(
      lines().map(({ outcome }) => outcome),
      ['rotated', 'planned', 'planned'],
    );
    cli.store.beforeCommit = null;
    await cli.done('credential', 'issue', '--consumer', 'globex', '--method', 'hmac', '--id', 'globex-new');
    cli.setNow(nowSeconds + 3600);
    const { code, out } = await rotate(...gold, '--out', file, '--yes');
    assert.equal(code, 0);
    assert.match(out, /^The rotation that began at 2026-09-21 14:13:20 UTC \(60 minutes ago\): 1 of 3 done\.\n/);
    const found = await revisions();
    assert.deepEqual(
      [found['acme-hmac'], found['acme-key'], found['globex-oauth2'], found['globex-new']],
      [2, 2, 2, 1],
    );
    assert.equal(
      secretsOf(await credential('acme-hmac'))
        .appSecret?.reveal()
        .toString(),
      lines()[0]?.appSecret,
    );
  });

  it('ends with 6 when nobody confirmed a change, says so in its line, and finds out later', async () => {
    const { StoreUnavailable } = await import('../../../../src/check/store/credential-source.ts');
    cli.store.beforeCommit = () => {
      throw Object.assign(new StoreUnavailable('MongoDB did not confirm the change'), { reason: 'uncertain' });
    };
    const { code, out } = await rotate(...gold, '--out', file, '--yes');
    assert.equal(code, 6);
    assert.match(
      out,
      /outcome unknown \(1\)\n.*\n {2}acme-hmac +acme +"postern credential show acme-hmac" shows revision 2\n/,
    );
    const [unknown] = lines();
    assert.equal(unknown?.outcome, 'unknown');
    cli.store.beforeCommit = null;
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 0);
    assert.equal(lines()[0]?.appSecret, unknown.appSecret, 'the secret that was kept is the one that is made');
    assert.equal(
      secretsOf(await credential('acme-hmac'))
        .appSecret?.reveal()
        .toString(),
      unknown.appSecret,
    );
  });

  it('goes on with a file whose last line was cut off', async () => {
    cli.store.beforeCommit = () => {
      throw new Error('killed');
    };
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 1);
    cli.store.beforeCommit = null;
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"credential":"acme-hmac","outc`);
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 0);
    assert.deepEqual(
      lines().map(({ outcome }) => outcome),
      ['rotated', 'rotated', 'rotated'],
    );
  });

  it('ends with 4 when others revoked one of them in the meantime, and says which', async () => {
    const revoke = async (): Promise<void> => {
      cli.store.beforeCommit = null;
      await cli.done('credential', 'revoke', 'acme-key', '--yes');
    };
    cli.store.beforeCommit = revoke;
    const { code, out } = await rotate(...gold, '--out', file, '--yes');
    assert.equal(code, 4);
    assert.match(out, /not rotated \(1\)\n.*\n {2}acme-key +acme +revoked\n2 credentials of 3 rotated/);
    assert.deepEqual(
      lines().map(({ outcome, reason }) => [outcome, reason]),
      [
        ['rotated', undefined],
        ['left-out', 'revoked'],
        ['rotated', undefined],
      ],
    );
  });

  it('changes nothing on a dry run, and without a yes', async () => {
    const before = await revisions();
    const dry = await rotate(...gold, '--dry-run');
    assert.deepEqual([dry.code, dry.err], [0, '']);
    assert.match(dry.out, /to be rotated \(3\)[\s\S]*Nothing was changed \(--dry-run\)\.\n$/);
    const asked: string[] = [];
    const no = await cli.run(['credential', 'rotate', ...gold, '--out', file], {
      ask: async (question) => {
        asked.push(question);
        return await Promise.resolve('n');
      },
    });
    assert.deepEqual(
      [no.code, no.err, asked],
      [1, 'Nothing was changed.\n', ['Rotate 3 credentials of 2 consumers? [y/N] ']],
    );
    assert.deepEqual(await revisions(), before);
    assert.throws(() => statSync(file), /ENOENT/);
    assert.throws(() => statSync(`${file}.lock`), /ENOENT/);
  });

  it('narrows by consumers, all labels and a method; says what it did as JSON without secrets', async () => {
    const one = ['--label', 'tier=gold', '--label', 'region=eu', '--method', 'hmac', '--consumer', 'acme'];
    const { code, out } = await rotate(...one, '--out', file, '--yes', '-o', 'json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), {
      dryRun: false,
      file,
      planned: [],
      unknown: [],
      rotated: [{ credential: 'acme-hmac', consumer: 'acme', formerEndsAt: '2026-09-28T14:13:20Z' }],
      leftOut: [],
    });
  });

  it('narrows to those with which consumers may call an endpoint', async () => {
    const commands = [
      'endpoint create orders --path /orders --authentication hmac --access-condition authenticated-and-authorized',
      'endpoint create status --path /status --scenario open',
      'grant add --endpoint orders --label tier=gold',
      'grant add --endpoint orders --consumer initech --expires 1h',
    ];
    for (const command of commands) await cli.done(...command.split(' '));
    const planned = async (...flags: readonly string[]): Promise<string> => {
      const { code, out, err } = await rotate('--endpoint', 'orders', '--dry-run', ...flags);
      assert.equal(code, 0, err);
      return out.replaceAll(/ +/g, ' ');
    };
    assert.match(
      await planned(),
      /to be rotated \(2\)\n.*\n acme-hmac acme hmac never\n initech-hmac initech hmac never\n[^]*left out \(1\)\n.*\n globex-old /,
    );
    assert.match(await planned('--label', 'region=eu'), /to be rotated \(1\)\n.*\n acme-hmac /);
    cli.setNow(nowSeconds + 7200);
    assert.match(await planned('--consumer', 'acme', '--consumer', 'globex'), /to be rotated \(1\)\n.*\n acme-hmac /);
    const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['--consumer', 'initech', '--endpoint', 'orders'], 3, /no such consumer may call orders/],
      [['--endpoint', 'order'], 3, /there is no endpoint "order"; did you mean "orders"\?/],
      [['--endpoint', 'status'], 2, /--endpoint: status is open, and lets every caller in without credentials/],
      [['acme-hmac', '--endpoint', 'orders'], 2, /--endpoint is for many/],
    ];
    for (const [flags, code, message] of refused) {
      const result = await rotate(...flags, '--dry-run');
      assert.equal(result.code, code);
      assert.match(result.err, message);
    }
    assert.equal((await rotate('--endpoint', 'orders', '--out', file, '--yes')).code, 0);
    const other = await rotate(...gold, '--out', file, '--yes');
    assert.equal(other.code, 4);
    assert.match(other.err, /belongs to the rotation of on orders, with --grace 7d: carry that on/);
    assert.match((await rotate('--endpoint', 'orders', '--out', file, '--yes')).out, /1 credential of 1 rotated/);
  });

  it('says of those that end soon that they still do', async () => {
    await cli.done(...'credential issue --consumer acme --method key --id acme-short --expires 3d'.split(' '));
    const many = await rotate(...gold, '--grace', '1d', '--dry-run');
    const note =
      'note: a rotation keeps the end of a credential, and these end soon all the same: acme-short in 3 days; "credential issue" makes one that ends later\n';
    assert.deepEqual([many.code, many.err], [0, note]);
    const { code, out, err } = await rotate('acme-short', '--grace', '1d', '--id', 'acme-next', '--yes');
    assert.equal(code, 0);
    const kept = 'acme-next keeps the end that the credential had, 2026-09-24 14:13:20 UTC (in 3 days)';
    assert.equal(err, `note: ${kept}; "credential issue" makes one that ends later\n`);
    assert.ok(out.includes(` works until 2026-09-22 14:13:20 UTC (in 24 hours). ${kept}.\n`), out);
  });

  it('leaves out those of a disabled consumer, and those in rotation unless it is forced', async () => {
    await cli.done('consumer', 'disable', 'globex');
    await cli.done('credential', 'rotate', 'acme-hmac');
    const { out } = await rotate(...gold, '--out', file, '--dry-run', '-o', 'json');
    const { leftOut } = JSON.parse(out) as { leftOut: { credential: string; reason: string }[] };
    assert.deepEqual(
      leftOut.map(({ credential: id, reason }) => [id, reason]),
      [
        ['acme-hmac', 'in rotation: the former App Secret works until 2026-09-28T14:13:20Z'],
        ['globex-oauth2', 'its consumer is disabled'],
        ['globex-old', 'revoked'],
      ],
    );
    const forced = await rotate(...gold, '--force', '--dry-run', '-o', 'json');
    const { planned } = JSON.parse(forced.out) as { planned: { credential: string }[] };
    assert.deepEqual(
      planned.map(({ credential: id }) => id),
      ['acme-hmac', 'acme-key'],
    );
  });

  it('never replaces another file, nor goes on with a run over others', async () => {
    writeFileSync(file, 'my notes\n');
    const notes = await rotate(...gold, '--out', file, '--yes');
    assert.deepEqual([notes.code, readFileSync(file, 'utf8')], [4, 'my notes\n']);
    assert.match(notes.err, /gold\.jsonl is there already, is not of "credential rotate", and is not replaced/);
    const own = join(folder.path, 'own.jsonl');
    assert.equal((await rotate(...gold, '--out', own, '--yes')).code, 0);
    const other = await rotate('--label', 'tier=silver', '--out', own, '--yes');
    assert.equal(other.code, 4);
    assert.match(other.err, /belongs to the rotation of tier=gold, with --grace 7d: carry that on/);
    assert.equal((await revisions())['initech-hmac'], 1);
  });

  it('lets one command work on a file, and takes over from one that was killed', async () => {
    writeFileSync(`${file}.lock`, `${hostname()} ${String(process.ppid)} x\n`);
    const held = await rotate(...gold, '--out', file, '--yes');
    assert.equal(held.code, 4);
    assert.match(held.err, /process \d+ on .* works on it; when none does, one was interrupted: delete .*\.lock/);
    writeFileSync(`${file}.lock`, `${hostname()} ${String(spawnSync(process.execPath, ['--version']).pid)} x\n`);
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 0);
    assert.throws(() => statSync(`${file}.lock`), /ENOENT/);
  });

  it('rotates those of all consumers, of disabled ones only when no grace period would pass unused', async () => {
    await cli.done('consumer', 'disable', 'initech');
    const graced = await rotate('--all', '--dry-run', '-o', 'json');
    const plan = JSON.parse(graced.out) as { planned: { credential: string }[]; leftOut: object[] };
    assert.deepEqual(
      plan.planned.map(({ credential: id }) => id),
      ['acme-hmac', 'acme-key', 'globex-oauth2'],
    );
    assert.deepEqual(plan.leftOut, [
      { credential: 'globex-old', consumer: 'globex', reason: 'revoked' },
      { credential: 'initech-hmac', consumer: 'initech', reason: 'its consumer is disabled' },
    ]);
    const { code, out } = await rotate('--all', '--grace', '0', '--force', '--out', file, '--yes');
    assert.equal(code, 0);
    assert.match(out, /4 credentials of 4 rotated/);
    assert.deepEqual(
      lines().map(({ credential: id, outcome }) => [id, outcome]),
      ['acme-hmac', 'acme-key', 'globex-oauth2', 'initech-hmac'].map((id) => [id, 'rotated']),
    );
    const changed = await credential('initech-hmac');
    assert.deepEqual(
      [secretsOf(changed).retiringSecret, (await cli.store.find('consumer', 'initech'))?.resource.enabled],
      [null, false],
    );
    const other = await rotate(...gold, '--out', file, '--yes');
    assert.equal(other.code, 4);
    assert.match(other.err, /belongs to the rotation of all consumers, with --grace 0/);
  });

  it('refuses flags that do not fit together', async () => {
    const refused = async (...flags: readonly string[]): Promise<string> => {
      const { code, err } = await rotate(...flags);
      assert.equal(code, 2, err);
      return err;
    };
    assert.match(await refused(), /name a credential, or say whose with --label, --consumer, --endpoint or --all/);
    assert.match(await refused('--all', ...gold), /--all is for every consumer: leave it out, or --label/);
    assert.match(await refused('--all', '--endpoint', 'e'), /--all is for every consumer: leave it out, or --endpoint/);
    assert.match(await refused('acme-hmac', '--all'), /--all is for many: leave out acme-hmac, or --all/);
    assert.match(await refused('acme-hmac', ...gold), /--label is for many: leave out acme-hmac, or --label/);
    assert.match(await refused('acme-hmac', '--out', file), /--out is for many/);
    assert.match(await refused(...gold, '--id', 'x'), /--id is for one credential/);
    assert.match(await refused(...gold, '--revision', '1'), /--revision is for one credential/);
    assert.match(await refused(...gold, '--yes'), /--out is missing: the file that the new secrets are written to/);
    assert.match(await refused(...gold, '--out', file), /there is no terminal to ask at; add --yes/);
  });

  it('says when no consumer is meant, or there is none of that name', async () => {
    const none = await rotate('--label', 'tier=platinum', '--out', file, '--yes');
    assert.deepEqual([none.code, none.err], [3, 'postern credential rotate: no consumer carries tier=platinum\n']);
    const unknown = await rotate('--consumer', 'acmee', '--out', file, '--yes');
    assert.deepEqual(
      [unknown.code, unknown.err],
      [3, 'postern credential rotate: there is no consumer "acmee"; did you mean "acme"?\n'],
    );
  });

  it('is followed by a list of who still uses a former secret', async () => {
    assert.equal((await rotate(...gold, '--out', file, '--yes')).code, 0);
    cli.setNow(nowSeconds + 3 * day);
    const now = nowSeconds + 3 * day;
    cli.store.usage.set('acme-hmac', { lastUsedAt: now - 60, retiringSecretLastUsedAt: now - 60 });
    cli.store.usage.set('globex-oauth2', { lastUsedAt: now - 60, retiringSecretLastUsedAt: now - 2 * day });
    cli.store.usage.set('acme-key', { lastUsedAt: now - 60, retiringSecretLastUsedAt: null });
    cli.store.usage.set('initech-hmac', { lastUsedAt: now - 60, retiringSecretLastUsedAt: null });
    const listed = async (): Promise<readonly string[]> => {
      const out = await cli.done('credential', 'list', '--former-in-use', '-o', 'json');
      return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual(await listed(), ['acme-hmac', 'acme-key']);
    const table = (await cli.done('credential', 'list', '--former-in-use')).split('\n');
    assert.match(table[0] ?? '', / STATE {5}FORMER ENDS {2}FORMER USED$/);
    assert.match(table[1] ?? '', /^acme-hmac .* rotating {2}in 4 days {4}60 seconds ago$/);
    assert.match(table[2] ?? '', /^acme-key .* retiring {2}in 4 days {4}60 seconds ago$/);
    cli.setNow(nowSeconds + 7 * day);
    assert.deepEqual(await listed(), [], 'the grace period is over');
  });
});
