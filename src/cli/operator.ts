import { type Command, Option } from 'commander';
import { issueToken, type IssuedToken } from '../resources/changes/operator-token.ts';
import {
  planNewOperator,
  planNewToken,
  planOperatorEdit,
  planOperatorRemoval,
  planTokenRevocation,
} from '../resources/changes/plan-operator.ts';
import { textOf } from '../resources/changes/generate-credential.ts';
import { NotFound } from '../resources/changes/resource-store.ts';
import { describeLabels } from '../model/labels.ts';
import { describeBounds } from '../model/operator-bounds.ts';
import { type Operator, operatorRoles, type OperatorToken } from '../model/operator.ts';
import { count } from '../base/text/printable.ts';
import { declareVersion } from '../resources/declare-resource.ts';
import { declareTime } from '../resources/declared.ts';
import { declareOperator } from '../resources/operator.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { labelBounds } from './flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, unsetCollector, wishOf } from './flags/fields.ts';
import type { StoreFlags } from './flags/options.ts';
import { type Moment, momentAhead } from '../model/document/moments.ts';
import { parseMoment } from './flags/times.ts';
import { collect, collectLabel, parseId } from './flags/values.ts';
import { formatData } from './render/data.ts';
import { type ListView, printList, printSection } from './render/list.ts';
import { formatDistance, paintFor, printFields, versionFields } from './render/text.ts';
import { addChangeAction, type Plan } from './store/change-store.ts';
import { addReadAction, requireResource } from './store/read-store.ts';
import { addEnableVerbs, addResourceAction } from './store/resource-verbs.ts';

/** Adds `postern operator` with its verbs. */
export function registerOperator(program: Command, context: CommandContext): void {
  const about = 'Who manages resources over the management API.';
  const noun = addNoun(program, 'operator', about, 'operator add alice --role support --label team=payments');
  registerAdd(noun, context);
  registerEdit(noun, context);
  registerList(noun, context);
  registerShow(noun, context);
  const enabling = {
    enable: 'Let an operator in again, with the remaining tokens.',
    disable: 'Refuse an operator, with all tokens, until "operator enable".',
    exampleId: 'alice',
  };
  addEnableVerbs(noun, context, 'operator', enabling, planOperatorEdit);
  registerRemove(noun, context);
  registerToken(noun, context);
}

const fields: FieldFlags = {
  name: '--name',
  role: '--role',
  'selector.*': '--label',
  hosts: '--host',
  pathPrefixes: '--path-prefix',
  certificateNames: '--certificate-name',
  subjects: '--subject',
};

/** What problems are told by. */
const named: FieldFlags = { ...fields, id: '<id>', expires: '--expires' };

function addOperatorFlags(command: Command, role: Option): Command {
  return command
    .addOption(role)
    .option('--name <name>', 'for people; the id when left out')
    .option('--label <name=value>', 'only consumers and endpoints with this label; repeatable', collectLabel)
    .option('--host <host>', 'may change only endpoints for this host, such as *.example.com; repeatable', collect)
    .option('--path-prefix <path>', 'may change only endpoints below this path; repeatable', collect)
    .option('--certificate-name <name>', 'a name (DNS, URI or email) of the client certificate; repeatable', collect)
    .option('--subject <subject>', 'the subject at the OpenID Connect provider; repeatable', collect);
}

/** A day of change each quarter is what teams manage. */
const DEFAULT_LIFETIME = '90d';

function expiresOption(): Option {
  return new Option('--expires <time>', 'when the token ends: 2027-01-01T00:00:00Z, or 90d from now; a year at most')
    .argParser(parseMoment)
    .default(parseMoment(DEFAULT_LIFETIME), DEFAULT_LIFETIME);
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the operator may do').choices(operatorRoles);
}

const ROLES = `Roles: viewer sees endpoints, consumers and usage; support also refusals and the audit trail; operator also changes
consumers; admin also changes endpoints.`;

