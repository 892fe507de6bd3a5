/**
 * The style of the page of `detsim trace html`, and its skeleton.
 */

/** The colours of all our pages, light and dark. */
export const COLORS = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f7f8fa; --text: #1c2430; --dim: #667085; --line: #e3e6eb;
  --band: #f2f5fa; --amber: #b45f06; --red: #c62828; --accent: #1a56db; --mark: #fff0c2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #11151c; --panel: #171c25; --text: #e4e8ef; --dim: #8d98a9; --line: #29303c;
    --band: #171d27; --amber: #f0b04c; --red: #ff7b72; --accent: #7fb0ff; --mark: #4a3b12;
  }
}
`;

const STYLE = `${COLORS}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body {
  background: var(--back); color: var(--text); display: grid;
  font: 13px/1.45 ui-sans-serif, system-ui, sans-serif;
  grid-template: auto 44px minmax(0, 1fr) / minmax(0, 1fr) 400px;
}
header {
  align-items: center; border-bottom: 1px solid var(--line); display: flex; gap: 12px;
  grid-column: 1 / -1; padding: 8px 12px;
}
header h1 {
  font-size: 14px; margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
header .outcome {
  flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
#count { color: var(--dim); min-width: 60px; }
input, .tool {
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: inherit;
  font: inherit; padding: 4px 9px;
}
input { width: 190px; }
.tool { cursor: pointer; }
.tool:hover { border-color: var(--dim); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#map {
  border-bottom: 1px solid var(--line); grid-column: 1; grid-row: 2; height: 100%;
  touch-action: none; width: 100%;
}
#lanes { grid-column: 1; grid-row: 3; height: 100%; touch-action: none; width: 100%; }
#details {
  background: var(--panel); border-left: 1px solid var(--line); grid-column: 2; grid-row: 2 / 4;
  overflow: auto; padding: 14px 16px 24px;
}
#details h1 { font-size: 14px; margin: 0 0 4px; overflow-wrap: anywhere; }
#details h2 { color: var(--dim); font-size: 12px; font-weight: 600; margin: 16px 0 4px; }
#details p { margin: 4px 0; overflow-wrap: anywhere; }
#details ul, #details ol { margin: 0; padding-left: 18px; }
#details ul { list-style: none; padding-left: 0; }
dl { display: grid; gap: 3px 12px; grid-template-columns: max-content 1fr; margin: 8px 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.link {
  background: none; border: 0; color: inherit; cursor: pointer; font: inherit;
  overflow-wrap: anywhere;
  padding: 2px 0; text-align: left;
}
.link b { color: var(--accent); font-weight: 600; }
.link:hover { text-decoration: underline; }
.dim, .place { color: var(--dim); }
.amber { color: var(--amber); }
.red { color: var(--red); }
.code, pre, .place {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px;
}
pre.source {
  background: var(--back); border: 1px solid var(--line); border-radius: 6px; margin: 6px 0;
  overflow: auto; padding: 6px 0; tab-size: 2;
}
pre.source div { min-width: max-content; padding-right: 10px; }
pre.source .here { background: var(--band); }
pre.source .number {
  color: var(--dim); display: inline-block; padding-right: 10px; text-align: right;
  user-select: none; width: 46px;
}
mark { background: var(--mark); border-radius: 2px; color: inherit; }
kbd {
  background: var(--back); border: 1px solid var(--line); border-radius: 4px; font: inherit;
  font-size: 12px; margin-right: 3px; padding: 0 5px;
}
#tip {
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  box-shadow: 0 4px 14px rgb(0 0 0 / 18%); max-width: 460px; overflow-wrap: anywhere;
  padding: 7px 10px;
  pointer-events: none; position: fixed; z-index: 2;
}
#tip[hidden] { display: none; }
@media (max-width: 900px) {
  body { grid-template: auto 44px minmax(0, 3fr) minmax(0, 2fr) / minmax(0, 1fr); }
  #details { border-left: 0; border-top: 1px solid var(--line); grid-column: 1; grid-row: 4; }
  header { flex-wrap: wrap; }
}
`;

/** Nothing may be loaded from anywhere, whatever a trace holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

export interface PageParts {
  readonly title: string;
  readonly outcome: string;
  readonly failed: boolean;
  /** JSON, and the program that reads it. */
  readonly data: string;
  readonly script: string;
}

/** The text of the page. */
export function pageOf({ title, outcome, failed, data, script }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(title)}</h1>
<span class="outcome ${failed ? 'red' : 'dim'}">${escape(outcome)}</span>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search">
<span id="count" role="status"></span>
<button class="tool" id="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
<button class="tool" id="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
<button class="tool" id="fit" title="Show all (0)">Fit</button>
</header>
<canvas id="map" aria-hidden="true"></canvas>
<canvas id="lanes" tabindex="0" role="img" aria-label="A lane for each task;
  the arrow keys go from step to step"></canvas>
<aside id="details" aria-live="polite"></aside>
<div id="tip" hidden></div>
<script type="application/json" id="trace">${data.replaceAll('<', '\\u003c')}</script>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}

/** Text as HTML. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
