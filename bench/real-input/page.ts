/** The page that says how many diagnostics on real packages are right. */

export type Verdict = 'true' | 'false' | 'not judged';

/** A diagnostic that a person has read with the code around it. */
export interface Judged {
  readonly package: string;
  readonly code: string;
  readonly file: string;
  /** The line it begins on. */
  readonly text: string;
  readonly verdict: 'true' | 'false';
  /** Why it is false. */
  readonly why?: string;
}

export interface PackageResult {
  readonly name: string;
  readonly version: string;
  readonly files: number;
  readonly verdicts: readonly Verdict[];
}

export function renderPage(results: readonly PackageResult[], judged: readonly Judged[]): string {
  const count = ({ verdicts }: PackageResult, verdict: Verdict): number =>
    verdicts.filter((one) => one === verdict).length;
  const sum = (verdict: Verdict): number => results.reduce((n, one) => n + count(one, verdict), 0);
  const all = results.reduce((n, one) => n + one.verdicts.length, 0);
  const files = results.reduce((n, one) => n + one.files, 0);
  const rows = results.map((one) => {
    const counts = (['true', 'false', 'not judged'] as const).map((v) => count(one, v));
    return `| ${one.name} ${one.version} | ${one.files} | ${counts.join(' | ')} |`;
  });
  const wrong = judged
    .filter((one) => one.verdict === 'false')
    .map((one) => `- ${one.package}, \`${one.file}\`, ${one.code}: ${one.why ?? ''}`);
  const share = all === 0 ? 0 : (100 * sum('false')) / all;
  return `# detsim check on real packages

\`detsim check\` over ${results.length} packages as the npm registry carries them: ${files} files, \
${all} diagnostics, ${sum('false')} of them false (${share.toFixed(1)}%).

The line of each diagnostic was read once by hand, and for about half of them, where the line
alone did not settle it, the code around it. It counts as true when what its message says about
the code holds: that a promise is awaited by nobody, that another task can run between a check and
a change. That it does harm is not claimed. It counts as false when the message is wrong, for
instance because a lock keeps other tasks out. Who read them wrote the rules too, and after a
reading the rules were changed for whole kinds of false ones: calls that are ended by a callback,
calls that give back a promise which others hold, sections that a lock guards, gates that close
before the await, globals that are put in only where they are missing. The figures are those after
that, on the same packages, so other packages may fare worse.

Where a package has no TypeScript, its JavaScript was checked, with the types that the compiler
infers; fewer promises are known there.

| package | files | true | false | not judged |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

What is false, and why:

${wrong.length === 0 ? 'nothing.' : wrong.join('\n')}

## Missed

A call that a simulation refuses is one of detsim's traps, so what can be seen at run time is a list
that can be walked: a test holds each trap against the rules, and fails for one that has neither a
rule nor a place on the list of those without. On that list are files, the network, the terminal and
the thread pool, where a mark at every call would say no more than the report of a sweep. The
packages above were not swept, so no figure is given for what their tests would meet.
`;
}
