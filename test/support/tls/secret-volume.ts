import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Certified } from '../grpc/certificate.ts';

/** What the Secret of a certificate holds, with the names that cert-manager gives. */
export interface SecretContent {
  readonly own: Certified;
  /** Authorities as PEM, one after the other. */
  readonly ca: string;
}

/** A folder whose files change all at once, by turning one link, as those of a mounted Kubernetes Secret do. */
export interface SecretVolume {
  readonly path: string;
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  /** Changes what the Secret holds; what is left out stays. */
  update(content: Partial<SecretContent>): Promise<void>;
}

/** Mounts a Secret at a path. */
export async function mountSecret(path: string, content: SecretContent): Promise<SecretVolume> {
  let present = content;
  let version = 0;
  const publish = async (): Promise<void> => {
    version += 1;
    const name = `..${String(version)}`;
    await mkdir(join(path, name), { recursive: true });
    await writeFile(join(path, name, 'tls.crt'), present.own.cert);
    await writeFile(join(path, name, 'tls.key'), present.own.key);
    await writeFile(join(path, name, 'ca.crt'), present.ca);
    await symlink(name, join(path, '..data_tmp'));
    await rename(join(path, '..data_tmp'), join(path, '..data'));
  };
  await publish();
  for (const name of ['tls.crt', 'tls.key', 'ca.crt']) await symlink(`..data/${name}`, join(path, name));
  return {
    path,
    certificate: join(path, 'tls.crt'),
    key: join(path, 'tls.key'),
    ca: join(path, 'ca.crt'),
    update: async (next) => {
      present = { ...present, ...next };
      await publish();
    },
  };
}
