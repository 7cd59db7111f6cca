import { type Command, Option } from 'commander';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { materialFacts } from '../../model/material.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import type { Change } from '../../resources/changes/change.ts';
import { type HandedOver, planCredential } from '../../resources/changes/issue-credential.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { declareGiven, givenFields } from '../../resources/credential-fields.ts';
import { materialKindIn } from '../../resources/credential-material.ts';
import type { Declared } from '../../resources/declared.ts';
import type { CommandContext } from '../command.ts';
import { changesOf, type FieldFlags, flagsOfRows, wishOf } from '../flags/fields.ts';
import { knownByFields } from '../flags/known-by.ts';
import { parseMoment } from '../flags/times.ts';
import { collect, parseId } from '../flags/values.ts';

/** The flags of a new credential, whatever it proves with. */
export interface NewCredentialFlags {
  readonly consumer: string;
  readonly id?: string;
  readonly hashOnly?: true;
}

/** Adds the flags that `issue` and `import` share, without `--method`. */
export function addNewCredentialFlags(command: Command): Command {
  command
    .requiredOption('--consumer <id>', 'the consumer who gets it', parseId)
    .option('--id <id>', 'its id; CONSUMER-METHOD-… when left out', parseId);
  for (const field of givenFields) command.option(field.flag, field.help, parserOf(field));
  return command.option(
    '--hash-only',
    'key only: store only the hash of the App Key, so that it cannot be shown again',
  );
}

/** Reads the value of a flag: a moment, which counts from when the command runs, any text, or one of several. */
export function parserOf({ isTime, isList }: (typeof givenFields)[number]): (text: string, former: unknown) => unknown {
  if (isList) return (text, former) => collect(text, former as readonly string[] | undefined);
  return isTime ? parseMoment : String;
}

/** `--method`, with its choices. */
export function methodOption(): Option {
  return new Option('--method <method>', 'the authentication method it is for').choices(authenticationMethods);
}

/** The flags of the fields that a new credential can be given. */
const givenFlags = flagsOfRows(givenFields);

const fields: FieldFlags = {
  id: '--id',
  method: '--method',
  methods: '--method',
  appKey: '--app-key',
  appKeyHash: '--hash-only',
  appSecret: '--secret-from',
  publicKey: '--public-key',
  ...knownByFields,
  ...givenFlags,
};

/** Plans the credential that the flags describe. */
export async function planNew(
  { consumer: consumerId, hashOnly, ...flags }: NewCredentialFlags,
  methods: readonly AuthenticationMethod[],
  {
    appKey,
    appSecret,
    publicKey,
    knownBy,
  }: HandedOver & { readonly publicKey: PublicKey | null; readonly knownBy: Declared | null },
  store: ResourceStore,
  { clock }: CommandContext,
): Promise<{ readonly id: string; readonly changes: readonly Change[] }> {
  const nowSeconds = clock.nowSeconds();
  const wish = {
    id: flags.id ?? null,
    consumerId,
    methods,
    appKey,
    appSecret,
    publicKey,
    keepsHashOnly: hashOnly === true,
    fields: { ...declareGiven(wishOf(flags, givenFlags), nowSeconds), ...knownBy },
  };
  const { id, planned } = await planCredential(wish, store, nowSeconds);
  const isKey = materialFacts[materialKindIn({ methods })].appKey === 'secret';
  return { id, changes: changesOf(planned, isKey ? { ...fields, appKey: '--secret-from' } : fields) };
}
