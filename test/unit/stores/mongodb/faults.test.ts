import assert from 'node:assert/strict';
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoUnexpectedServerResponseError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { Conflict } from '../../../../src/resources/changes/resource-store.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { connectMongodb } from '../../../../src/stores/mongodb/connect.ts';
import {
  MongodbUnavailable,
  translateFault,
  type UnavailableReason,
  withFaults,
} from '../../../../src/stores/mongodb/faults.ts';

const SECRET = 'appSecret: "do not print me"';

function serverError(code: number, parts: object = {}): MongoServerError {
  return new MongoServerError({ message: SECRET, errmsg: SECRET, code, ...parts });
}

const noWrites = Object.create(null) as BulkWriteResult;

describe('errors of the MongoDB driver', () => {
  const passing: readonly (readonly [string, unknown, UnavailableReason])[] = [
    ['a lost connection', new MongoNetworkError(SECRET), 'unreachable'],
    [
      'a connection lost in a bulk write',
      // The driver does just this; its types know only of answers of servers.
      new MongoBulkWriteError(new MongoNetworkError(SECRET), noWrites),
      'unreachable',
    ],
    ['a connection that ended before its answer', new MongoUnexpectedServerResponseError(SECRET), 'unreachable'],
    ['a socket that stays silent', new MongoNetworkTimeoutError(SECRET), 'unreachable'],
    ['a deadline', new DOMException('signal timed out', 'TimeoutError'), 'slow'],
    ['a shutdown', serverError(11600), 'no-primary'],
    ['a primary that stepped down', serverError(189), 'no-primary'],
    ['no primary', serverError(10107), 'no-primary'],
    ['an overloaded server', serverError(462), 'slow'],
    ['an unknown error that passes', serverError(99999, { errorLabels: ['RetryableWriteError'] }), 'no-primary'],
    ['a transaction that ran out of time', serverError(251, { errorLabels: ['TransientTransactionError'] }), 'slow'],
    ['a wrong password', serverError(18, { errorLabels: ['HandshakeError', 'ResetPool'] }), 'denied'],
    ['a missing right', serverError(13), 'forbidden'],
    [
      'a write concern that is not met',
      new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: SECRET } }),
      'uncertain',
    ],
    ['a commit without an answer', serverError(91, { errorLabels: ['UnknownTransactionCommitResult'] }), 'uncertain'],
    [
      'a name that does not resolve',
      Object.assign(new Error(SECRET), { code: 'ENOTFOUND', syscall: 'querySrv' }),
      'unreachable',
    ],
    ['a socket that the server ended', Object.assign(new Error(SECRET), { code: 'EPIPE' }), 'unreachable'],
    [
      'a stream that was closed',
      Object.assign(new Error(SECRET), { code: 'ERR_STREAM_WRITE_AFTER_END' }),
      'unreachable',
    ],
    ['a missing file', Object.assign(new Error(SECRET), { code: 'ENOENT', syscall: 'open', path: '/ca.pem' }), 'files'],
  ];
  for (const [what, error, reason] of passing) {
    it(`makes ${what} a store that is unavailable: ${reason}`, () => {
      const fault = translateFault(error);
      assert.ok(fault instanceof MongodbUnavailable && fault instanceof StoreUnavailable);
      assert.equal(fault.reason, reason);
      assertSilent(fault);
    });
  }

  it('knows errors whose classes the driver does not export', () => {
    for (const name of ['MongoWaitQueueTimeoutError', 'MongoOperationTimeoutError']) {
      const error = new MongoError(SECRET);
      Object.defineProperty(error, 'name', { value: name });
      const fault = translateFault(error);
      assert.ok(fault instanceof MongodbUnavailable);
      assert.equal(fault.reason, 'slow');
    }
  });

  it('makes a duplicate a conflict that names fields and no values', () => {
    const fault = translateFault(
      serverError(11000, { keyPattern: { appKeyHash: 1 }, keyValue: { appKeyHash: SECRET } }),
    );
    assert.ok(fault instanceof Conflict);
    assert.equal(fault.message, 'another record has the same appKeyHash; nothing was changed');
    assertSilent(fault);
  });

  it('makes a write conflict that outlasts all attempts a conflict', () => {
    const fault = translateFault(serverError(112, { errorLabels: ['TransientTransactionError'] }));
    assert.ok(fault instanceof Conflict);
    assert.match(fault.message, /try again/);
  });

  it('makes anything else a defect without the words of the driver', () => {
    for (const error of [
      serverError(121, { codeName: 'DocumentValidationFailure' }),
      new MongoNotConnectedError(SECRET),
    ]) {
      const fault = translateFault(error);
      assert.ok(fault instanceof Error && !(fault instanceof StoreUnavailable) && !(fault instanceof Conflict));
      assert.match(fault.message, /code 121 DocumentValidationFailure|MongoNotConnectedError/);
      assertSilent(fault);
    }
  });

  it('leaves other errors as they are', async () => {
    const own = new Error('ours');
    await assert.rejects(
      withFaults(() => Promise.reject(own)),
      own,
    );
  });
});

describe('the address of MongoDB', () => {
  it('is not repeated when it is not understood, because it may hold a password', () => {
    for (const uri of ['mongodb://ada:hush hush@host:x/postern', 'mongodb://ada:hush@host/postern?colour=blue']) {
      assert.throws(
        () => connectMongodb(uri, 'commands'),
        (error) => error instanceof MongodbUnavailable && error.reason === 'address' && !/hush|ada/.test(error.message),
      );
    }
  });

  it('gives every use its own limits, whatever the address says', async () => {
    await using client = connectMongodb('mongodb://127.0.0.1:1/postern?socketTimeoutMS=0&appName=other', 'checks');
    assert.equal(client.options.socketTimeoutMS, 1000);
    assert.equal(client.options.appName, 'postern');
    assert.equal(client.db().databaseName, 'postern');
  });

  it('names host and port of a server that does not answer, and nothing of the login', async () => {
    await using client = connectMongodb('mongodb://ada:hush@127.0.0.1:1/postern', 'checks');
    await assert.rejects(
      withFaults(() => client.db().command({ ping: 1 })),
      (error) =>
        error instanceof MongodbUnavailable &&
        error.reason === 'unreachable' &&
        error.message.startsWith('MongoDB does not answer at 127.0.0.1:1 (ECONNREFUSED); check that it runs') &&
        !/hush|ada/.test(error.message),
    );
  });
});

function assertSilent(error: Error): void {
  assert.ok(!`${error.message}${error.stack ?? ''}${String(error.cause)}`.includes('do not print me'));
}
