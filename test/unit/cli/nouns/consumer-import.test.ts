import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

const sheet = `Partner,Company,Tier,Notes
umbra,"Umbra, Inc.",gold,"says ""hello"""
initrode,Initrode,,
`;
const mapped = ['--map', 'id=Partner', '--map', 'name=Company', '--map', 'label.tier=Tier'];

describe('postern consumer import', () => {
  let cli: MemoryCli;
  let folder: TemporaryDirectory;
  beforeEach(async () => {
    folder = await temporaryDirectory();
    cli = await memoryCli();
    await prepare(cli);
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
  });

  function write(text: string): string {
    const path = join(folder.path, 'partners.csv');
    writeFileSync(path, text);
    return path;
  }

  const importing = async (text: string, ...flags: readonly string[]): ReturnType<MemoryCli['run']> =>
    await cli.run(['consumer', 'import', write(text), ...flags]);

  it('says of each row what would happen, then does it, and skips it when it is run again', async () => {
    const flags = [...mapped, '--method', 'hmac', '--endpoint', 'orders'];
    const dry = await importing(sheet, ...flags, '--dry-run');
    assert.equal(dry.code, 0, dry.err);
    assert.equal(dry.err, 'note: columns that are not used: Notes\n');
    assert.match(
      dry.out,
      /^2 +umbra +creates the consumer, the credential umbra-hmac, the grant on orders\n3 +initrode +creates .*\n2 rows: 6 resources created, 0 rows were there already\.\nNothing was changed/m,
    );
    assert.equal(await cli.store.find('consumer', 'umbra'), null);
    const { code, out, err } = await importing(sheet, ...flags);
    assert.equal(code, 0, err);
    assert.match(out, /umbra-hmac of consumer umbra\n +App Key +\S+\n +App Secret +\S+\n/);
    const umbra = (await cli.store.find('consumer', 'umbra'))?.resource;
    assert.deepEqual([umbra?.name, umbra?.labels], ['Umbra, Inc.', { tier: 'gold' }]);
    assert.deepEqual((await cli.store.find('consumer', 'initrode'))?.resource.labels, {});
    assert.notEqual(await cli.store.find('grant', 'orders/umbra'), null);
    const again = await importing(sheet, ...flags);
    assert.match(
      again.out,
      /umbra +is there already\n3 +initrode +is there already\n2 rows: 0 resources created, 2 rows/,
    );
    assert.doesNotMatch(again.out, /App Key/);
  });

  it('creates what is missing of a row, and leaves what is there as it is', async () => {
    await cli.done('consumer', 'create', 'umbra', '--name', 'Other');
    const { code, out, err } = await importing(sheet, ...mapped, '--endpoint', 'orders', '-o', 'json');
    assert.equal(code, 0, err);
    const { rows } = JSON.parse(out) as { rows: readonly unknown[] };
    assert.deepEqual(rows[0], {
      line: 2,
      consumer: 'umbra',
      what: 'creates the grant on orders; left as stored, which differs: the consumer',
    });
    assert.equal((await cli.store.find('consumer', 'umbra'))?.resource.name, 'Other');
  });

  it('takes methods, names of credentials and endpoints from columns', async () => {
    const text = 'id,method,credential,endpoints\numbra,key,umbra-first,orders;keyed\ninitrode,,,\n';
    const { code, err } = await importing(text);
    assert.equal(code, 0, err);
    assert.deepEqual((await cli.store.find('credential', 'umbra-first'))?.resource.methods, ['key']);
    assert.notEqual(await cli.store.find('grant', 'keyed/umbra'), null);
    assert.notEqual(await cli.store.find('consumer', 'initrode'), null);
  });

  it('writes what it generated into a file for its owner, and prints no secret', async () => {
    const path = join(folder.path, 'secrets.json');
    const { code, out, err } = await importing(sheet, ...mapped, '--method', 'hmac', '--out', path);
    assert.equal(code, 0, err);
    const { generated } = JSON.parse(readFileSync(path, 'utf8')) as { generated: readonly { appSecret: string }[] };
    assert.equal(generated.length, 2);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    for (const { appSecret } of generated) assert.ok(appSecret.length > 20 && !`${out}${err}`.includes(appSecret));
  });

  it('writes what it generated after each step, so that a process that is killed leaves it', async () => {
    const path = join(folder.path, 'secrets.json');
    const written: number[] = [];
    const { store } = cli;
    Object.assign(store, { maxChangesPerCommit: 2 });
    const commit = store.commit.bind(store);
    store.commit = async (changes, operation) => {
      written.push(existsSync(path) ? readFileSync(path, 'utf8').split('appSecret').length - 1 : 0);
      return await commit(changes, operation);
    };
    const { code, err } = await importing(sheet, ...mapped, '--method', 'hmac', '--out', path);
    assert.equal(code, 0, err);
    assert.deepEqual(written, [0, 1]);
  });

  it('writes the hand-over of each credential that it made, without its secret', async () => {
    const dir = join(folder.path, 'partners');
    const flags = [...mapped, '--method', 'hmac', '--endpoint', 'orders', '--out', join(folder.path, 'secrets.yaml')];
    const alone = await importing(sheet, ...flags, '--handover', dir);
    assert.deepEqual([alone.code, /--handover and --url go together/.test(alone.err)], [2, true]);
    const { code, err } = await importing(sheet, ...flags, '--handover', dir, '--url', 'https://api.example.com');
    assert.equal(code, 0, err);
    const secret = /appSecret: (\S+)/.exec(readFileSync(join(folder.path, 'secrets.yaml'), 'utf8'))?.[1] ?? '';
    for (const id of ['umbra-hmac', 'initrode-hmac']) {
      const page = readFileSync(join(dir, id, 'README.md'), 'utf8');
      assert.ok(page.includes('https://api.example.com') && secret.length > 20 && !page.includes(secret));
    }
  });

  it('prints data that programs can read also where it writes hand-overs', async () => {
    const dir = join(folder.path, 'partners');
    const flags = [...mapped, '--method', 'key', '--endpoint', 'orders', '-o', 'json', '--handover', dir];
    const { code, out, err } = await importing(sheet, ...flags, '--url', 'https://api.example.com');
    assert.equal(code, 0, err);
    JSON.parse(out);
    assert.ok(err.includes(join(dir, 'umbra-key', 'README.md')), err);
  });

  it('names the line and the column of what is wrong, and changes nothing', async () => {
    const faulty = async (text: string, ...flags: readonly string[]): Promise<string> => {
      const { code, out } = await importing(text, ...flags);
      assert.equal(code, 1, out);
      return out.replaceAll(folder.path, '');
    };
    assert.match(await faulty('id,label.tier\numbra,gold\nBad Id,\n'), /partners\.csv:3:1: column "id": /);
    assert.match(await faulty('id,method\numbra,hmac\nnext,magic\n'), /partners\.csv:3:2: column "method": /);
    assert.match(await faulty('id,To\numbra,nowhere\n', '--map', 'endpoints=To'), /partners\.csv:2:2: column "To": /);
    assert.match(await faulty('id\numbra\numbra\n'), /partners\.csv:3:1: column "id": /);
    assert.match(await faulty('id,name\numbra\n'), /partners\.csv:2:1: the row has 1 cells, and there are 2 columns/);
    assert.match(await faulty('id,name\numbra,"open\n'), /partners\.csv:\d:1: a quote that opens here or above/);
    assert.match(await faulty('id,name\numbra,a"b\n'), /partners\.csv:2:1: this is not CSV/);
    assert.match(await faulty('id,id\numbra,x\n'), /partners\.csv:1:1: two columns are called "id"/);
    assert.match(await faulty(''), /partners\.csv:1:1: the file is empty/);
    assert.equal(await cli.store.find('consumer', 'umbra'), null);
  });

  it('refuses a map that fits nothing', async () => {
    const refused = async (...flags: readonly string[]): Promise<string> => {
      const { code, err } = await importing(sheet, ...flags);
      assert.equal(code, 2);
      return err;
    };
    assert.match(await refused(), /no column gives the ids of consumers; name it with --map id=COLUMN/);
    assert.match(await refused('--map', 'id=Nothing'), /no column is called that; there are: Partner, Company/);
    assert.match(await refused('--map', 'colour=Tier'), /Write FIELD=COLUMN; fields are id, name/);
    assert.match(await refused('--map', 'id=Partner', '--map', 'id=Company'), /id is given twice/);
  });
});
