/** The task primitives. */
export { Channel } from './channel.js';
export { Condition } from './condition.js';
export { Mutex } from './mutex.js';
export { Once } from './once.js';
export { RWMutex } from './rwmutex.js';
export { select, type SelectCase, type Selected } from './select.js';
export { Semaphore } from './semaphore.js';
export { after, sleep, type Timeout } from './time.js';
export { WaitGroup } from './wait-group.js';
