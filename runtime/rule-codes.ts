/**
 * The rule that marks a call which cannot be simulated, so that an error at run time and the mark
 * in the editor go by the same code. Calls that no rule marks are listed with the reason.
 */

const RULES: readonly (readonly [calls: RegExp, code: string])[] = [
  [/^Atomics\.wait$/, 'DS1001'],
  [/^child_process\.\w+Sync$/, 'DS1002'],
  [/^child_process\./, 'DS1003'],
  [/^new Worker$|^cluster\.fork$/, 'DS1004'],
  [/^(?:MessagePort|BroadcastChannel)\.postMessage$/, 'DS1005'],
  [/^process\.dlopen$/, 'DS1006'],
  [/^(?:process\.(?:kill|send)|inspector\.)/, 'DS1014'],
  [/^(?:v8\.getHeapSnapshot|vm\.measureMemory)$/, 'DS1110'],
];

/** What no rule marks: a mark at each would say no more than the report of a sweep does. */
export const UNMARKED: readonly (readonly [calls: RegExp, reason: string])[] = [
  [/^fs\.|^reading from a file stream$/, 'files: I/O that a test may give a stand-in for'],
  [
    /^(?:net|tls|http|https|http2|dgram|dns)\.|^fetch$|^new (?:WebSocket|EventSource)$/,
    'the network: I/O that a test may give a stand-in for',
  ],
  [/^reading from a socket or terminal$|^readline/, 'a terminal: nothing is typed in a test'],
  [
    /^zlib\.|^writing to a zlib stream$/,
    'the thread pool: the result is the same whenever it comes',
  ],
  [/^crypto\./, 'the thread pool: the result is the same whenever it comes'],
  [/^timers\.(?:enroll|active|_unrefActive)$/, 'deprecated, and without types'],
];

/** The code of the rule that marks `call`, as reports name it; undefined when none does. */
export function ruleCodeOf(call: string): string | undefined {
  return RULES.find(([calls]) => calls.test(call))?.[1];
}
