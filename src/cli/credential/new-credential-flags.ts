import { type Command, Option } from 'commander';
import { authenticationMethods } from '../../model/endpoint.ts';
import { parseId } from '../flags/parse-id.ts';
import { type Moment, momentAhead, parseMoment } from '../flags/parse-moment.ts';

/** The flags of a credential to be made, generated or imported. */
export interface NewCredentialFlags {
  readonly consumer: string;
  readonly id?: string;
  readonly notBefore?: Moment;
  readonly expires?: Moment;
  readonly hashOnly?: true;
}

/** Adds the flags that `issue` and `import` share, without `--method`. */
export function addNewCredentialFlags(command: Command): Command {
  return command
    .addOption(new Option('--consumer <id>', 'who gets it').argParser(parseId).makeOptionMandatory())
    .option('--id <id>', 'its id; CONSUMER-METHOD-… without it', parseId)
    .option('--not-before <time>', 'works from then on: 2027-01-01T00:00:00Z, or 7d from now', parseMoment)
    .option('--expires <time>', 'works until then: 2027-01-01T00:00:00Z, or 90d from now', parseMoment)
    .option('--hash-only', 'key only: keep no more than the hash of the App Key, so that nobody can look it up');
}

/** `--method`, with its choices. */
export function methodOption(): Option {
  return new Option('--method <method>', 'the authentication method it is for').choices(authenticationMethods);
}

/** When the credential begins and ends to work. */
export function lifetimeOf(
  { notBefore, expires }: Pick<NewCredentialFlags, 'notBefore' | 'expires'>,
  nowSeconds: number,
): { readonly notBefore: number | null; readonly expiresAt: number | null } {
  return {
    notBefore: notBefore === undefined ? null : momentAhead(notBefore, nowSeconds),
    expiresAt: expires === undefined ? null : momentAhead(expires, nowSeconds),
  };
}
