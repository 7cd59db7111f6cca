import { fault, type Finding, warning } from '../../../base/finding.ts';
import { readConfigDump } from './envoy-config.ts';
import { inspectEnvoy, type Known } from './inspect-envoy.ts';
import { type EnvoyFile, readEnvoyFile } from './read-envoy-file.ts';

const ADVICE = 'give the file that Envoy is started with (envoy -c), or what its admin address answers to /config_dump';
const ASK_ENVOY = 'look at a running Envoy too (--envoy), or at its config dump';

/** Looks through a file of Envoy's configuration by the rules for a running Envoy. Never throws, whatever the text. */
export function inspectEnvoyFile(file: EnvoyFile, known: Known): readonly Finding[] {
  const subject = `Envoy file ${file.name}`;
  const read = readEnvoyFile(file);
  if ('problem' in read) return [fault(subject, read.problem, ADVICE)];
  const { dump, elsewhere } = read;
  const withoutRoutes = readConfigDump(dump).managers.filter(
    ({ settings, routes }) => 'rds' in settings && routes.length === 0,
  );
  return [
    ...inspectEnvoy(dump, { ...known, live: null }),
    ...withoutRoutes.map(({ name }) =>
      warning(name, 'its routes come from elsewhere (rds): they are not looked through', ASK_ENVOY),
    ),
    ...(elsewhere.length === 0
      ? []
      : [
          warning(
            subject,
            `${elsewhere.join(', ')} come from elsewhere (dynamic_resources): they are not looked through`,
            ASK_ENVOY,
          ),
        ]),
  ];
}
