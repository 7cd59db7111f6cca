import { fileURLToPath } from 'node:url';

/** Files of this package that the demo runs, found from where the program itself is, in a clone and when installed. */
export const packageFiles = {
  envoyYaml: pathOf('envoy.yaml'),
  document: pathOf('examples/demo/postern.yaml'),
  deploy: pathOf('deploy'),
  rateLimitEnvironment: pathOf('deploy/ratelimit/ratelimit.env'),
  rateLimitMapper: pathOf('deploy/ratelimit/mapper.yaml'),
  redisConf: pathOf('deploy/ratelimit/redis.conf'),
} as const;

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
