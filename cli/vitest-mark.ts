/** Begins the line in which a process of its own says what vitest's configuration says. */
export const VITEST_MARK = 'detsim-vitest: ';
