import { isUtf8 } from 'node:buffer';
import { describeKeyFault, PRIVATE_KEY_FAULT } from '../../model/public-key/public-key-fault.ts';
import { PublicKey } from '../../model/public-key/public-key.ts';
import { isMarkedPrivate, MAX_PUBLIC_KEY_CHARACTERS, readPublicKey } from '../../model/public-key/read-public-key.ts';
import { UsageError } from '../failure.ts';
import { readBytes } from './read-bytes.ts';

/** The flags that say which public key a credential gets. */
export interface PublicKeyFlags {
  readonly publicKey?: string;
  readonly kid?: string;
}

const FLAG = '--public-key';

/** What a key would be if it were given in place of a file. */
const NO_PATH = /[\r\n{]|^-./;

/**
 * The key of `--public-key FILE|-` and `--kid`; null where none is given. Throws {@link UsageError}, which repeats
 * nothing of a key, also where it was given in place of the file.
 */
export function readPublicKeyFlags({ publicKey: source, kid }: PublicKeyFlags): PublicKey | null {
  if (source === undefined) {
    if (kid === undefined) return null;
    throw new UsageError(`--kid chooses a key of the set that ${FLAG} reads; give both, or neither`);
  }
  const read = readPublicKey(readPublicText(FLAG, source, MAX_PUBLIC_KEY_CHARACTERS, 'PEM or JWK'), kid);
  if (read instanceof PublicKey) return read;
  throw new UsageError(describeKeyFault(FLAG, read));
}

/**
 * The text of a file that holds a public key or a certificate; `-` is standard input. Throws {@link UsageError}, which
 * repeats nothing of a key, also where it was given in place of the file.
 */
export function readPublicText(flag: string, source: string, maxBytes: number, form = 'PEM'): string {
  if (isMarkedPrivate(source)) throw new UsageError(describeKeyFault(flag, PRIVATE_KEY_FAULT));
  if (NO_PATH.test(source)) throw new UsageError(`${flag} takes a file, or - for standard input, not the key itself`);
  const shown = source === '-' ? 'standard input' : source;
  const bytes = readBytes(source, maxBytes);
  if (typeof bytes === 'string') throw new UsageError(`${flag}: ${shown} cannot be read (${bytes})`);
  if (!isUtf8(bytes)) throw new UsageError(`${flag}: ${shown} is not text; give the key as ${form}`);
  return bytes.toString('utf8');
}
