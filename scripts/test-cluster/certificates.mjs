// Authorities and certificates for the installation, as cert-manager would make them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../services/run.mjs';

async function openssl(directory, ...args) {
  const { code, stderr } = await run('openssl', args, { cwd: directory });
  if (code !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}

/** Makes an authority in a folder, and gives what signs with it. */
export async function makeAuthority(directory, name) {
  await mkdir(directory, { recursive: true });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    directory,
    'req',
    '-x509',
    ...key,
    ...['-keyout', 'ca.key', '-out', 'ca.crt', '-days', '30'],
    ...['-subj', `/CN=${name}`],
  );
  /** A certificate for host names: `{ certificate, key, authority }`, as PEM. */
  const issue = async (...hosts) => {
    const names = hosts.map((host) => `DNS:${host}`).join(',');
    const extensions = `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`;
    await writeFile(join(directory, 'extensions'), extensions);
    await openssl(directory, 'req', ...key, ...['-keyout', 'tls.key', '-out', 'tls.csr', '-subj', `/CN=${hosts[0]}`]);
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'extensions'];
    await openssl(directory, 'x509', '-req', '-in', 'tls.csr', ...signed, '-out', 'tls.crt');
    const read = (file) => readFile(join(directory, file), 'utf8');
    return { certificate: await read('tls.crt'), key: await read('tls.key'), authority: await read('ca.crt') };
  };
  return { issue };
}