function registerAdd(noun: Command, context: CommandContext): void {
  const command = noun
    .command('add')
    .description('Add an operator, and print a token that is not shown again.')
    .argument('<id>', 'the id, which the audit trail shows: a-z, 0-9 and "-"', parseId);
  addOperatorFlags(command, roleOption().makeOptionMandatory())
    .addOption(expiresOption().conflicts('token'))
    .option('--no-token', 'without a token; "operator token issue" gives one later');
  addChangeAction(command, context, {
    notes: `${ROLES}\n${labelBounds}`,
    examples: [
      'postern operator add alice --role support',
      'postern operator add deploy-bot --role operator --label team=payments --expires 30d',
      'postern operator add carla --role admin --label team=payments --path-prefix /payments',
      'postern operator add bob --role admin --no-token',
    ],
    exits: { conflict: 'taken' },
    plan: async ({ resources }, flags: { readonly token: boolean; readonly expires: Moment }, id: string) => {
      const issued = flags.token ? newToken(id, flags.expires, context) : null;
      const planned = planNewOperator(id, wishOf(flags, fields), issued, await resources.find('operator', id));
      return { changes: changesOf(planned, named), done: `Operator ${id} added.`, ...outcomeOf(issued, context) };
    },
  });
}

function newToken(operatorId: string, expires: Moment, { clock }: CommandContext): IssuedToken {
  const now = clock.nowSeconds();
  return issueToken(operatorId, now, momentAhead(expires, now));
}

function outcomeOf(issued: IssuedToken | null, { terminal, clock }: CommandContext): Pick<Plan, 'outcome'> {
  if (issued === null) return {};
  const { token } = issued;
  const text = textOf(issued.text);
  const end = formatDistance(token.expiresAt, clock.nowSeconds());
  return {
    outcome: {
      text: `  Token  ${paintFor(terminal).bold(text)}\n\nIt ends ${end} and cannot be shown again: only its hash is kept.\n`,
      data: { token: { id: token.id, token: text, expiresAt: declareTime(token.expiresAt) } },
      whenUnknown: 'Keep the token that is printed: if the change was made, it works. If it was not, issue another.',
    },
  };
}

function registerEdit(noun: Command, context: CommandContext): void {
  const command = noun
    .command('edit')
    .description('Change an operator, who keeps the tokens: only what is given changes.');
  addOperatorFlags(command, roleOption()).option(
    '--unset <flag>',
    'remove the value of name, label, label.NAME, host or path-prefix; repeatable',
    unsetCollector(fields, ['name', 'label', 'host', 'path-prefix', 'certificate-name', 'subject']),
  );
  addResourceAction(command, context, 'operator', {
    notes: `${ROLES}\n--label changes one label and keeps the others.`,
    examples: ['postern operator edit alice --role operator', 'postern operator edit alice --unset label.team'],
    plan: (current, flags) => ({
      changes: changesOf(planOperatorEdit(current, changeWishOf(flags, fields)), fields),
      done: `Operator ${current.resource.id} changed.`,
    }),
  });
}

function registerRemove(noun: Command, context: CommandContext): void {
  const command = noun.command('remove').description('Remove an operator, whose tokens end at once.');
  addResourceAction(command, context, 'operator', {
    isAsking: true,
    examples: ['postern operator remove alice'],
    plan: (current) => ({
      changes: planOperatorRemoval(current),
      question: `Remove the operator ${current.resource.id} with ${count(current.resource.tokens.length, 'token')}?`,
      done: `Operator ${current.resource.id} removed.`,
    }),
  });
}

