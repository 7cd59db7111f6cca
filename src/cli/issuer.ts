import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Issuer, issuerDefaults } from '../model/issuer.ts';
import { jwtAlgorithms } from '../model/jwt-algorithms.ts';
import {
  MAX_AUDIENCES,
  MAX_ISSUER_KEYS,
  MAX_ISSUER_SKEW_SECONDS,
  MAX_ISSUERS,
  MAX_JWKS_BYTES,
} from '../model/bounds.ts';
import { carries, describeLabels, type LabelSelector } from '../model/labels.ts';
import { describeKeyFault } from '../model/public-key/public-key-fault.ts';
import { planIssuerDeletion, planIssuerEdit, planNewIssuer } from '../resources/changes/plan-issuer.ts';
import { listIssuers } from '../resources/changes/resource-store.ts';
import { declareVersion } from '../resources/declare-resource.ts';
import { declareIssuerKeys, readJwkSetText } from '../resources/issuer-keys.ts';
import { declareWholeIssuer } from '../resources/issuer.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { labelBounds, textBounds } from './flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, unsetCollector, wishOf } from './flags/fields.ts';
import type { StoreFlags } from './flags/options.ts';
import { readPublicText } from './flags/public-key.ts';
import { collect, collectLabel, parseId, parseInteger } from './flags/values.ts';
import { formatData } from './render/data.ts';
import { type ListView, printList } from './render/list.ts';
import { printFields, versionFields } from './render/text.ts';
import { addChangeAction } from './store/change-store.ts';
import { addReadAction, requireResource, selectFrom } from './store/read-store.ts';
import { addEnableVerbs, addResourceAction } from './store/resource-verbs.ts';

/** Adds `postern issuer` with its verbs. */
export function registerIssuer(program: Command, context: CommandContext): void {
  const noun = addNoun(
    program,
    'issuer',
    'Outside issuers whose tokens stand for consumers.',
    'issuer add partner-idp --issuer https://idp.partner.example --jwks-uri https://idp.partner.example/keys --audience https://api.example.com',
  );
  registerAdd(noun, context);
  registerSet(noun, context);
  registerList(noun, context);
  registerShow(noun, context);
  const enabling = {
    enable: 'Take the tokens of an issuer again.',
    disable: 'Refuse all tokens of an issuer, until it is enabled.',
    exampleId: 'partner-idp',
  };
  addEnableVerbs(noun, context, 'issuer', enabling, (current, wish) => planIssuerEdit(current, wish, []));
  registerRemove(noun, context);
}

const fields: FieldFlags = {
  issuer: '--issuer',
  jwksUri: '--jwks-uri',
  jwks: '--jwks',
  audiences: '--audience',
  algorithms: '--algorithm',
  clockSkewSeconds: '--clock-skew',
  requiredClaims: '--required-claim',
  description: '--description',
  'labels.*': '--label',
};
const clearable = ['algorithm', 'clock-skew', 'required-claim', 'description', 'label'];

interface IssuerFlags {
  readonly jwks?: string;
  readonly disabled?: true;
}

function addIssuerFlags(command: Command): Command {
  return command
    .option('--issuer <text>', 'the "iss" of its tokens, to the byte')
    .addOption(new Option('--jwks-uri <url>', 'the https address of its keys').conflicts('jwks'))
    .option('--jwks <file>', 'its keys as a JWK set, in place of an address; - reads standard input')
    .option('--audience <text>', 'an "aud" that its tokens may have; repeatable', collect)
    .option('--algorithm <alg>', 'an algorithm that its tokens may have, all of them otherwise; repeatable', collect)
    .option(
      '--clock-skew <seconds>',
      `how far its clock may differ; ${String(issuerDefaults.clockSkewSeconds)}`,
      parseInteger,
    )
    .option('--required-claim <name=value>', 'a claim that its tokens need; repeatable', collectClaim)
    .option('--description <text>', 'a description for operators')
    .option('--label <name=value>', 'a label, such as team=payments; repeatable', collectLabel);
}

type ClaimValues = Readonly<Record<string, readonly string[]>>;

