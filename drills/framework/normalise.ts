/**
 * Takes out of what a drill printed whatever differs from one run to the next: times, ids, keys, ports, paths, figures.
 * What is left must be the same each time, and stands in drills/recorded as it was printed once.
 */
export function normalise(text: string): readonly string[] {
  const keyIds: string[] = [];
  const lines = text.split('\n').map((line) =>
    line
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
      .replaceAll(/\((?:now|\d+ \w+ ago)\)/g, '(AGO)')
      .replaceAll(/\bk\d{8}-[0-9a-f]{6}\b/g, (id) => {
        if (!keyIds.includes(id)) keyIds.push(id);
        return `KEY-${String(keyIds.indexOf(id) + 1)}`;
      })
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'REQUEST-ID')
      .replaceAll(/\b[0-9a-f]{32}\b/g, 'APP-KEY')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
      .replaceAll(/\/tmp\/[\w/.-]+/g, 'FOLDER')
      .replaceAll(/\b\d+ × /g, 'N × ')
      .replaceAll(/\b\d+ requests\b/g, 'N requests')
      .replaceAll(/\b\d+\/s\b/g, 'RATE')
      .replaceAll(/\b\d+(\.\d+)? ?(ms|s|min|minutes?|h|hours?)\b/g, 'DURATION')
      .replaceAll(/ {2,}/g, ' ')
      .trimEnd(),
  );
  return lines.filter((line) => line !== '');
}
