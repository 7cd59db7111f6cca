import type { Command } from 'commander';
import { type Access, type AccessQuestion, judgeAccess, type Obstacle } from '../../resources/changes/access.ts';
import { declareJudged } from '../../resources/changes/declare-access.ts';
import { readAccessQuestion } from '../../resources/changes/endpoint-access.ts';
import { formatAddress, parseAddress } from '../../base/net/address.ts';
import { type AddressList, declareAddressList, holdsAddress } from '../../model/address-list.ts';
import type { WeighedGrant } from '../../model/grant-in-effect.ts';
import { declareGrant } from '../../resources/grant.ts';
import { formatPlanLimit } from '../../resources/plan.ts';
import { addAction, addHelp, type CommandContext, nameOf, readExits } from '../command.ts';
import { addStoreOptions, type StoreFlags } from '../flags/options.ts';
import { parseId, parseIpAddress } from '../flags/values.ts';
import { renderResult } from '../render/data.ts';
import { formatBasis, formatHolder, formatOutcome } from '../render/grants.ts';
import { type ListView, printSection } from '../render/list.ts';
import { formatDistance, formatGrantLimits, formatLimits, formatTimeFrom, paintFor } from '../render/text.ts';
import { openFor, requireResource } from '../store/read-store.ts';
import { exitCodes } from '../terminal.ts';

interface MayFlags extends StoreFlags {
  readonly from?: string;
}

/** Adds `postern may`. */
export function registerMay(program: Command, context: CommandContext): void {
  const command = program
    .command('may')
    .description('Say whether a consumer may call an endpoint: by which grant, with which limits, and if not, why.')
    .argument('<consumer>', 'its id', parseId)
    .argument('<endpoint>', 'its id', parseId)
    .option('--from <address>', 'the IP address that it calls from; any that is allowed when left out', parseIpAddress);
  addStoreOptions(command);
  addHelp(command, {
    notes: `Judged by what is in the store, as "postern serve" does: a request also needs a correct signature, key or token, and
stays within the limits. What is wrong with a request that was sent: "postern explain".`,
    examples: [
      'postern may acme orders',
      'postern may acme orders --from 203.0.113.7',
      'postern may acme orders -o json',
      'postern may acme orders && echo yes',
    ],
    exits: { ...readExits, done: 'yes', failed: 'no, or failed', notFound: 'no such consumer or endpoint' },
  });
  addAction(command, context, async (consumerId: string, endpointId: string, flags: MayFlags) => {
    await using store = await openFor(context, nameOf(command), flags, false);
    const { resource: consumer } = await requireResource(store.resources, 'consumer', consumerId);
    const { resource: endpoint } = await requireResource(store.resources, 'endpoint', endpointId);
    const read = await readAccessQuestion(store.resources, consumer, endpoint);
    const question = flags.from === undefined ? read : { ...read, from: flags.from };
    const now = context.clock.nowSeconds();
    const access = judgeAccess(question, now);
    const { terminal } = context;
    const isYes = access.obstacles.length === 0;
    const paint = paintFor(terminal);
    const answer = isYes ? sayYes(question, access, now) : sayNo(question, access);
    const [word, rest] = [isYes ? paint.green('yes') : paint.red('no'), answer];
    terminal.out.write(renderResult(flags.output, declare(question, access, now), `${word}: ${rest}`));
    if (flags.output === 'table' && access.weighed.length > 0) {
      printSection(`grants on ${endpointId}`, access.weighed, viewOf(question, access.weighed, now), terminal);
    }
    return isYes ? exitCodes.done : exitCodes.failed;
  });
}

/** By what, with which limits and until when; and what follows where that ends by time alone. */
function sayYes(question: AccessQuestion, access: Access, now: number): string {
  const { endpoint, consumer } = question;
  const { endsAt, credentialIds } = access;
  const limited = describeLimits(access);
  const until = endsAt === null ? '' : `, until ${formatTimeFrom(endsAt, now)}`;
  const lines = [
    `${consumer.id} may call ${endpoint.id} ${basisOf(question, access)}, ${limited}${until}.`,
    ...(endsAt === null ? [] : [`After that: ${sayAfter(question, endsAt)}.`]),
    ...addressLines(question),
    ...(credentialIds.length === 0 ? [] : [`With ${namedCredentials(question, credentialIds)}.`]),
  ];
  return lines.map((line, index) => `${index === 0 ? '' : '  '}${line}\n`).join('');
}

/** From where, unless that was asked. */
function addressLines({ endpoint, consumer: { allowFrom }, from }: AccessQuestion): readonly string[] {
  if (endpoint.scenario === 'open') return from === undefined ? [] : ['An open endpoint looks at no address.'];
  return allowFrom === null || from !== undefined ? [] : [`From ${declareAddressList(allowFrom).join(', ')} only.`];
}

