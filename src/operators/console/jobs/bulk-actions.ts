import type { ProblemDetail } from '../../api/problem.ts';
import type { ChangeOutcome } from '../../api/change.ts';
import { Secret } from '../../../model/secret.ts';
import type { IssuedCredential } from '../credentials/shown-credential.ts';
import { type ApiClient, type ChangeAnswer, ProblemAnswer } from '../frame/api-client.ts';
import { url } from '../frame/html.ts';
import type { FieldParts } from '../parts/form.ts';
import { labelPatchOf } from '../parts/label-lines.ts';
import type { StepResult } from './jobs.ts';

/** A change that can be made of several records. */
export interface BulkAction {
  /** On the button. */
  readonly verb: string;
  /** What happens to each, as a sentence. */
  readonly explanation: string;
  readonly isDangerous?: boolean;
  /** What is typed for all of them; none without it. */
  readonly field?: Pick<FieldParts, 'label' | 'hint'> & {
    /** A moment reaches `make` as the time that it is. */
    readonly kind: 'line' | 'lines' | 'moment';
    readonly value: string;
  };
  /** What is wrong with what was typed, that the console reads itself. */
  readonly faultsOf?: (typed: string) => readonly ProblemDetail[];
  /** Makes the change of one. Rejects with `ProblemAnswer`. */
  readonly make: (
    api: ApiClient,
    id: string,
    wish: { readonly typed: string; readonly reason: string },
  ) => Promise<StepResult>;
}

function consumerEdit(bodyOf: (typed: string) => object): BulkAction['make'] {
  return async (api, id, { typed, reason }) => {
    const path = url`/v1/consumers/${id}`;
    const { revision } = await api.get<{ readonly revision: number }>(path);
    const change = { body: bodyOf(typed), reason, revision: String(revision) };
    return made(await api.change<ChangeOutcome>('PATCH', path, change));
  };
}

/** What can be done with several consumers. */
export const consumerActions: Readonly<Record<string, BulkAction>> = {
  label: {
    verb: 'Label',
    explanation: 'Each gets these labels; its others stay. Labels decide about groups, plans and who sees it.',
    field: { label: 'Labels', hint: 'One on each line, such as tier=gold.', kind: 'lines', value: '' },
    faultsOf: (typed) => {
      const { patch, faults } = labelPatchOf({}, typed, '/typed');
      const isNone = Object.keys(patch).length === 0 && faults.length === 0;
      return isNone ? [{ pointer: '/typed', detail: 'give one label at least' }] : faults;
    },
    make: consumerEdit((typed) => ({ labels: labelPatchOf({}, typed, '/typed').patch })),
  },
  disable: {
    verb: 'Disable',
    explanation: 'From then on, all requests of each are refused, until it is enabled again. Nothing is deleted.',
    isDangerous: true,
    make: consumerEdit(() => ({ enabled: false })),
  },
  enable: {
    verb: 'Enable',
    explanation: 'The credentials and grants of each decide its requests again.',
    make: consumerEdit(() => ({ enabled: true })),
  },
};

function credentialChange(
  verb: 'rotate' | 'revoke',
  bodyOf: (typed: string) => object | undefined,
  done: (body: Rotated) => StepResult,
): BulkAction['make'] {
  return async (api, id, { typed, reason }) => {
    const path = url`/v1/credentials/${id}`;
    const { revision } = await api.get<{ readonly revision: number }>(path);
    const body = bodyOf(typed);
    const change = { reason, revision: String(revision), ...(body === undefined ? {} : { body }) };
    const answer = await api.change<Rotated>('POST', `${path}:${verb}`, change);
    if (answer.problem !== null) throw new ProblemAnswer(answer.problem);
    return done(answer.body);
  };
}

interface Rotated {
  readonly formerEndsAt?: string;
  readonly credential?: IssuedCredential;
}

/** What can be done with several credentials. */
export const credentialActions: Readonly<Record<string, BulkAction>> = {
  rotate: {
    verb: 'Rotate',
    explanation:
      'Each gets a new secret, which is shown once when all are through; its former one works for a while. A public key takes a new one from its partner, so that its credential is not rotated here.',
    field: {
      label: 'The former secrets work for',
      hint: 'Such as 7d or 12h; 0 ends them at once.',
      kind: 'line',
      value: '7d',
    },
    make: credentialChange(
      'rotate',
      (typed) => ({ grace: typed }),
      ({ credential, formerEndsAt }) => ({
        isDone: true,
        text: `rotated; the former one ends ${formerEndsAt ?? ''}`,
        ...(credential === undefined ? {} : secretIn(credential)),
      }),
    ),
  },
  expire: {
    verb: 'Expire',
    explanation:
      'Each works until a time that you give, also where it had another end or none. One that is revoked stays so.',
    field: {
      label: 'Works until',
      hint: 'A time with its zone such as 2027-01-01T00:00:00Z, or a span from now such as 90d.',
      kind: 'moment',
      value: '',
    },
    make: async (api, id, { typed, reason }) => {
      const path = url`/v1/credentials/${id}`;
      const { revision } = await api.get<{ readonly revision: number }>(path);
      const change = { body: { expiresAt: typed }, reason, revision: String(revision) };
      return made(await api.change<ChangeOutcome>('PATCH', path, change));
    },
  },
  revoke: {
    verb: 'Revoke',
    explanation:
      'Requests with each are refused at once, and so are those with its former secret and its access tokens.',
    isDangerous: true,
    make: credentialChange(
      'revoke',
      () => undefined,
      () => ({ isDone: true, text: 'revoked' }),
    ),
  },
};

function secretIn({ id, appSecret, appKey }: IssuedCredential): { readonly secret?: Secret } {
  const text = appSecret ?? appKey;
  return text === undefined ? {} : { secret: Secret.fromText(`${id}: ${text}`) };
}

function made(answer: ChangeAnswer<ChangeOutcome>): StepResult {
  if (answer.problem !== null) throw new ProblemAnswer(answer.problem);
  return { isDone: true, text: answer.body.changes.length === 0 ? 'it already was so' : 'changed' };
}