/** `tenant=acme` as a required claim; a name that is given again allows each of its values. */
function collectClaim(text: string, claims: ClaimValues = {}): ClaimValues {
  const index = text.lastIndexOf('=');
  const name = text.slice(0, Math.max(index, 0));
  if (name === '' || name === '__proto__') throw new InvalidArgumentError('The form is NAME=VALUE.');
  return { ...claims, [name]: [...(Object.hasOwn(claims, name) ? (claims[name] ?? []) : []), text.slice(index + 1)] };
}

const notes = `Keys at an address are fetched by the service; a key that the issuer no longer shows is refused soon after. Its
tokens stand for nobody until a credential of method jwt names it: "credential issue --method jwt".
Algorithms: ${jwtAlgorithms.join(', ')}.
At most ${String(MAX_ISSUERS)} issuers, each of ${String(MAX_ISSUER_KEYS)} keys and ${String(MAX_AUDIENCES)} audiences; a clock may differ by ${String(MAX_ISSUER_SKEW_SECONDS)} seconds.
${labelBounds} ${textBounds}`;

/** The same flags with the keys of `--jwks` in place of its file. Throws {@link UsageError}, which repeats no key. */
function withKeys<F extends IssuerFlags>(flags: F): Omit<F, 'jwks'> {
  const { jwks: source, ...rest } = flags;
  if (source === undefined) return rest;
  const set = readJwkSetText(readPublicText('--jwks', source, MAX_JWKS_BYTES, 'a JWK set'));
  if ('fault' in set) throw new UsageError(describeKeyFault('--jwks', set));
  const [wrong] = set.faults;
  if (wrong !== undefined) throw new UsageError(`--jwks: key ${String(wrong.index + 1)} ${wrong.fault}`);
  if (set.keys.length === 0) throw new UsageError('--jwks: this has no key that verifies tokens');
  return { ...rest, ...declareIssuerKeys({ kind: 'jwks', keys: set.keys }) };
}

function registerAdd(noun: Command, context: CommandContext): void {
  const command = addIssuerFlags(
    noun.command('add').description('Add an issuer.').argument('<id>', 'its id: a-z, 0-9 and "-"', parseId),
  ).option('--disabled', 'refuse its tokens until "issuer enable"');
  addChangeAction(command, context, {
    notes,
    examples: [
      'postern issuer add partner-idp --issuer https://idp.partner.example --jwks-uri https://idp.partner.example/keys --audience https://api.example.com',
      'postern issuer add batch --issuer batch.partner.example --jwks keys.json --audience https://api.example.com --algorithm ES256',
    ],
    exits: { conflict: 'taken, or another issuer has its "iss"' },
    plan: async ({ resources }, flags: IssuerFlags, id: string) => {
      const wish = { ...wishOf(withKeys(flags), fields), ...(flags.disabled === true ? { enabled: false } : {}) };
      return {
        changes: changesOf(planNewIssuer(id, wish, await listIssuers(resources)), fields),
        done: `Issuer ${id} added${flags.disabled === true ? ', disabled' : ''}.`,
      };
    },
  });
}

function registerSet(noun: Command, context: CommandContext): void {
  const command = addIssuerFlags(
    noun.command('set').description('Change an issuer: only what is given changes.'),
  ).option(
    '--unset <flag>',
    `remove the value of ${clearable.join(', ')} or label.NAME; repeatable`,
    unsetCollector(fields, clearable),
  );
  addResourceAction<'issuer', IssuerFlags>(command, context, 'issuer', {
    notes: `${notes}\n--label changes one label. Each other flag replaces all that it gave before.`,
    examples: [
      'postern issuer set partner-idp --audience https://api.example.com --audience https://api2.example.com',
      'postern issuer set partner-idp --required-claim tenant=acme --unset clock-skew',
    ],
    exits: { conflict: 'changed by others, or another issuer has its "iss"' },
    plan: async (current, flags, { resources }) => ({
      changes: changesOf(
        planIssuerEdit(current, changeWishOf(withKeys(flags), fields), await listIssuers(resources)),
        fields,
      ),
      done: `Issuer ${current.resource.id} changed.`,
      already: `Issuer ${current.resource.id} is so already.`,
    }),
  });
}

