import type { Environment } from '../../base/environment.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';
import { parseToken, settings } from '../../gateway/config.ts';
import { Secret } from '../../model/secret.ts';
import { UsageError } from '../failure.ts';

/** Longer than any token. */
const MAX_FILE_BYTES = 64 * 1024;

/**
 * The token of the person who calls the management API: that of `POSTERN_TOKEN`, of the file of `POSTERN_TOKEN_FILE`,
 * or of who signed in. Rejects with `UsageError`, which repeats nothing of it, and as
 * `storedToken` does where a sign-in has ended.
 */
export async function findToken(origin: string, environment: Environment): Promise<Secret> {
  const { token, tokenFile } = settings;
  const [text = '', path = ''] = [environment[token.name], environment[tokenFile.name]];
  if (text !== '' && path !== '') throw new UsageError(`${token.name} and ${tokenFile.name}: give one of them`);
  if (text !== '') return read(text, token.name);
  if (path !== '') {
    const file = await readWholeFile(path, MAX_FILE_BYTES);
    if (file.kind === 'read') return read(file.text.trim(), tokenFile.name);
    throw new UsageError(`${tokenFile.name}: ${file.kind === 'faulty' ? file.message : 'the file keeps changing'}`);
  }
  const { storedToken } = await import('../login/stored-session.ts');
  const stored = await storedToken({ store: new URL(origin), environment });
  if (stored !== undefined) return Secret.fromText(stored);
  throw new UsageError(
    `nobody is signed in at ${origin}: "postern login" does that, or set ${token.name} to the token of an operator`,
  );
}

function read(text: string, name: string): Secret {
  const parsed = parseToken(text);
  if (parsed instanceof Secret) return parsed;
  throw new UsageError(`${name}: ${parsed.fault}`);
}
