import fc from 'fast-check';

const SECRET = 'a secret for tests, number';

/** Of consumers and groups. Groups have one priority in all documents, so that no two of an endpoint share one. */
const tiers = ['gold', 'no', '~'] as const;

const limits = fc.uniqueArray(fc.constantFrom('second', 'minute', 'day'), { maxLength: 2 });

const labels = fc.dictionary(fc.constantFrom('tier', 'yes', '1'), fc.constantFrom(...tiers));

/** An endpoint of any kind, with a host of its own. */
function endpoint(id: string, index: number): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record({
      scenario: fc.constantFrom('open', 'partner-openapi'),
      authentication: fc.constantFrom('key', 'hmac', 'parameter-signature', 'oauth2'),
      path: fc.constantFrom('/', '/p', '/q/r'),
      labels,
      description: fc.constantFrom('', 'Orders: "all" of them', '# not a comment', '2026-01-01', '\u{1f600}\n'),
      enabled: fc.boolean(),
      units: limits,
      mode: fc.constantFrom('enforce', 'observe'),
    })
    .map(({ scenario, authentication, path, labels: chosen, description, enabled, units, mode }) => ({
      id,
      scenario,
      match: { paths: [{ prefix: path }], hosts: [`h${String(index)}.example`] },
      ...(scenario === 'open' ? {} : { authentication }),
      labels: { ...chosen },
      description,
      enabled,
      trafficControl: { limits: units.map((unit) => ({ requests: 5, unit, per: 'endpoint' })) },
      options: { mode },
    }));
}

function credential(id: string): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record({
      methods: fc.constantFrom<readonly string[]>(['key'], ['hmac'], ['oauth2'], ['hmac', 'parameter-signature']),
      version: fc.nat({ max: 2 }),
      isRotating: fc.boolean(),
      state: fc.constantFrom('active', 'retiring', 'revoked'),
    })
    .map(({ methods, version, isRotating, state }) => ({
      id,
      methods,
      // One that was public is no secret ever.
      appKey: `${id}.${methods.includes('key') ? 'secret' : 'public'}.${String(version)}`,
      ...(methods.includes('key')
        ? {}
        : {
            appSecret: `${SECRET} ${String(version)}`,
            ...(isRotating
              ? { retiringSecret: { appSecret: `${SECRET} former`, expiresAt: '2027-01-01T00:00:00Z' } }
              : {}),
          }),
      state,
      ...(state === 'retiring' ? { expiresAt: '2028-01-01T00:00:00Z' } : {}),
    }));
}

function consumer(id: string): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record({
      name: fc.constantFrom('Acme', 'null', '12', 'Ümlaut & Söhne', ' x'),
      labels,
      enabled: fc.boolean(),
      credentials: subset(['a', 'b', 'c'].map((name) => credential(`${id}-${name}`))),
    })
    .map((fields) => ({ id, ...fields, labels: { ...fields.labels } }));
}

/** Some of these, in their order. */
function subset<T>(items: readonly fc.Arbitrary<T>[]): fc.Arbitrary<readonly T[]> {
  return fc
    .tuple(...items.map((item) => fc.option(item, { nil: null })))
    .map((chosen) => (chosen as readonly (T | null)[]).flatMap((each) => (each === null ? [] : [each])));
}

/**
 * Documents of few resources with the same names again and again, so that one changes, deletes and keeps what another
 * has. An App Key belongs to one credential in all of them, and a credential to one consumer.
 */
export const documentArbitrary: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .record({
    endpoints: subset(['e0', 'e1', 'e2'].map(endpoint)),
    consumers: subset(['acme', 'blue', 'cyan'].map(consumer)),
    groups: fc.uniqueArray(fc.tuple(fc.nat({ max: 2 }), fc.constantFrom(...tiers)), { selector: String, maxLength: 4 }),
    granted: fc.uniqueArray(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 2 })), { selector: String, maxLength: 6 }),
    expiresAt: fc.option(fc.constant('2029-01-01T00:00:00Z'), { nil: undefined }),
  })
  .map(({ endpoints, consumers, groups, granted, expiresAt }) => ({
    version: 1,
    endpoints,
    consumers,
    grants: [
      ...groups.flatMap(([e, tier]) => {
        const { id } = endpoints[e] ?? {};
        return id === undefined
          ? []
          : [{ endpoint: id, consumerSelector: { tier }, priority: tiers.indexOf(tier) - 1 }];
      }),
      ...granted.flatMap(([e, c]) => {
        const { id: endpointId } = endpoints[e] ?? {};
        const { id: consumerId } = consumers[c] ?? {};
        if (endpointId === undefined || consumerId === undefined) return [];
        const end = expiresAt === undefined ? {} : { expiresAt };
        return [{ endpoint: endpointId, consumer: consumerId, ...end }];
      }),
    ],
  }));