function namedCredentials({ credentials, from }: AccessQuestion, ids: readonly string[]): string {
  const texts = ids.map((id) => {
    const allowFrom = credentials.find((each) => each.id === id)?.allowFrom ?? null;
    return allowFrom === null || from !== undefined ? id : `${id} (from ${declareAddressList(allowFrom).join(', ')})`;
  });
  return texts.join(', ');
}

function sayAfter(question: AccessQuestion, endsAt: number): string {
  const access = judgeAccess(question, endsAt);
  const [first] = access.obstacles;
  if (first !== undefined) return `no, as ${first.what}`;
  return `${basisOf(question, access)}, ${describeLimits(access)}`;
}

/** `100/minute/consumer and 50/second by the plan gold`. */
function describeLimits({ limits, plan }: Pick<Access, 'limits' | 'plan'>): string {
  const own = limits.length === 0 ? [] : [formatLimits(limits)];
  const ofPlan = plan === null ? [] : [`${plan.limits.map(formatPlanLimit).join(', ')} by the plan ${plan.id}`];
  return [...own, ...ofPlan].join(' and ') || 'without limits';
}

function basisOf({ endpoint, consumer }: AccessQuestion, { grant }: Access): string {
  if (endpoint.scenario === 'open') return 'as every caller may, without credentials';
  if (grant !== null) return `by ${formatBasis(grant)}`;
  return `as every authenticated consumer may (${consumer.id} has no grant on it)`;
}

function sayNo(question: AccessQuestion, access: Access): string {
  const { consumer, endpoint } = question;
  const lines = access.obstacles.flatMap((obstacle) => [
    `  - ${obstacle.what}\n`,
    `    $ postern ${fixOf(obstacle, question, access)}\n`,
  ]);
  return `${consumer.id} may not call ${endpoint.id}:\n${lines.join('')}`;
}

/** The command that takes an obstacle out of the way, without `postern`. */
function fixOf({ code }: Obstacle, question: AccessQuestion, { weighed }: Access): string {
  const { endpoint, consumer } = question;
  switch (code) {
    case 'endpoint-disabled':
      return `endpoint enable ${endpoint.id}`;
    case 'consumer-disabled':
      return `consumer enable ${consumer.id}`;
    case 'no-grant': {
      const hasEnded = weighed.some(({ outcome }) => outcome === 'ended');
      return `grant add --endpoint ${endpoint.id} --consumer ${consumer.id}${hasEnded ? ' --expires never' : ''}`;
    }
    case 'address-not-allowed':
      return fixAddress(question);
    case 'no-credential':
      return `credential issue --consumer ${consumer.id} --method ${endpoint.authentication ?? ''}`;
  }
}

/** Adds the address to the list that lacks it; without one, shows the list. */
function fixAddress({ endpoint, consumer, credentials, from }: AccessQuestion): string {
  const address = from === undefined ? null : parseAddress(from);
  const lacks = (list: AddressList | null): list is AddressList =>
    list !== null && address !== null && !holdsAddress(list, address);
  const flags = (list: AddressList): string =>
    [...declareAddressList(list), address === null ? '' : formatAddress(address)]
      .map((network) => `--allow-from ${network}`)
      .join(' ');
  if (lacks(consumer.allowFrom)) return `consumer edit ${consumer.id} ${flags(consumer.allowFrom)}`;
  const credential = credentials.find(
    ({ allowFrom, methods, state }) =>
      state !== 'revoked' && methods.some((method) => method === endpoint.authentication) && lacks(allowFrom),
  );
  if (credential === undefined || !lacks(credential.allowFrom)) return `consumer show ${consumer.id}`;
  return `credential edit ${credential.id} ${flags(credential.allowFrom)}`;
}

function declare(question: AccessQuestion, access: Access, now: number): object {
  const { endpoint, consumer } = question;
  return {
    consumer: consumer.id,
    endpoint: endpoint.id,
    ...declareJudged(question, now),
    obstacles: access.obstacles.map((obstacle) => ({ ...obstacle, fix: fixOf(obstacle, question, access) })),
    grants: access.weighed.map((each) => ({
      ...declareGrant(each.grant),
      outcome: each.outcome,
      counts: formatOutcome(each, access.weighed, consumer.labels, now),
    })),
  };
}

function viewOf({ consumer }: AccessQuestion, all: readonly WeighedGrant[], now: number): ListView<WeighedGrant> {
  return {
    columns: [
      { heading: 'FOR', cell: ({ grant }) => formatHolder(grant), canShrink: true },
      { heading: 'LIMITS', cell: ({ grant }) => formatGrantLimits(grant.limits), canShrink: true },
      {
        heading: 'ENDS',
        cell: ({ grant: { expiresAt } }) => (expiresAt === null ? 'never' : formatDistance(expiresAt, now)),
      },
      {
        heading: 'COUNTS',
        cell: (each) => formatOutcome(each, all, consumer.labels, now),
        canShrink: true,
        paint: (text, { outcome }, paint) => (outcome === 'in-effect' ? paint.green(text) : text),
      },
    ],
    declare: ({ grant }) => declareGrant(grant),
    none: '',
  };
}
