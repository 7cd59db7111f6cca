import assert from 'node:assert/strict';
import { findExposedPassword } from '../../../src/cli/program.ts';
import { runCli } from './run-cli.ts';

const PASSWORD = 'hunter2-and-more';

const withPassword = [
  `mongodb://postern:${PASSWORD}@db.example.com/postern`,
  `mongodb+srv://postern:${PASSWORD}@db.example.com/postern`,
  `MongoDB://postern:${PASSWORD}@a:27017,b:27018/postern?replicaSet=rs0`,
  `mongodb://:${PASSWORD}@db/postern`,
  `mongodb://postern:${PASSWORD}/x@db/postern`,
  `mongodb://postern:${PASSWORD}?x@db/postern`,
  `mongodb://postern:1/${PASSWORD}@db/postern`,
  `mongodb://postern:${PASSWORD}@x@db/postern`,
  `mongodb://db/postern?tlsCertificateKeyFile=k.pem&tlsCertificateKeyFilePassword=${PASSWORD}`,
  `mongodb://db/postern?proxyHost=p&proxyPassword=${PASSWORD}`,
];

const withoutPassword = [
  'mongodb://127.0.0.1:27017/postern',
  'mongodb://a:27017,b:27018,[::1]:27019/postern?replicaSet=rs0&appName=me@here',
  'mongodb+srv://db.example.com/postern',
  'mongodb://postern@db.example.com/postern?authMechanism=MONGODB-X509',
  'file:mongodb/postern:x@y.yaml',
  'postern:x@db',
];

describe('a password of MongoDB among the arguments', () => {
  for (const address of withPassword) {
    it(`is found: ${address.replace(PASSWORD, '…')}`, () => {
      for (const args of [['--store', address], [`--store=${address}`], [address]]) {
        const advice = findExposedPassword(['consumer', 'list', ...args]);
        assert.match(advice ?? '', /POSTERN_STORE=.* postern/);
        assert.ok(advice?.includes(PASSWORD) === false);
      }
    });
  }

  for (const address of withoutPassword) {
    it(`is not seen where there is none: ${address}`, () => {
      assert.equal(findExposedPassword(['--store', address, `--store=${address}`]), null);
    });
  }

  for (const command of [
    'serve',
    'doctor',
    'export',
    'diff -f postern.yaml',
    'apply -f postern.yaml',
    'consumer list',
    'credential revoke acme-key',
    'audit list',
    'keyring rewrap',
    'sign GET http://127.0.0.1/ --endpoint orders',
    'explain request.txt --endpoint orders',
    'no-such-command',
  ]) {
    it(`is refused by ${command}, as wrong usage, and never printed`, async () => {
      const address = `mongodb://postern:${PASSWORD}@127.0.0.1:1/postern`;
      const { code, out, err } = await runCli([...command.split(' '), '--store', address]);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, /^postern: a MongoDB address with a password is not accepted on the command line/);
      assert.ok(!err.includes(PASSWORD) && !err.includes('127.0.0.1'));
    });
  }
});
