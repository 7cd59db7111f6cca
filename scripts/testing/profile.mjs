// `npm test -- --profile`: where the time went.

const columns = ['wall', 'cpu', 'waiting', 'hooks'];
const shownFiles = 20;
const shownPrograms = 12;

const cell = (value) => value.toFixed(1).padStart(9);
const sum = (values) => values.reduce((left, right) => left + right, 0);

/** Seconds by kind; waiting is the wall time in which neither the process nor what it started used a processor. */
function secondsOf({ wallSeconds, processorSeconds, hookSeconds }) {
  return {
    wall: wallSeconds,
    cpu: processorSeconds,
    waiting: Math.max(0, wallSeconds - processorSeconds),
    hooks: hookSeconds,
  };
}

const line = (name, seconds, rest) => `${columns.map((key) => cell(seconds[key])).join('')}  ${rest}  ${name}`;

function programsText(measured) {
  const counts = {};
  for (const { started } of measured)
    for (const [name, count] of Object.entries(started)) counts[name] = (counts[name] ?? 0) + count;
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return sorted
    .slice(0, shownPrograms)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/**
 * The table of measured files `{ suite, file, passed, measured }`: by suite, and the dearest files; seconds throughout.
 * Hooks are set-up and tear-down. What a program started by a test starts itself is not counted as started.
 */
export function profileText(files) {
  const measured = files.filter((each) => each.measured !== null);
  const total = (group) => {
    const all = group.map((each) => secondsOf(each.measured));
    return Object.fromEntries(columns.map((key) => [key, sum(all.map((each) => each[key]))]));
  };
  const heading = `${columns.map((key) => key.padStart(9)).join('')}  tests  `;
  const tests = (group) => String(sum(group.map(({ passed }) => passed))).padStart(5);
  const bySuite = groupBySuite(measured);
  const dearest = [...measured].sort((a, b) => b.measured.wallSeconds - a.measured.wallSeconds).slice(0, shownFiles);
  return [
    `${heading}suite`,
    ...[...bySuite].map(([name, group]) => line(name, total(group), tests(group))),
    line('all', total(measured), tests(measured)),
    '',
    `${heading}the ${dearest.length} dearest files`,
    ...dearest.map((each) => line(each.file, total([each]), tests([each]))),
    '',
    ...[...bySuite].map(([name, group]) => `started in ${name}: ${programsText(group.map((each) => each.measured))}`),
  ].join('\n');
}

function groupBySuite(files) {
  const groups = new Map();
  for (const each of files) groups.set(each.suite, [...(groups.get(each.suite) ?? []), each]);
  return groups;
}
