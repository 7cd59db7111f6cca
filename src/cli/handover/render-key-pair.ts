import { block, code } from '../../model/document/markdown.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';

/** Where the commands of the page write the private key, and its samples expect it. */
export const PRIVATE_KEY_FILE = 'private.pem';

const OPENSSL = `(umask 077; openssl genpkey -algorithm ed25519 -out ${PRIVATE_KEY_FILE})
openssl pkey -in ${PRIVATE_KEY_FILE} -pubout -out public.pem`;

/** Windows has OpenSSH, and no openssl. Its ssh-keygen writes Ed25519 only in a form of its own. */
const POWERSHELL = `ssh-keygen -q -t ecdsa -b 256 -m PKCS8 -f ${PRIVATE_KEY_FILE}
ssh-keygen -e -m PKCS8 -f ${PRIVATE_KEY_FILE} | Out-File -Encoding ascii public.pem`;

/** How a partner makes a key pair, what of it is sent, and that the rest never is. */
export function renderKeyPair({ thumbprint }: PublicKey): readonly string[] {
  return [
    '## Your key pair',
    `You made it and sent us its public key, so go on below. This is how to make the next one, or the first again where its private key is lost. On Linux and macOS:`,
    block(OPENSSL, 'sh'),
    'In PowerShell on Windows, where the two empty answers mean no passphrase:',
    block(POWERSHELL, 'powershell'),
    `Send us ${code('public.pem')}, and no other file. The private key never leaves your machine: we do not ask for it, and whoever has it calls as you. We answer with this page, whose thumbprint is then another one than ${code(thumbprint)}.`,
  ];
}