function registerToken(noun: Command, context: CommandContext): void {
  const about = 'Tokens by which programs call the management API.';
  const token = addNoun(noun, 'token', about, 'operator token issue alice --expires 30d').helpGroup('Commands:');
  const issue = token
    .command('issue')
    .description('Issue a further token, and print it: it is not shown again.')
    .addOption(expiresOption());
  addResourceAction(issue, context, 'operator', {
    examples: [
      'postern operator token issue deploy-bot',
      'postern operator token issue deploy-bot --expires 30d -o json',
    ],
    plan: (current, { expires }: { readonly expires: Moment }) => {
      const issued = newToken(current.resource.id, expires, context);
      const changes = changesOf(planNewToken(current, issued), named);
      return { changes, done: `Token ${issued.token.id} issued.`, ...outcomeOf(issued, context) };
    },
  });
  const revoke = token
    .command('revoke')
    .description('Revoke a token: it is refused from then on.')
    .argument('<operator>', 'whose token', parseId)
    .argument('<token>', 'its id; "operator show" lists them', parseId);
  addChangeAction(revoke, context, {
    examples: ['postern operator token revoke deploy-bot 3f9a1c02'],
    exits: { notFound: 'no such operator or token', conflict: 'changed by others' },
    plan: async ({ resources }, _flags, operatorId: string, tokenId: string) => {
      const changes = planTokenRevocation(await requireResource(resources, 'operator', operatorId), tokenId);
      if (changes === null) throw new NotFound(`the operator "${operatorId}" has no token "${tokenId}"`);
      return { changes, done: `Token ${tokenId} of ${operatorId} revoked.` };
    },
  });
}

const reachOf = ({ selector }: Operator): string => describeLabels(selector) || 'all';
const boundsOf = (operator: Operator): string => describeBounds(operator) || 'any endpoint within reach';

const view: ListView<Stored<Operator>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'ROLE', cell: ({ resource }) => resource.role },
    { heading: 'REACH', cell: ({ resource }) => reachOf(resource), canShrink: true },
    { heading: 'TOKENS', cell: ({ resource }) => String(resource.tokens.length) },
    {
      heading: 'STATE',
      cell: ({ resource }) => (resource.enabled ? 'enabled' : 'disabled'),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareOperator(stored.resource), ...declareVersion(stored) }),
  none: 'There is no operator. "postern operator add" adds one.',
};

function registerList(noun: Command, context: CommandContext): void {
  const command = noun.command('list').description('List the operators, in the order of their ids.');
  addReadAction(command, context, {
    examples: ['postern operator list'],
    show: async ({ resources }, { output }: StoreFlags) => {
      await printList(resources.list('operator'), view, output, context.terminal);
    },
  });
}

function registerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show an operator with the tokens, which are named by their ids only.')
    .argument('<id>', 'the id', parseId);
  addReadAction(command, context, {
    examples: ['postern operator show alice', 'postern operator show alice -o json'],
    exits: { notFound: 'no such operator' },
    show: async ({ resources }, { output }: StoreFlags, id: string) => {
      const { terminal, clock } = context;
      const stored = await requireResource(resources, 'operator', id);
      if (output !== 'table') {
        terminal.out.write(formatData(view.declare(stored), output));
        return;
      }
      const { resource } = stored;
      const now = clock.nowSeconds();
      const shown = [
        ['name', resource.name],
        ['role', resource.role],
        ['reach', reachOf(resource)],
        ['changes', boundsOf(resource)],
        ['certificates', resource.certificateNames],
        ['subjects', resource.subjects],
        ...versionFields(stored, now),
      ] as const;
      printFields(`operator ${id}${resource.enabled ? '' : ' (disabled)'}`, shown, terminal);
      printSection('tokens', resource.tokens, tokenView(now), terminal);
    },
  });
}

function tokenView(nowSeconds: number): ListView<OperatorToken> {
  return {
    columns: [
      { heading: 'ID', cell: ({ id }) => id },
      { heading: 'ISSUED', cell: ({ createdAt }) => formatDistance(createdAt, nowSeconds) },
      {
        heading: 'ENDS',
        cell: ({ expiresAt }) => `${expiresAt <= nowSeconds ? 'ended ' : ''}${formatDistance(expiresAt, nowSeconds)}`,
        paint: (text, { expiresAt }, paint) => (expiresAt <= nowSeconds ? paint.red(text) : text),
      },
    ],
    declare: (token) => ({ ...token }),
    none: 'No token.',
  };
}
