import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { FaultyDocument } from '../../../../src/stores/file/file-store.ts';
import { documentOf, idsOf, Listener, openStore, temporaryFolder } from './support.ts';
import { spki } from '../../../support/keys/bad-keys.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

const SECRET = 'demo-secret-not-for-production';
const OTHER_SECRET = 'demo-secret-after-its-rotation';
const broken = 'version: 1\nconsumers:\n  - id: Acme\n  - id: [x\n';
const brokenMessages = [
  '3: "id" must be 1 to 63 of the characters a-z, 0-9 and "-", and begin with a letter or digit',
  '4: "id" must be a text; it is a list',
  '5: not valid YAML: this line is not indented like those it belongs to, or a bracket before it is not closed',
];

describe('a file store at start', () => {
  const at = temporaryFolder();

  it('has the state of its file', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme', 'beta'));
    await using open = await openStore(at('postern.yaml'));
    assert.deepEqual(idsOf(open.state), ['acme', 'beta']);
    assert.equal(open.store.findNotice(), null);
    assert.deepEqual(open.listener.waiting, []);
  });

  it('is refused with every problem of a wrong file', async () => {
    writeFileSync(at('postern.yaml'), broken);
    await assert.rejects(openStore(at('postern.yaml')), (error) => {
      assert.ok(error instanceof FaultyDocument);
      assert.deepEqual(
        error.problems.map(({ line, message }) => `${String(line)}: ${message}`),
        brokenMessages,
      );
      assert.ok(error.message.startsWith(`${at('postern.yaml')}:3:9: "id" must be 1 to 63`));
      return true;
    });
  });

  it('is refused without a file, on a folder, and on bytes that are no text', async () => {
    mkdirSync(at('folder'));
    writeFileSync(at('bytes'), Buffer.concat([Buffer.from('version: 1\n# '), Buffer.from([0xff, 0x0a, 0x0a])]));
    const refusals = {
      nothing: ':1:1: the file cannot be read (ENOENT)',
      folder: ':1:1: the file is not a plain file',
      bytes: ':2:1: the file holds bytes here that are not UTF-8',
    };
    for (const [name, refusal] of Object.entries(refusals)) {
      await assert.rejects(openStore(at(name)), { message: `${at(name)}${refusal}` });
    }
  });

  it('is refused when the file is too large', async () => {
    writeFileSync(at('large'), '');
    truncateSync(at('large'), 16 * 1024 * 1024 + 1);
    await assert.rejects(openStore(at('large')), { message: `${at('large')}:1:1: the file is larger than 16 MiB` });
  });
});

