import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findServices } from '../../../services/install-services.mjs';

/** The programs of one installation of Prometheus. */
export async function prometheusPrograms(): Promise<{ readonly prometheus: string; readonly promtool: string }> {
  const { prometheus } = await findServices(['prometheus']);
  if (prometheus === null) throw new Error('Prometheus is not installed: scripts/install-services prometheus');
  return { prometheus, promtool: join(dirname(await realpath(prometheus)), 'promtool') };
}