function registerRemove(noun: Command, context: CommandContext): void {
  const command = noun.command('remove').description('Remove an issuer that no credential names.');
  addResourceAction(command, context, 'issuer', {
    isAsking: true,
    notes: 'While credentials name it, it is kept, and they are listed. To refuse its tokens, use "issuer disable".',
    examples: ['postern issuer remove partner-idp', 'postern issuer remove partner-idp --yes --dry-run'],
    exits: { conflict: 'changed by others, or credentials name it' },
    plan: async (current, _flags, { resources }) => ({
      changes: changesOf(await planIssuerDeletion(current, resources), fields),
      question: `Remove the issuer ${current.resource.id}?`,
      done: `Issuer ${current.resource.id} removed.`,
    }),
  });
}

function describeKeys({ keys }: Issuer): string {
  return keys.kind === 'uri' ? keys.jwksUri : `${String(keys.keys.length)} of its own`;
}

const view: ListView<Stored<Issuer>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'ISSUER', cell: ({ resource }) => resource.issuer, canShrink: true },
    { heading: 'KEYS', cell: ({ resource }) => describeKeys(resource), canShrink: true },
    { heading: 'LABELS', cell: ({ resource }) => describeLabels(resource.labels) || '-', canShrink: true },
    {
      heading: 'STATE',
      cell: ({ resource }) => (resource.enabled ? 'enabled' : 'disabled'),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareWholeIssuer(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such issuer. "postern issuer add" adds one.',
};

function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the issuers, in the order of their ids.')
    .option('--label <name=value>', 'those with this label; repeatable', collectLabel);
  addReadAction(command, context, {
    examples: ['postern issuer list', 'postern issuer list --label team=payments -o json'],
    show: async ({ resources }, { label = {}, output }: StoreFlags & { readonly label?: LabelSelector }) => {
      const isWanted = ({ resource }: Stored<Issuer>): boolean => carries(resource.labels, label);
      await printList(selectFrom(resources.list('issuer'), isWanted, undefined), view, output, context.terminal);
    },
  });
}

function registerShow(noun: Command, context: CommandContext): void {
  const command = noun.command('show').description('Show an issuer.').argument('<id>', 'its id', parseId);
  addReadAction(command, context, {
    examples: ['postern issuer show partner-idp', 'postern issuer show partner-idp -o yaml'],
    exits: { notFound: 'no such issuer' },
    show: async ({ resources }, { output }: StoreFlags, id: string) => {
      const { terminal, clock } = context;
      const stored = await requireResource(resources, 'issuer', id);
      if (output !== 'table') {
        terminal.out.write(formatData({ ...declareWholeIssuer(stored.resource), ...declareVersion(stored) }, output));
        return;
      }
      const { resource } = stored;
      const { issuer, audiences, algorithms, clockSkewSeconds, requiredClaims, description, labels } = resource;
      const claims = Object.entries(requiredClaims).map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : value.join(' or ')}`,
      );
      const shown = [
        ['issuer', issuer] as const,
        ['keys', keyLines(resource)] as const,
        ['audiences', audiences] as const,
        ['algorithms', algorithms.length === jwtAlgorithms.length ? 'all' : algorithms.join(', ')] as const,
        ['clock skew', `${String(clockSkewSeconds)} s`] as const,
        ['claims', claims.length === 0 ? null : claims] as const,
        ['description', description || null] as const,
        ['labels', describeLabels(labels) || null] as const,
        ...versionFields(stored, clock.nowSeconds()),
      ];
      printFields(`issuer ${id}${resource.enabled ? '' : ' (disabled)'}`, shown, terminal);
    },
  });
}

function keyLines({ keys }: Issuer): string | readonly string[] {
  if (keys.kind === 'uri') return keys.jwksUri;
  return keys.keys.map(({ kid, publicKey }) => `${kid ?? 'without kid'}: ${publicKey.description}`);
}
