/**
 * Describes tests that mostly wait and do not touch each other: all run at once, before the first of them is reported,
 * and each passes or fails as one that runs alone.
 */
export function together(tests: Readonly<Record<string, () => Promise<void>>>): void {
  const results = new Map<string, PromiseSettledResult<void>>();
  before(async () => {
    await Promise.all(
      Object.entries(tests).map(async ([name, test]) => {
        const [result] = await Promise.allSettled([test()]);
        results.set(name, result);
      }),
    );
  });
  for (const name of Object.keys(tests)) {
    it(name, () => {
      const result = results.get(name);
      if (result?.status !== 'fulfilled') throw result?.reason ?? new Error('the test was not run');
    });
  }
}
