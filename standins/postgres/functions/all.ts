/** All functions and operators: importing them puts them into the registry. */

import './arrays.js';
import './json.js';
import './math.js';
import './operators.js';
import './system.js';
import './text.js';
import './time.js';
