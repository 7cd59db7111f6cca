import assert from 'node:assert/strict';
import { runCli } from './run-cli.ts';

describe('postern config', () => {
  for (const address of [
    'mongodb://user:hunter2@host/db',
    'mongodb+srv://user:hunter%402@host/db',
    'mongodb://user:p@hunter2@host/db',
    'mongodb://user:p/hunter2@host/db',
    'mongodb://user:p?hunter2@host/db',
    'mongodb://user@corp:hunter2@host/db',
    'mongodb://:hunter2@host/db',
    'MongoDB://user:hunter2@host/db',
    'mongodb://host/db?tlsCertificateKeyFilePassword=hunter2',
    'mongodb://host/db?retryWrites=true&proxyPassword=hunter2&appName=a',
    'mongodb://host/db?authMechanismProperties=AWS_SESSION_TOKEN:hunter2',
  ]) {
    for (const format of ['table', 'json', 'yaml']) {
      it(`shows no secret of ${address} as ${format}`, async () => {
        const { out, err } = await runCli(['config', '-o', format], { POSTERN_STORE: address });
        assert.match(out, /\[secret\]/);
        assert.doesNotMatch(out + err, /hunter/);
      });
    }
  }

  it('shows the rest of a MongoDB address', async () => {
    const POSTERN_STORE = 'mongodb://user:hunter2@host:1,other:2/db?proxyPassword=hunter2&retryWrites=true';
    const { code, out } = await runCli(['config'], { POSTERN_STORE });
    assert.equal(code, 0);
    assert.match(out, /mongodb:\/\/user:\[secret\]@host:1,other:2\/db\?proxyPassword=\[secret\]&retryWrites=true \*/);
  });

  it('leaves an address without secrets as it is', async () => {
    const { out } = await runCli(['config'], { POSTERN_STORE: 'mongodb://host:27017/db?replicaSet=rs0' });
    assert.match(out, /mongodb:\/\/host:27017\/db\?replicaSet=rs0 \*/);
  });

  it('shows where the key ring is, but not a key ring that was put there', async () => {
    const place = await runCli(['config'], { POSTERN_KEYRING: '/etc/postern/ring.yaml' });
    assert.equal(place.code, 0);
    assert.match(place.out, /POSTERN_KEYRING +\/etc\/postern\/ring\.yaml \*/);
    for (const ring of ['hunter'.repeat(7) + '2=', 'version: 1\nkeys: [hunter2]', '{"keys":["hunter2"]}']) {
      for (const format of ['table', 'json', 'yaml']) {
        const { code, out, err } = await runCli(['config', '-o', format], { POSTERN_KEYRING: ring });
        assert.equal(code, 1);
        assert.match(out, /\[secret\]/);
        assert.match(err, /^POSTERN_KEYRING: this is a key ring or a key/);
        assert.doesNotMatch(out + err, /hunter/);
      }
    }
  });
});
