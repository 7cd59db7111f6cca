// `npm run compose`: Postern with Envoy, MongoDB, the rate limit service and a back end in containers. docs/image.md
import { compose, manageAddress, requireCompose, startStack } from './compose/stack.mjs';
import { DockerFailure } from './image/docker.mjs';
import { makeBaseImages } from './image/local-base.mjs';
import { makeServerImages } from './image/local-servers.mjs';

const usage = `Usage: npm run compose [-- [--local] [COMMAND …]]

Runs deploy/compose/compose.yaml with Docker Compose.

  (nothing)        builds the image when it is missing, starts everything, waits until it answers, says what to try
  down             stops everything; with --volumes the database and the key ring are gone, too
  postern …        a command of Postern, such as: postern consumer list
  run --rm setup   applies examples/demo/postern.yaml again
  logs, ps, …      any other command of docker compose

  --local          makes all images here, from what npm, PyPI, Go and Debian serve, where no registry of images is reached
  --help           prints this text

IMAGE_… and PORT_… of compose.yaml put other images and ports in place.
Exit codes: 0 done · 1 it failed, and says why
`;

async function main(args) {
  if (args[0] === '--help') {
    process.stdout.write(usage);
    return 0;
  }
  const isLocal = args[0] === '--local';
  const [command = 'up', ...rest] = isLocal ? args.slice(1) : args;
  try {
    await requireCompose();
    const env = isLocal ? await makeServerImages() : {};
    if (command === 'postern') {
      await compose(['run', '--rm', '--no-deps', 'postern', 'dist/main.js', ...rest], { env });
      return 0;
    }
    if (command !== 'up' || rest.length > 0) {
      await compose([command, ...rest], { env });
      return 0;
    }
    const address = await startStack({ env, build: isLocal ? await makeBaseImages() : {} });
    const again = `npm run compose -- ${isLocal ? '--local ' : ''}`;
    process.stdout.write(`
Envoy answers at ${address}. Try:
  curl -i '${address}/orders?appKey=acme-demo-key'
  curl -i '${address}/orders?appKey=borealis-demo-key'
  curl -i ${address}/status -H 'X-Consumer-Id: acme'
Who may what: examples/demo/postern.yaml. Commands of Postern:
  ${again}postern consumer list
The management API answers at ${manageAddress()}. A token for it:
  ${again}postern operator add alice --role admin
Stop: ${again}down
`);
    return 0;
  } catch (error) {
    if (!(error instanceof DockerFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
