import assert from 'node:assert/strict';
import { type Config, parseConfig, settings } from '../../../src/gateway/config.ts';
import type { Environment } from '../../../src/base/environment.ts';

function configOf(environment: Environment): Config {
  const parsed = parseConfig(environment);
  assert.ok('config' in parsed, 'problems' in parsed ? parsed.problems.join('\n') : '');
  return parsed.config;
}

function problemsOf(environment: Environment): readonly string[] {
  const parsed = parseConfig(environment);
  return 'problems' in parsed ? parsed.problems : [];
}

function servingProblemsOf(environment: Environment): readonly string[] {
  const parsed = parseConfig(environment, { isServing: true });
  return 'problems' in parsed ? parsed.problems : [];
}

const mutualTls = { POSTERN_TLS_CERTIFICATE: 'a', POSTERN_TLS_KEY: 'a', POSTERN_TLS_CLIENT_CA: 'a' };

describe('the settings', () => {
  it('have their documented defaults', () => {
    const { publicUrl, ...config } = configOf({});
    assert.equal(publicUrl.href, 'http://127.0.0.1:10000/');
    assert.deepEqual(config, {
      store: { kind: 'file', path: 'postern.yaml' },
      keyring: null,
      rateLimitService: null,
      rateLimitDomain: 'postern',
      rateLimitDeadlineMs: 50,
      rateLimitTlsCa: null,
      rateLimitTlsCertificate: null,
      rateLimitTlsKey: null,
      oauth2AssertionAudience: 'issuer-or-token-endpoint',
      oauth2ClientCertificates: false,
      actor: null,
      replicaName: null,
      maxStaleSeconds: 3600,
      credentialCacheEntries: 100_000,
      grpcAddress: { kind: 'tcp', host: '127.0.0.1', port: 9001 },
      grpcTransport: 'native',
      httpAddress: { kind: 'tcp', host: '127.0.0.1', port: 9002 },
      trustedProxies: [
        { address: '127.0.0.0', prefixLength: 8, family: 'ipv4' },
        { address: '::1', prefixLength: 128, family: 'ipv6' },
      ],
      adminAddress: { kind: 'tcp', host: '127.0.0.1', port: 9003 },
      manageAddress: { kind: 'tcp', host: '127.0.0.1', port: 9004 },
      manageTrustedProxies: null,
      manageAdminAddress: null,
      manageTlsCertificate: null,
      manageTlsKey: null,
      manageTlsClientCa: null,
      manageUrl: null,
      manageOidcIssuer: null,
      manageOidcClientId: null,
      manageOidcClientSecret: null,
      manageOidcDeviceClientId: null,
      manageOidcClaim: 'sub',
      manageLabelOwners: null,
      managePlainText: false,
      unixSocketMode: 0o660,
      tlsCertificate: null,
      tlsKey: null,
      storeCa: null,
      token: null,
      tokenFile: null,
      tlsClientCa: null,
      tlsClientNames: null,
      httpTls: false,
      refusals: true,
      refusalsSourceAddress: true,
      consumerMetrics: 0,
      logLevel: 'info',
      logFormat: 'json',
      shutdownGraceSeconds: 20,
      jwksPrivateHosts: null,
      jwksCa: null,
    } satisfies Omit<Config, 'publicUrl'>);
  });

  it('have the documented names', () => {
    assert.deepEqual(
      Object.values(settings)
        .map(({ name }) => name)
        .sort(),
      [
        'POSTERN_ACTOR',
        'POSTERN_ADMIN_ADDRESS',
        'POSTERN_CONSUMER_METRICS',
        'POSTERN_CREDENTIAL_CACHE_ENTRIES',
        'POSTERN_GRPC_ADDRESS',
        'POSTERN_GRPC_TRANSPORT',
        'POSTERN_HTTP_ADDRESS',
        'POSTERN_HTTP_TLS',
        'POSTERN_JWKS_CA',
        'POSTERN_JWKS_PRIVATE_HOSTS',
        'POSTERN_KEYRING',
        'POSTERN_LOG_FORMAT',
        'POSTERN_LOG_LEVEL',
        'POSTERN_MANAGE_ADDRESS',
        'POSTERN_MANAGE_ADMIN_ADDRESS',
        'POSTERN_MANAGE_LABEL_OWNERS',
        'POSTERN_MANAGE_OIDC_CLAIM',
        'POSTERN_MANAGE_OIDC_CLIENT_ID',
        'POSTERN_MANAGE_OIDC_CLIENT_SECRET',
        'POSTERN_MANAGE_OIDC_DEVICE_CLIENT_ID',
        'POSTERN_MANAGE_OIDC_ISSUER',
        'POSTERN_MANAGE_PLAIN_TEXT',
        'POSTERN_MANAGE_TLS_CERTIFICATE',
        'POSTERN_MANAGE_TLS_CLIENT_CA',
        'POSTERN_MANAGE_TLS_KEY',
        'POSTERN_MANAGE_TRUSTED_PROXIES',
        'POSTERN_MANAGE_URL',
        'POSTERN_MAX_STALE_SECONDS',
        'POSTERN_OAUTH2_ASSERTION_AUDIENCE',
        'POSTERN_OAUTH2_CLIENT_CERTIFICATES',
        'POSTERN_PUBLIC_URL',
        'POSTERN_RATE_LIMIT_DEADLINE_MS',
        'POSTERN_RATE_LIMIT_DOMAIN',
        'POSTERN_RATE_LIMIT_SERVICE',
        'POSTERN_RATE_LIMIT_TLS_CA',
        'POSTERN_RATE_LIMIT_TLS_CERTIFICATE',
        'POSTERN_RATE_LIMIT_TLS_KEY',
        'POSTERN_REFUSALS',
        'POSTERN_REFUSALS_SOURCE_ADDRESS',
        'POSTERN_REPLICA_NAME',
        'POSTERN_SHUTDOWN_GRACE_SECONDS',
        'POSTERN_STORE',
        'POSTERN_STORE_CA',
        'POSTERN_TLS_CERTIFICATE',
        'POSTERN_TLS_CLIENT_CA',
        'POSTERN_TLS_CLIENT_NAMES',
        'POSTERN_TLS_KEY',
        'POSTERN_TOKEN',
        'POSTERN_TOKEN_FILE',
        'POSTERN_TRUSTED_PROXIES',
        'POSTERN_UNIX_SOCKET_MODE',
      ],
    );
  });

  it('say what they mean', () => {
    for (const { name, meaning } of Object.values(settings)) assert.ok(meaning.length > 10, name);
  });

  it('are read from the environment', () => {
    const config = configOf({
      POSTERN_STORE: 'mongodb+srv://u:p@a,b/postern?w=majority',
      POSTERN_GRPC_ADDRESS: 'unix:/run/postern.sock',
      POSTERN_ADMIN_ADDRESS: '[::1]:0',
      POSTERN_MANAGE_ADMIN_ADDRESS: 'unix:/run/manage.sock',
      POSTERN_RATE_LIMIT_SERVICE: 'limits.example:8081',
      POSTERN_RATE_LIMIT_DEADLINE_MS: '200',
      POSTERN_PUBLIC_URL: 'https://api.example.com/partners',
      POSTERN_LOG_LEVEL: 'debug',
      POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
      POSTERN_TLS_CERTIFICATE: 'a.pem',
      POSTERN_TLS_KEY: 'b.pem',
      POSTERN_TLS_CLIENT_CA: 'c.pem',
      POSTERN_HTTP_TLS: 'true',
      POSTERN_RATE_LIMIT_TLS_CA: 'd.pem',
      POSTERN_UNIX_SOCKET_MODE: '600',
    });
    assert.deepEqual(config.store, { kind: 'mongodb', uri: 'mongodb+srv://u:p@a,b/postern?w=majority' });
    assert.deepEqual(config.grpcAddress, { kind: 'unix', path: '/run/postern.sock' });
    assert.deepEqual(config.adminAddress, { kind: 'tcp', host: '::1', port: 0 });
    assert.deepEqual(config.manageAdminAddress, { kind: 'unix', path: '/run/manage.sock' });
    assert.deepEqual(config.rateLimitService, { host: 'limits.example', port: 8081 });
    assert.equal(config.rateLimitDeadlineMs, 200);
    assert.equal(config.publicUrl.href, 'https://api.example.com/partners');
    assert.equal(config.logLevel, 'debug');
    assert.equal(config.shutdownGraceSeconds, 0);
    assert.equal(config.tlsClientCa, 'c.pem');
    assert.equal(config.httpTls, true);
    assert.equal(config.rateLimitTlsCa, 'd.pem');
    assert.equal(config.unixSocketMode, 0o600);
  });

  it('name clients by DNS names and URIs', () => {
    const environment = { ...mutualTls, POSTERN_TLS_CLIENT_NAMES: 'envoy.internal, spiffe://a.b/ns/gateways/sa/envoy' };
    const { tlsClientNames } = configOf(environment);
    assert.deepEqual(tlsClientNames, ['envoy.internal', 'spiffe://a.b/ns/gateways/sa/envoy']);
  });

  it('count as not given when they are empty', () => {
    assert.equal(configOf({ POSTERN_LOG_LEVEL: '', POSTERN_KEYRING: '', POSTERN_STORE: undefined }).logLevel, 'info');
  });

  it('say where the key ring is', () => {
    assert.deepEqual(configOf({ POSTERN_KEYRING: '/ring.yaml' }).keyring, { kind: 'file', path: '/ring.yaml' });
    assert.deepEqual(configOf({ POSTERN_KEYRING: 'env:RING' }).keyring, { kind: 'environment', name: 'RING' });
    const key = 'c'.repeat(43) + '=';
    const [problem = '', ...others] = problemsOf({ POSTERN_KEYRING: key });
    assert.match(problem, /^POSTERN_KEYRING: this is a key ring or a key, and must be the place of one/);
    assert.ok(!problem.includes(key) && others.length === 0);
  });

  it('must name a key ring to serve from MongoDB, and nothing else', () => {
    const store = { POSTERN_STORE: 'mongodb://a/postern' };
    const missing = [
      'POSTERN_KEYRING: a MongoDB store needs the key ring that its App Secrets were sealed with; "postern keyring create FILE" makes one for a new store',
    ];
    assert.deepEqual(servingProblemsOf(store), missing);
    assert.deepEqual(servingProblemsOf({ ...store, POSTERN_LOG_LEVEL: 'x' }).slice(1), missing);
    assert.equal(servingProblemsOf({ ...store, POSTERN_KEYRING: 'env:' }).length, 1);
    assert.deepEqual(servingProblemsOf({ ...store, POSTERN_KEYRING: 'ring.yaml' }), []);
    assert.deepEqual(servingProblemsOf({}), []);
    assert.deepEqual(problemsOf(store), []);
  });

  it('leave other variables alone, and those that Kubernetes makes', () => {
    const environment = {
      PATH: '/bin',
      postern_store: 'x',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x',
      POSTERN_PORT: 'tcp://10.0.0.1:9001',
      POSTERN_PORT_9001_TCP_ADDR: '10.0.0.1',
      POSTERN_SERVICE_HOST: '10.0.0.1',
      POSTERN_SERVICE_PORT_GRPC: '9001',
      // Of a Service called postern-manage.
      POSTERN_MANAGE_PORT: 'tcp://10.0.0.2:9004',
      POSTERN_MANAGE_PORT_9004_TCP: 'tcp://10.0.0.2:9004',
      POSTERN_MANAGE_PORT_9004_TCP_PROTO: 'tcp',
      POSTERN_MANAGE_PORT_9004_TCP_PORT: '9004',
      POSTERN_MANAGE_PORT_9004_TCP_ADDR: 'fd00::2',
      POSTERN_MANAGE_SERVICE_HOST: 'fd00::2',
      POSTERN_MANAGE_SERVICE_PORT: '9004',
      POSTERN_MANAGE_SERVICE_PORT_HTTP: '9004',
    };
    assert.deepEqual(problemsOf(environment), []);
    for (const [name, value] of [
      ['POSTERN_MANAGE_PORT', '9004'],
      ['POSTERN_GRPC_PORT', '127.0.0.1:9001'],
      ['POSTERN_MANAGE_SERVICE_HOST', 'postern.example.com'],
    ] as const) {
      assert.match(problemsOf({ [name]: value })[0] ?? '', /there is no such setting/, name);
    }
  });

  it('are refused under unknown names, with the name that was probably meant', () => {
    assert.deepEqual(problemsOf({ POSTERN_STOR: 'file:x', POSTERN_PORTS: '1', POSTERN_XYZZY_PLUGH: '' }), [
      'POSTERN_STOR: there is no such setting; did you mean POSTERN_STORE?',
      ...problemsOf({ POSTERN_PORTS: '1' }),
      'POSTERN_XYZZY_PLUGH: there is no such setting; see "postern config"',
    ]);
    assert.match(problemsOf({ POSTERN_PORTS: '1' })[0] ?? '', /^POSTERN_PORTS: there is no such setting/);
    for (const name of ['POSTERN_LISTEN', 'POSTERN_BIND', 'POSTERN_GRPC_PORT_NUMBER']) {
      assert.deepEqual(problemsOf({ [name]: '127.0.0.1:9001' }), [
        `${name}: there is no such setting; POSTERN_GRPC_ADDRESS, POSTERN_HTTP_ADDRESS and POSTERN_ADMIN_ADDRESS say where it listens`,
      ]);
    }
  });

  it('say what to do about a password of MongoDB that holds what ends an address', () => {
    for (const uri of [
      'u:hunter/2@h/d',
      'u:hunter/2@h',
      'u:12/hunter@h:27017/d',
      'u:hunter?2@h/d',
      'u:hun/ter?2@h/d',
    ]) {
      for (const scheme of ['mongodb', 'mongodb+srv']) {
        const [problem = '', ...others] = problemsOf({ POSTERN_STORE: `${scheme}://${uri}`, POSTERN_KEYRING: 'ring' });
        assert.deepEqual(others, [], uri);
        assert.match(
          problem,
          /^POSTERN_STORE: the MongoDB address has .*percent-encode the password \("\/" is %2F/,
          uri,
        );
        assert.doesNotMatch(problem, /hun|ter/, uri);
      }
    }
    for (const uri of [
      'u:hunter%2F2@h/d',
      'h:1,[::1]:2/d?appName=a@b',
      'u:p@h/d?appName=a/b@c',
      '%2Ftmp%2Fs.sock/d?appName=@',
    ]) {
      assert.deepEqual(problemsOf({ POSTERN_STORE: `mongodb://${uri}`, POSTERN_KEYRING: 'ring' }), [], uri);
    }
  });

  it('are refused with every problem at once', () => {
    const problems = problemsOf({ POSTERN_LOG_LEVEL: 'loud', POSTERN_RATE_LIMIT_DEADLINE_MS: '0', POSTERN_NOPE: 'x' });
    assert.equal(problems.length, 3);
    for (const problem of problems) assert.match(problem, /^POSTERN_[A-Z_]+: /);
  });

  for (const [name, wrong] of [
    [
      'POSTERN_STORE',
      ['postern.yaml', 'file:', 'mongodb://', 'mongodb://host', 'mongodb://host/', 'mongo://h/d', 'http://h/d'],
    ],
    ['POSTERN_RATE_LIMIT_SERVICE', ['host', 'host:', ':8081', 'host:0', 'host:65536', 'unix:/run/x', 'http://host:1']],
    ['POSTERN_RATE_LIMIT_DEADLINE_MS', ['0', '-1', '1.5', '5001', '1e3', ' 5', '50ms', '0x10']],
    ['POSTERN_MAX_STALE_SECONDS', ['-1', 'forever', '31536001']],
    ['POSTERN_SHUTDOWN_GRACE_SECONDS', ['-1', '3601', '20s']],
    [
      'POSTERN_PUBLIC_URL',
      [
        'api.example.com',
        'ftp://api.example.com',
        'https://',
        'https://api.example.com/',
        'https://api.example.com?x=1',
        'https://api.example.com?',
        'https://api.example.com#x',
        'https://api.example.com#',
        'https://user:hunter2@api.example.com',
        'https:api.example.com',
        ' https://api.example.com',
      ],
    ],
    ['POSTERN_GRPC_ADDRESS', ['9001', 'host', 'host:65536', '::1:9001', 'unix:run/x', '[x]:1', 'http://host:1']],
    ['POSTERN_GRPC_TRANSPORT', ['http2', 'Native']],
    ['POSTERN_LOG_LEVEL', ['INFO', 'trace']],
    ['POSTERN_LOG_FORMAT', ['text']],
    ['POSTERN_HTTP_TLS', ['yes', '1', 'TRUE']],
    ['POSTERN_OAUTH2_CLIENT_CERTIFICATES', ['yes', 'x-forwarded-client-cert']],
    ['POSTERN_TLS_CLIENT_NAMES', ['*.example.com', 'a,,b', 'a b', 'spiffe:x', '.a', 'a.', 'spiffe://a b', ',']],
    [
      'POSTERN_TRUSTED_PROXIES',
      [
        '10.0.0.0/33',
        '10.0.0.0/',
        '::1/129',
        'envoy',
        '10.0.0.1,,::1',
        '10.0.0.1/8/8',
        'fe80::1%eth0',
        '010.0.0.1',
        '*',
      ],
    ],
    ['POSTERN_UNIX_SOCKET_MODE', ['0060', '660a', '888', '0o660', '66', '01660', 'rw-rw----']],
    ['POSTERN_GRPC_ADDRESS', ['unix:@postern', 'unix:\0postern', `unix:/${'a'.repeat(107)}`]],
    [
      'POSTERN_STORE',
      [
        'mongodb://u:hunter2@h/d?tls=true&tlsInsecure=true',
        'mongodb://u:hunter2@h/d?TLSAllowInvalidCertificates=true',
        'mongodb+srv://u:hunter2@h/d?tlsAllowInvalidHostname%73=1',
      ],
    ],
  ] as const) {
    for (const text of wrong) {
      it(`refuse ${name}=${JSON.stringify(text)}`, () => {
        const problems = problemsOf({ [name]: text });
        assert.equal(problems.length, 1, problems.join('\n'));
        const [problem = ''] = problems;
        assert.ok(problem.startsWith(`${name}: `));
        assert.ok(!problem.includes('hunter2'), 'a password is not shown');
      });
    }
  }

  it('never show what may hold a password', () => {
    for (const POSTERN_STORE of ['mongodb://user:hunter2@host', 'mongo://user:hunter2@host/db', 'hunter2']) {
      assert.ok(!problemsOf({ POSTERN_STORE }).join().includes('hunter2'));
    }
  });

  for (const [name, environment] of [
    ['a certificate without a key', { POSTERN_TLS_CERTIFICATE: 'a' }],
    ['a key without a certificate', { POSTERN_TLS_KEY: 'a' }],
    ['client authorities without a certificate', { POSTERN_TLS_CLIENT_CA: 'a' }],
    ['names of clients without their authorities', { POSTERN_TLS_CLIENT_NAMES: 'envoy' }],
    ['TLS of the OAuth2 listener without a certificate', { POSTERN_HTTP_TLS: 'true' }],
    ['authorities of a rate limit service that is not there', { POSTERN_RATE_LIMIT_TLS_CA: 'a' }],
    [
      'a client certificate without authorities of the rate limit service',
      {
        POSTERN_RATE_LIMIT_SERVICE: 'limits:8081',
        POSTERN_RATE_LIMIT_TLS_CERTIFICATE: 'a',
        POSTERN_RATE_LIMIT_TLS_KEY: 'a',
      },
    ],
    [
      'a client certificate without its key',
      {
        POSTERN_RATE_LIMIT_SERVICE: 'limits:8081',
        POSTERN_RATE_LIMIT_TLS_CA: 'a',
        POSTERN_RATE_LIMIT_TLS_CERTIFICATE: 'a',
      },
    ],
  ] as const) {
    it(`contradict each other: ${name}`, () => {
      assert.equal(problemsOf(environment).length, 1);
    });
  }

  it('may say that TLS to MongoDB stays as it is', () => {
    assert.deepEqual(problemsOf({ POSTERN_STORE: 'mongodb://h/d?tls=true&tlsInsecure=false&tlsCAFile=/ca.pem' }), []);
  });

  it('contradict nothing by a value that is wrong itself', () => {
    const environment = { POSTERN_RATE_LIMIT_SERVICE: 'host', POSTERN_RATE_LIMIT_TLS_CA: 'a' };
    assert.equal(problemsOf(environment).length, 1);
  });

  it('are all reported at once, contradictions too', () => {
    const problems = problemsOf({ POSTERN_TLS_KEY: 'a', POSTERN_LOG_LEVEL: 'loud', POSTERN_LOG_LEVLE: 'info' });
    assert.equal(problems.length, 3, problems.join('\n'));
    assert.match(problems.join('\n'), /POSTERN_TLS_CERTIFICATE and POSTERN_TLS_KEY/);
  });
});