describe('a file store while it runs', () => {
  const at = temporaryFolder();

  it('takes in what is written in place', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await using open = await openStore(at('postern.yaml'));
    writeFileSync(at('postern.yaml'), documentOf('acme', 'beta'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme', 'beta'] });
    assert.deepEqual(idsOf(open.state), ['acme', 'beta']);
    writeFileSync(at('postern.yaml'), documentOf('acme', 'zeta'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme', 'zeta'] });
  });

  it('takes in a file that is renamed over it', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await using open = await openStore(at('postern.yaml'));
    for (const id of ['beta', 'gamma']) {
      writeFileSync(at('next.yaml'), documentOf(id));
      renameSync(at('next.yaml'), at('postern.yaml'));
      assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: [id] });
    }
  });

  it('takes in a turned link, of the file and of the folder above it', async () => {
    for (const id of ['one', 'two']) {
      mkdirSync(at(id));
      writeFileSync(at(`${id}/postern.yaml`), documentOf(id));
    }
    symlinkSync('one', at('..data'));
    symlinkSync('..data/postern.yaml', at('postern.yaml'));
    await using open = await openStore(at('postern.yaml'));
    assert.deepEqual(idsOf(open.state), ['one']);
    symlinkSync('two', at('..data_tmp'));
    renameSync(at('..data_tmp'), at('..data'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['two'] });
    symlinkSync('one/postern.yaml', at('other'));
    renameSync(at('other'), at('postern.yaml'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['one'] });
  });

  it('keeps the last good state while the file is gone, and takes it in when it is back', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await using open = await openStore(at('postern.yaml'));
    rmSync(at('postern.yaml'));
    assert.deepEqual(await open.listener.next(), {
      kind: 'problems',
      messages: ['1: the file cannot be read (ENOENT)'],
    });
    assert.deepEqual(idsOf(open.state), ['acme']);
    assert.notEqual(open.store.findNotice(), null);
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme'] });
    assert.equal(open.store.findNotice(), null);
  });

  it('keeps the last good state while the file is wrong, and reports each fault once', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    const listener = new Listener();
    const environment = {
      get ACME(): undefined {
        listener.tell({ kind: 'read' });
        return undefined;
      },
    };
    await using open = await openStore(at('postern.yaml'), environment, listener);
    const wrong = `${documentOf('acme')}    credentials: [{ method: hmac, appKey: a, appSecretFrom: { env: ACME } }]\n`;
    writeFileSync(at('postern.yaml'), wrong);
    assert.deepEqual(await listener.next(), { kind: 'read' });
    assert.deepEqual(await listener.next(), {
      kind: 'problems',
      messages: ['4: "appSecretFrom" names an environment variable that is not set'],
    });
    assert.deepEqual(idsOf(open.state), ['acme']);
    writeFileSync(at('postern.yaml'), `${wrong}\n`);
    assert.deepEqual(await listener.next(), { kind: 'read' });
    writeFileSync(at('postern.yaml'), '');
    assert.deepEqual(await listener.next(), {
      kind: 'problems',
      messages: ['1: the file is empty; a declarative document begins with "version: 1"'],
    });
    writeFileSync(at('postern.yaml'), documentOf('beta'));
    assert.deepEqual(await listener.next(), { kind: 'state', consumers: ['beta'] });
    assert.deepEqual(listener.waiting, []);
  });

  it('takes in changed secret files, and reports a missing one', async () => {
    mkdirSync(at('secrets'));
    writeFileSync(at('secrets/acme'), `${SECRET}\n`);
    writeFileSync(
      at('postern.yaml'),
      `${documentOf('acme')}    credentials: [{ method: hmac, appKey: a, appSecretFrom: { file: secrets/acme } }]\n`,
    );
    await using open = await openStore(at('postern.yaml'));
    const secretNow = (): string | undefined => secretsOf(open.state.credentials[0]).appSecret?.reveal().toString();
    assert.equal(secretNow(), SECRET);
    const [before] = open.state.credentials;
    writeFileSync(at('secrets/acme'), OTHER_SECRET);
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme'] });
    assert.equal(secretNow(), OTHER_SECRET);
    assert.equal(open.state.credentials[0]?.id, before?.id);
    rmSync(at('secrets/acme'));
    const missing = await open.listener.next();
    assert.deepEqual(missing, {
      kind: 'problems',
      messages: ['4: "appSecretFrom" names a file that cannot be read (ENOENT)'],
    });
    assert.equal(secretNow(), OTHER_SECRET);
    writeFileSync(at('secrets/acme'), SECRET);
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme'] });
    assert.equal(secretNow(), SECRET);
  });

  it('takes in changed files of public keys, and keeps the last right one', async () => {
    const text = `${documentOf('acme')}    credentials: [{ method: oauth2, appKey: a, publicKey: { file: keys/acme.pem } }]\n`;
    const [first, second] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    mkdirSync(at('keys'));
    writeFileSync(at('keys/acme.pem'), spki(first.publicKey));
    writeFileSync(at('postern.yaml'), text);
    await using open = await openStore(at('postern.yaml'));
    const keyNow = (): KeyObject | null => {
      const material = open.state.credentials[0]?.material;
      return material?.kind === 'public-key' ? material.publicKey.object : null;
    };
    assert.equal(keyNow()?.equals(first.publicKey), true);
    writeFileSync(at('keys/acme.pem'), String(second.privateKey.export({ type: 'pkcs8', format: 'pem' })));
    assert.deepEqual(await open.listener.next(), {
      kind: 'problems',
      messages: ['4: "file": this is a private key: it must never leave the partner; ask for the public key'],
    });
    assert.equal(keyNow()?.equals(first.publicKey), true);
    writeFileSync(at('keys/acme.pem'), 'a'.repeat(65_537));
    assert.deepEqual(await open.listener.next(), {
      kind: 'problems',
      messages: ['4: "publicKey" names a file that is too long for a public key'],
    });
    writeFileSync(at('keys/acme.pem'), spki(second.publicKey));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['acme'] });
    assert.equal(keyNow()?.equals(second.publicKey), true);
  });

  it('shows since when the state may be outdated', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await using open = await openStore(at('postern.yaml'));
    rmSync(at('postern.yaml'));
    await open.listener.next();
    open.clock.ms += 5500;
    assert.equal(open.store.ageSeconds(), 5);
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await open.listener.next();
    assert.equal(open.store.ageSeconds(), 0);
  });

  it('goes on watching when a callback fails', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    await using open = await openStore(at('postern.yaml'));
    open.listener.onState = () => {
      throw new Error('does not compile');
    };
    writeFileSync(at('postern.yaml'), documentOf('beta'));
    assert.deepEqual(await open.listener.next(), { kind: 'defect', message: 'Error: does not compile' });
    open.listener.onState = null;
    writeFileSync(at('postern.yaml'), documentOf('gamma'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: ['gamma'] });
  });

  it('reads large files in a thread of their own, with the same result', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => `consumer-${String(n)}`);
    const credential = `    credentials: [{ method: hmac, appKey: last, appSecretFrom: { env: LAST }, retiringSecret: { appSecret: ${OTHER_SECRET}, expiresAt: 2030-01-01T00:00:00Z } }]\n`;
    writeFileSync(at('postern.yaml'), `${documentOf(...many)}${credential}`);
    await using open = await openStore(at('postern.yaml'), { LAST: SECRET });
    assert.deepEqual(idsOf(open.state), many);
    const [last] = open.state.credentials;
    assert.equal(last?.consumerId, 'consumer-2999');
    assert.equal(secretsOf(last).appSecret?.reveal().toString(), SECRET);
    assert.equal(secretsOf(last).retiringSecret?.appSecret.reveal().toString(), OTHER_SECRET);
    assert.equal(secretsOf(last).retiringSecret?.expiresAt, Date.parse('2030-01-01T00:00:00Z') / 1000);
    writeFileSync(at('postern.yaml'), documentOf(...many, 'consumer-0'));
    assert.deepEqual(await open.listener.next(), {
      kind: 'problems',
      messages: ['3003: the id "consumer-0" is taken by the consumer on line 3'],
    });
    writeFileSync(at('postern.yaml'), documentOf(...many, 'another'));
    assert.deepEqual(await open.listener.next(), { kind: 'state', consumers: [...many, 'another'] });
  }).timeout(30_000);

  it('reports nothing after it is disposed of', async () => {
    writeFileSync(at('postern.yaml'), documentOf('acme'));
    const open = await openStore(at('postern.yaml'));
    writeFileSync(at('postern.yaml'), documentOf('beta'));
    await open[Symbol.asyncDispose]();
    assert.deepEqual(idsOf(open.state), ['acme']);
    assert.deepEqual(open.listener.waiting, []);
  });
});
