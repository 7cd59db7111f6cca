import { declareTime, type Declared } from '../../resources/declared.ts';
import { describeKey } from '../../resources/public-key-fields.ts';
import { declareLimits } from '../../resources/limits.ts';
import { EXAMPLE_APP_KEY, EXAMPLE_SECRET, EXAMPLE_TIME } from '../../check/methods/presentation/example-values.ts';
import type { Example } from '../../check/methods/presentation/guide.ts';
import type { EndpointGroup, Handover } from './handover-page.ts';
import { hostsOf, originOf } from './target.ts';

/** The same as the page, for programs such as a portal for partners. */
export function declareHandover({ access, address, origin, secretBy, groups, codes }: Handover): Declared {
  const { credentialId, partner, appKey, publicKey, notBefore, expiresAt, formerSecretEndsAt, allowFrom, knownBy } =
    access;
  const requests = groups.flatMap((group) => group.examples.map((example) => declareExample(group, example)));
  return {
    credential: credentialId,
    partner,
    url: origin,
    ...(appKey === null ? {} : { appKey }),
    ...(publicKey === null ? {} : { key: describeKey(publicKey) }),
    ...(secretBy === null ? {} : { secretBy }),
    ...declaredTimes({ notBefore, expiresAt, formerSecretEndsAt }),
    ...(allowFrom === null ? {} : { allowFrom }),
    endpoints: groups.flatMap(({ method, rules, settings, endpoints }) =>
      endpoints.map(({ endpoint: { id, description, match }, limits, planLimits, endsAt }) => ({
        id,
        description,
        urls: hostsOf(match, address).map((host) => originOf(address, host)),
        paths: match.paths,
        methods: match.methods,
        authentication: method,
        rules: Object.fromEntries(rules),
        client: settings,
        limits: declareLimits(limits),
        ...(planLimits.length === 0 ? {} : { planLimits }),
        ...declaredTimes({ expiresAt: endsAt }),
      })),
    ),
    ...(knownBy.length === 0 ? {} : { knownBy: Object.fromEntries(knownBy) }),
    ...(knownBy.length > 0 || (publicKey !== null && requests.length === 0)
      ? {}
      : {
          examples: {
            appKey: appKey ?? EXAMPLE_APP_KEY,
            appSecret: EXAMPLE_SECRET,
            time: EXAMPLE_TIME,
            requests,
          },
        }),
    codes,
  };
}

function declareExample(
  { method }: EndpointGroup,
  { title, unsigned, stringToSign, signature, sent }: Example,
): Declared {
  return {
    title,
    authentication: method,
    ...(unsigned === '' ? {} : { unsigned }),
    ...(stringToSign === null ? {} : { stringToSign: stringToSign.toString('utf8') }),
    ...(signature === null ? {} : { signature }),
    sent,
  };
}

function declaredTimes(times: Readonly<Record<string, number | null>>): Declared {
  return Object.fromEntries(
    Object.entries(times).flatMap(([name, seconds]) => (seconds === null ? [] : [[name, declareTime(seconds)]])),
  );
}
