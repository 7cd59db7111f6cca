import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { dockerOutput } from '../../../scripts/image/docker.mjs';

/** Marks containers of tests, so that what a run that broke off left behind can be found and removed. */
export const testLabel = 'postern-test';

/** A container with a read-only file system, no capability and no way to get one, as production runs it. */
export class HardenedContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
    this.withDroppedCapabilities('ALL')
      .withSecurityOpt('no-new-privileges')
      .withLabels({ [testLabel]: 'true' });
  }
}

/**
 * Starts `postern serve` in such a container, with a folder that holds its postern.yaml, and waits until it is ready.
 */
export async function startHardened(image: string, folder: string): Promise<StartedTestContainer> {
  return await new HardenedContainer(image)
    .withBindMounts([{ source: folder, target: '/etc/postern', mode: 'ro' }])
    .withEnvironment({ POSTERN_STORE: 'file:/etc/postern/postern.yaml' })
    .withExposedPorts(9001, 9002, 9003)
    .withWaitStrategy(Wait.forLogMessage(/"message":"ready"/))
    .start();
}

/** Sends SIGTERM to a container, and gives its exit code when it has ended. */
export async function exitCodeAfterStop(container: StartedTestContainer): Promise<number> {
  await dockerOutput(['stop', '--time', '30', container.getId()]);
  return Number(await dockerOutput(['inspect', '--format', '{{.State.ExitCode}}', container.getId()]));
}
