import { isUtf8 } from 'node:buffer';
import { findOthersAccess } from '../../base/files/read-whole-file.ts';
import { MAX_PRIVATE_KEY_CHARACTERS, type PrivateKey, readPrivateKey } from '../../check/signing/private-key.ts';
import { describeKeyFault } from '../../model/public-key/public-key-fault.ts';
import { isMarkedPrivate } from '../../model/public-key/read-public-key.ts';
import { UsageError, writeSafely } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { readBytes } from './read-bytes.ts';

const FLAG = '--private-key';
/** What a key would be if it were given in place of a file. */
const NO_PATH = /[\r\n{]|^-./;

/**
 * The key of `--private-key FILE|-`. Warns of a file that others have access to. Throws {@link UsageError}, which
 * repeats nothing of a key, also where it was given in place of the file.
 */
export async function readPrivateKeyFlag(source: string, { err }: Pick<Terminal, 'err'>): Promise<PrivateKey> {
  if (isMarkedPrivate(source) || NO_PATH.test(source)) {
    throw new UsageError(`${FLAG} takes a file, or - for standard input, never the key itself`);
  }
  const shown = source === '-' ? 'standard input' : source;
  const bytes = readBytes(source, MAX_PRIVATE_KEY_CHARACTERS);
  if (typeof bytes === 'string') throw new UsageError(`${FLAG}: ${shown} cannot be read (${bytes})`);
  const read = isUtf8(bytes) ? readPrivateKey(bytes.toString('utf8')) : { fault: 'is not text; give it as PEM or JWK' };
  if ('fault' in read) throw new UsageError(describeKeyFault(`${FLAG} ${shown}`, read));
  const mode = source === '-' ? null : await findOthersAccess(source);
  if (mode !== null) {
    const what = `others than its owner have access to this private key (mode ${mode}); chmod it to 0600 or 0400`;
    writeSafely(err, `warning: ${source}: ${what}\n`);
  }
  return read;
}
