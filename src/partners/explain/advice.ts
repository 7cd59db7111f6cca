import type { Mistake } from '../../check/methods/explanation/explainer.ts';
import type { PartnerEndpoint } from '../../model/endpoint.ts';
import { type CountedLimit, formatLimit, type Limit, MAX_LIMIT_REQUESTS } from '../../model/limit.ts';
import type { Plan } from '../../model/plan.ts';
import { SECRET_NOT_STORED } from './refusal-mistakes.ts';

/** Whom a refusal is about, and where that is changed: with it, advice can be typed as it stands. */
export interface Subject {
  readonly endpoint: Pick<PartnerEndpoint, 'id' | 'authentication' | 'limits'>;
  readonly consumerId: string;
  readonly credentialId: string;
  /** Whether the consumer has a grant of its own on the endpoint, one that has ended too. */
  readonly hasGrant: boolean;
  /** The limits of its requests: the endpoint's, with those of its grant in their place. */
  readonly limits: readonly Limit[];
  /** The plan whose limits hold beside them; null without one. */
  readonly plan: Pick<Plan, 'id' | 'limits'> | null;
  /** The declarative file that is the store: people edit it, and no command changes it. Null for a database. */
  readonly file: string | null;
}

/** A mistake whose fix names what it is about: with a command for a database, with what to write for a file. */
export function adviseOn(mistake: Mistake, subject: Subject | null): Mistake {
  if (subject === null) return mistake;
  const { file, ...names } = subject;
  const advise = file === null ? commands[mistake.name] : edits[mistake.name];
  return { ...mistake, ...advise?.({ ...names, file: file ?? '', what: mistake.what }) };
}

type Advise = (
  names: Subject & { readonly file: string; readonly what: string },
) => Partial<Pick<Mistake, 'fix' | 'command'>>;

/** It changes nothing, so that it is a command for a file too. */
const look: Advise = ({ credentialId }) => ({
  fix: 'Look at the credential',
  command: `credential show ${credentialId}`,
});

/** A command that gave a list would replace the one that is there. */
const lookAtList: Advise = ({ consumerId, credentialId, what }) => ({
  fix: "Look at the list, and add the address if it is the partner's; if it is not, rotate the credential",
  command: what.startsWith('the consumer') ? `consumer show ${consumerId}` : `credential show ${credentialId}`,
});

const issue: Advise = ({ consumerId, endpoint: { authentication } }) => ({
  command: `credential issue --consumer ${consumerId} --method ${authentication}`,
});

const newInFile: Advise = ({ consumerId, endpoint: { authentication }, file }) => ({
  fix: `Give the consumer ${consumerId} a new credential of the method ${authentication}, in ${file}`,
});

const commands: Readonly<Record<string, Advise>> = {
  'authentication-failed': look,
  'address-not-allowed': lookAtList,
  'not-authorized': ({ endpoint: { id }, consumerId, hasGrant }) => ({
    fix: hasGrant ? 'Give the grant of the consumer a later end' : 'Give the consumer a grant on the endpoint',
    command: `grant add --endpoint ${id} --consumer ${consumerId}${hasGrant ? ' --expires never' : ''}`,
  }),
  'rate-limited': ({ endpoint, consumerId, hasGrant, limits, plan, what }) => {
    const fix = `${WAIT}; or raise the limit, here to the double (these limits replace the former ones)`;
    const place = `--endpoint ${endpoint.id}`;
    switch (exceededOwner(limits, plan, what)) {
      case null:
        return {};
      case 'endpoint':
        return { fix, command: `limit set ${doubled(endpoint.limits, what).map(formatLimit).join(' ')} ${place}` };
      case 'plan': {
        const texts = doubled(ofPlan(plan), what).map(({ requests, unit }) => `--limit ${String(requests)}/${unit}`);
        return { fix, command: `plan set ${plan?.id ?? ''} ${texts.join(' ')}` };
      }
      case 'consumer': {
        const own = doubled(limits, what).filter(({ per }) => per === 'consumer');
        const texts = own.map(({ requests, unit }) => `${String(requests)}/${unit}`);
        const holder = `${place} --consumer ${consumerId}`;
        return hasGrant
          ? { fix, command: `limit set ${texts.join(' ')} ${holder}` }
          : { fix, command: `grant add ${holder} ${texts.map((text) => `--limit ${text}`).join(' ')}` };
      }
    }
  },
  'credential-of-another-method': issue,
  'credential-revoked': issue,
  'credential-expired': issue,
  'consumer-disabled': ({ consumerId }) => ({ fix: 'Enable the consumer', command: `consumer enable ${consumerId}` }),
  [SECRET_NOT_STORED.name]: ({ credentialId }) => ({ command: `credential rotate ${credentialId}` }),
};

const edits: Readonly<Record<string, Advise>> = {
  'authentication-failed': look,
  'address-not-allowed': lookAtList,
  'not-authorized': ({ endpoint: { id }, consumerId, hasGrant, file }) => ({
    fix: hasGrant
      ? `Give the grant of ${consumerId} on ${id} a later "expiresAt", in ${file}`
      : `Add { endpoint: ${id}, consumer: ${consumerId} } to the "grants" of ${file}`,
  }),
  'rate-limited': ({ endpoint, consumerId, limits, plan, what, file }) => {
    const owner = exceededOwner(limits, plan, what);
    if (owner === null) return {};
    const holders = {
      endpoint: `endpoint ${endpoint.id}`,
      consumer: `grant of ${consumerId} on ${endpoint.id}`,
      plan: `plan ${plan?.id ?? ''}`,
    };
    const holder = holders[owner];
    return { fix: `${WAIT}; or give the ${holder} higher "limits", in ${file}` };
  },
  'credential-of-another-method': newInFile,
  'credential-revoked': newInFile,
  'credential-expired': ({ credentialId, consumerId, file }) => ({
    fix: `Give the credential ${credentialId} a later "expiresAt", or ${consumerId} a new one, in ${file}`,
  }),
  'consumer-disabled': ({ consumerId, file }) => ({
    fix: `Enable the consumer: remove "enabled: false" from ${consumerId}, in ${file}`,
  }),
  [SECRET_NOT_STORED.name]: ({ credentialId, file }) => ({
    fix: `Hand the caller the App Secret that ${file} has for ${credentialId}, or change it there`,
  }),
};

const WAIT = 'Wait as many seconds as Retry-After says, and send less';

/** Whose limit was exceeded: its own, that of its plan, or that of the endpoint; null where the refusal names none. */
function exceededOwner(limits: readonly Limit[], plan: Subject['plan'], what: string): CountedLimit['per'] | null {
  const exceeded = [...limits, ...ofPlan(plan)].filter((limit) => isNamed(limit, what)).map(({ per }) => per);
  return (['consumer', 'plan', 'endpoint'] as const).find((per) => exceeded.includes(per)) ?? null;
}

function ofPlan(plan: Subject['plan']): readonly CountedLimit[] {
  return (plan?.limits ?? []).map(({ requests, unit }) => ({ requests, unit, per: 'plan' }));
}

function doubled<L extends CountedLimit>(limits: readonly L[], what: string): readonly L[] {
  return limits.map((limit) =>
    isNamed(limit, what) ? { ...limit, requests: Math.min(2 * limit.requests, MAX_LIMIT_REQUESTS) } : limit,
  );
}

function isNamed(limit: CountedLimit, what: string): boolean {
  return what.split(' ').includes(formatLimit(limit));
}
