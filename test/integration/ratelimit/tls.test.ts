import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { openGatewayLimiter } from '../../../src/gateway/limiter.ts';
import { OwnedParts } from '../../../src/gateway/parts.ts';
import { type Limiter, type LimitQuestion } from '../../../src/check/limit/limiter.ts';
import type { LimitReading } from '../../../src/model/limit.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../src/gateway/observe/metrics.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { poll } from '../../support/time/poll.ts';
import type { LocalServer } from '../../support/process/local-server.ts';
import { startRateLimitService, tlsEnvironment } from '../../support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../support/ratelimit/start-redis.ts';
import { release } from '../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { mountSecret, type SecretVolume } from '../../support/tls/secret-volume.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const authority = makeCertificate('authority');
const otherAuthority = makeCertificate('another authority');
const client = makeCertificate('postern', authority);
const stranger = makeCertificate('postern', otherAuthority);
const question: LimitQuestion = {
  endpointId: 'orders',
  consumerId: 'acme',
  limits: [{ requests: 1_000_000, unit: 'day', per: 'consumer' }],
};

interface OpenLimiter extends AsyncDisposable {
  readonly limiter: Limiter;
}

describe('the rate limit service over mutual TLS', () => {
  let directory: TemporaryDirectory;
  let redis: LocalServer;
  let service: LocalServer;
  let own: SecretVolume;
  let log = '';
  before(async () => {
    directory = await temporaryDirectory();
    const content = { own: makeCertificate('limits', authority), ca: authority.cert };
    const secret = await mountSecret(join(directory.path, 'service'), content);
    redis = await startRedis();
    service = await startRateLimitService(redis.port, undefined, await tlsEnvironment(secret.path));
  });
  after(() => release(directory, redis, service));
  beforeEach(async () => {
    log = '';
    own = await mountSecret(join(directory.path, `own-${String(performance.now())}`), {
      own: client,
      ca: authority.cert,
    });
  });

  const environment = (host = 'localhost'): Readonly<Record<`POSTERN_${string}`, string>> => ({
    POSTERN_RATE_LIMIT_SERVICE: `${host}:${String(service.port)}`,
    POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
    POSTERN_RATE_LIMIT_TLS_CA: own.ca,
    POSTERN_RATE_LIMIT_TLS_CERTIFICATE: own.certificate,
    POSTERN_RATE_LIMIT_TLS_KEY: own.key,
  });

  const withoutOwn = (): ReturnType<typeof environment> => ({
    ...environment(),
    POSTERN_RATE_LIMIT_TLS_CERTIFICATE: '',
    POSTERN_RATE_LIMIT_TLS_KEY: '',
  });

  async function open(settings: Readonly<Record<string, string>>): Promise<OpenLimiter> {
    const parsed = parseConfig(settings);
    assert.ok('config' in parsed);
    const parts = new OwnedParts();
    const ports = {
      config: parsed.config,
      clock: systemClock,
      logger: createLogger('info', { write: (text: string) => (log += text) }),
      metrics: new Metrics('test'),
    };
    const limiter = await openGatewayLimiter(ports, parts);
    return { limiter, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
  }

  const take = async ({ limiter }: OpenLimiter): Promise<readonly LimitReading[]> => await limiter.take(question);

  const isCounted = async ({ limiter }: OpenLimiter): Promise<boolean> => {
    try {
      await limiter.take(question);
      return true;
    } catch (error) {
      assert.equal((error as Error).name, 'ServiceFailure');
      return false;
    }
  };

  const isLogged = async (message: string, count = 1): Promise<void> => {
    await poll(message, () => Promise.resolve(log.split(message).length > count ? true : null));
  };
  const taken = 'the rate limit service is asked with the changed TLS files';

  for (const host of ['localhost', '127.0.0.1']) {
    it(`counts limits, called as ${host}`, async () => {
      await using limits = await open(environment(host));
      const [reading] = await limits.limiter.take(question);
      assert.equal(reading?.isExceeded, false);
    });
  }

  it('counts nothing for who shows no certificate, or one of another authority, or trusts another one', async () => {
    const plain = { ...withoutOwn(), POSTERN_RATE_LIMIT_TLS_CA: '' };
    for (const settings of [withoutOwn(), plain]) {
      await using limits = await open(settings);
      await assert.rejects(take(limits), { name: 'ServiceFailure', reason: 'unreachable' });
    }
    await own.update({ own: stranger });
    await using asStranger = await open(environment());
    await assert.rejects(take(asStranger), { reason: 'unreachable' });
    await own.update({ own: client, ca: otherAuthority.cert });
    await using distrusting = await open(environment());
    await assert.rejects(take(distrusting), { reason: 'unreachable' });
  });

  it('does not start with files that cannot be used, and says which', async () => {
    const settings = { ...environment(), POSTERN_RATE_LIMIT_TLS_KEY: own.ca };
    await assert.rejects(open(settings), /^TlsProblem: POSTERN_RATE_LIMIT_TLS_KEY: \S+ca\.crt holds no private key/);
  });

  it('takes renewed files without a restart, and no question fails by it', async () => {
    await using limits = await open(environment());
    let asked = 0;
    const stopping = new AbortController();
    const isStopping = (): boolean => stopping.signal.aborted;
    const asking = (async () => {
      for (; !isStopping(); asked += 1) await limits.limiter.take(question);
    })();
    await own.update({ own: makeCertificate('postern', authority), ca: authority.cert + otherAuthority.cert });
    await isLogged(taken);
    const before = asked;
    await poll('further answers', () => Promise.resolve(asked > before + 20 ? true : null));
    stopping.abort();
    await asking;
    // That the files are really used shows when they are wrong for the service.
    await own.update({ own: stranger });
    await isLogged(taken, 2);
    await poll('the service to refuse', async () => ((await isCounted(limits)) ? null : true));
    await own.update({ own: client });
    await isLogged(taken, 3);
    await poll('the service to answer again', async () => ((await isCounted(limits)) ? true : null));
  });

  it('is looked at by the doctor, who tells why TLS fails', async () => {
    const examine = async (settings: Readonly<Record<string, string>>): Promise<string> => {
      const store = join(directory.path, 'postern.yaml');
      const { out } = await runCli(['doctor', '--store', `file:${store}`, '-o', 'json'], settings);
      const findings = JSON.parse(out) as readonly { readonly subject: string; readonly message: string }[];
      return findings.map(({ subject, message }) => `${subject}: ${message}`).join('\n');
    };
    assert.match(await examine(environment()), /rate limit service localhost:\d+: applies the limits that it is sent/);
    assert.match(
      await examine(withoutOwn()),
      /TLS with the rate limit service fails: it does not accept the client cert/,
    );
    await own.update({ own: stranger });
    assert.match(
      await examine(environment()),
      /service fails: it does not (know the authority of|accept) the client cert/,
    );
    await own.update({ own: client, ca: otherAuthority.cert });
    assert.match(await examine(environment()), /service fails: its certificate was signed by none of the authorities/);
  });
});
