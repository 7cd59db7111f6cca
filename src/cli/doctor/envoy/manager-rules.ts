import { identityNameSamples } from '../../../check/receive/forged-headers.ts';
import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn, type JsonObject, listIn, numberIn, textIn } from '../../../model/document/json.ts';
import type { PosternChain } from './filter-chain.ts';
import { removesHeader } from './header-mutations.ts';

/** Headers that only Envoy may set, and what callers gain by setting them where it does not. */
const marksOfEnvoy = [
  ['x-envoy-auth-partial-body', 'a body can be passed off as cut, or as whole'],
  [
    'x-envoy-external-address',
    'where Envoy takes callers for internal ones, they choose the address that guesses at the token endpoint are counted by',
  ],
] as const;

/** Settings of the connection manager: the target byte for byte, the caller's own identity headers gone. */
export function inspectManager({ manager }: PosternChain): readonly Finding[] {
  return [
    ...inspectTarget(manager.name, manager.settings),
    ...inspectIdentityHeaders(manager.name, manager.settings),
    ...inspectCallers(manager.name, manager.settings),
    ...inspectAccessLog(manager.name, manager.settings),
    ...inspectLocalReplies(manager.name, manager.settings),
  ];
}

function inspectTarget(name: string, settings: JsonObject): readonly Finding[] {
  const found = findingsAbout(`${name}: request target`);
  found.faultIf(flagIn(settings, 'normalize_path') || flagIn(settings, 'merge_slashes'), {
    message: 'normalize_path or merge_slashes is on: Postern sees another path than the partner signed',
    advice: 'set both to false; Postern refuses paths that are not in normal form',
  });
  for (const setting of ['strip_matching_host_port', 'strip_any_host_port', 'strip_trailing_host_dot']) {
    found.warnIf(flagIn(settings, setting), {
      message: `${setting} changes the authority before Postern sees it: signatures over the host as it was sent get 401`,
      advice: `remove ${setting}, or leave it so where no partner signs the host`,
    });
  }
  const escaped = textIn(settings, 'path_with_escaped_slashes_action') ?? 'KEEP_UNCHANGED';
  found.faultIf(escaped !== 'KEEP_UNCHANGED' && escaped !== 'IMPLEMENTATION_SPECIFIC_DEFAULT', {
    message: `path_with_escaped_slashes_action is ${escaped}: Postern does not see the path that was sent`,
    advice: 'set path_with_escaped_slashes_action: KEEP_UNCHANGED',
  });
  return found.all;
}

function inspectIdentityHeaders(name: string, settings: JsonObject): readonly Finding[] {
  const mutations = listIn(settings, 'early_header_mutation_extensions').flatMap((extension) =>
    listIn(extension, 'typed_config', 'mutations'),
  );
  const isRemoved = (header: string): boolean => mutations.some((mutation) => removesHeader(mutation, header));
  const found = findingsAbout(`${name}: identity headers`);
  const kept = identityNameSamples.filter((header) => !isRemoved(header));
  found.warnIf(kept.length > 0, {
    message: `callers' own ${kept.join(', ')} are not dropped before every filter; Postern removes them where it is asked, other routes pass them on`,
    advice: 'copy early_header_mutation_extensions from envoy.yaml',
  });
  for (const [header, consequence] of marksOfEnvoy) {
    found.warnIf(!isRemoved(header), {
      message: `a caller's own ${header} is not dropped before every filter: ${consequence}`,
      advice: 'copy early_header_mutation_extensions from envoy.yaml',
    });
  }
  return found.all;
}

function inspectCallers(name: string, settings: JsonObject): readonly Finding[] {
  const found = findingsAbout(`${name}: callers`);
  found.warnIf(!flagIn(settings, 'use_remote_address'), {
    message: 'use_remote_address is off: callers can choose the address that the token endpoint throttles by',
    advice: 'set use_remote_address: true, and xff_num_trusted_hops when a trusted proxy stands in front',
  });
  const ranges = listIn(settings, 'internal_address_config', 'cidr_ranges').map(
    (range) => `${textIn(range, 'address_prefix') ?? ''}/${String(numberIn(range, 'prefix_len') ?? 0)}`,
  );
  found.warnIf('internal_address_config' in settings, {
    message: `internal_address_config takes callers from ${ranges.join(', ') || 'loopback and all private addresses'} for internal ones: Envoy believes their x-envoy headers`,
    advice: 'remove internal_address_config: Envoy then takes nobody for internal',
  });
  found.warnIf(numberIn(settings, 'common_http_protocol_options', 'max_headers_count') === null, {
    message:
      'max_headers_count is the default of 100: requests with many headers get 500 when those of Postern come on top',
    advice: 'set common_http_protocol_options.max_headers_count: 200',
  });
  return found.all;
}

function inspectAccessLog(name: string, settings: JsonObject): readonly Finding[] {
  const text = JSON.stringify(listIn(settings, 'access_log'));
  const found = findingsAbout(`${name}: access log`);
  found.faultIf(/%DYNAMIC_METADATA\(envoy\.filters\.http\.ext_authz(:postern\.text)?\)/.test(text), {
    message: 'the access log writes all metadata of ext_authz: request bodies can get into it',
    advice: 'name single entries, such as %DYNAMIC_METADATA(envoy.filters.http.ext_authz:code)%',
  });
  return found.all;
}

/** Postern's answers are local replies too: a mapper without a filter changes them. */
function inspectLocalReplies(name: string, settings: JsonObject): readonly Finding[] {
  const mappers = listIn(settings, 'local_reply_config', 'mappers');
  const found = findingsAbout(`${name}: local replies`);
  found.warnIf(!mappers.every((mapper) => 'filter' in mapper), {
    message:
      'a mapper of local_reply_config has no filter: it rewrites the refusals of Postern, and answers that somebody configured',
    advice: 'give it a filter on response.code_details, as envoy.yaml does',
  });
  return found.all;
}
