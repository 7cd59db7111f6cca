// Where values of the chart go into an object that kustomize made. What is replaced must be there: a manifest that
// changes its form fails here, and does not lose a value in silence.

const settings = ['postern', 'postern-manage'];

/** The template of an object, with the values of the chart in it. */
export function substitute({ kind, name }, template) {
  const text = inAll(template);
  if (kind === 'ConfigMap' && settings.includes(name)) return withSettings(name, text);
  return (own.get(`${kind} ${name}`) ?? ((same) => same))(text);
}

function inAll(template) {
  return template
    .replace(/^( +namespace): postern$/gm, '$1: {{ .Release.Namespace }}')
    .replace(/^( +kubernetes\.io\/metadata\.name): postern$/gm, '$1: {{ .Release.Namespace }}')
    .replace(/^( +(?:- )?image): postern:.*$/gm, '$1: {{ include "postern.image" . }}')
    .replace(
      /^( +(?:- )?image): (?!\{\{)(.*\/)?([\w-]+)(:.*)$/gm,
      '$1: {{ index .Values.images "$3" | default "$2$3$4" }}',
    )
    .replace(
      /^( +)enableServiceLinks: false$/gm,
      (found, spaces) => `${found}\n{{- include "postern.placement" . | nindent ${spaces.length} }}`,
    );
}

/** One place, exactly once. */
function once(text, found, instead) {
  const count = text.match(new RegExp(found.source, `${found.flags}g`))?.length ?? 0;
  if (count !== 1) throw new Error(`${found} is there ${count} times, not once, in:\n${text}`);
  return text.replace(found, instead);
}

/** The lines below `data:` become defaults, which values override. */
function withSettings(name, text) {
  const [, data] = /^data:\n((?: {2}.*\n|\{\{.*\n)*?)kind:/m.exec(text);
  const defaults = data.replace(/^ {2}/gm, '');
  return `{{- define "${name}.defaults" }}\n${defaults}{{- end }}\n${once(
    text,
    /^data:\n(?: {2}.*\n|\{\{.*\n)*?(?=kind:)/m,
    `data:\n{{- include "${name}.settings" . | nindent 2 }}\n`,
  )}`;
}

const withChecksum = (name) => (text) =>
  once(
    text,
    /^ {2}template:\n {4}metadata:\n/m,
    `$&      annotations:\n        checksum/settings: {{ include "${name}.settings" . | sha256sum }}\n`,
  );

const hook = (weight, policy) => (text) =>
  once(
    text,
    /^metadata:\n/m,
    `$&  annotations:\n    helm.sh/hook: pre-install,pre-upgrade\n    helm.sh/hook-weight: "${weight}"\n    helm.sh/hook-delete-policy: ${policy}\n`,
  );

function deployment(text) {
  const withMemory = once(
    text,
    /--max-old-space-size=(\d+)/,
    (_, mebibytes) => `--max-old-space-size={{ .Values.maxOldSpaceMebibytes | default ${mebibytes} }}`,
  );
  const [block, lines] = /^ {8}resources:\n((?: {10}.*\n)+)/m.exec(withMemory);
  const resources = `        resources:\n{{- include "postern.resources" . | nindent 10 }}\n`;
  const defaults = `{{- define "postern.defaultResources" }}\n${lines.replace(/^ {10}/gm, '')}{{- end }}\n`;
  return defaults + withChecksum('postern')(withMemory.replace(block, resources));
}

function autoscaler(text) {
  return ['minReplicas', 'maxReplicas', 'averageUtilization'].reduce(
    (before, field) =>
      once(before, new RegExp(`^( +${field}): (\\d+)$`, 'm'), `$1: {{ .Values.autoscaling.${field} | default $2 }}`),
    text,
  );
}

/** Peers of the values stand before those of the base. */
function networkPolicy(text) {
  const [start, rest] = [text.slice(0, text.indexOf('  ingress:\n')), text.slice(text.indexOf('  ingress:\n'))];
  const list = (value, indent) =>
    `{{- with .Values.networkPolicy.${value} }}\n{{- toYaml . | nindent ${indent} }}\n{{- end }}\n`;
  const withEgress = once(start, /^ {2}egress:\n/m, `$&${list('egress', 2)}`);
  return withEgress + rest.replace(/^ {2}- from:\n/m, `$&${list('envoys', 4)}`);
}

/** Before the first install there is no account: the Job takes the namespace's, without its token. */
const schemaJob = (text) => hook(0, 'before-hook-creation')(once(text, /^ +serviceAccountName: postern\n/m, ''));

const own = new Map([
  ['Deployment postern', deployment],
  ['Deployment postern-manage', withChecksum('postern-manage')],
  ['HorizontalPodAutoscaler postern', autoscaler],
  ['NetworkPolicy postern', networkPolicy],
  ['NetworkPolicy postern-schema', hook(-1, 'before-hook-creation,hook-succeeded')],
  ['Job postern-schema', schemaJob],
]);
