/** The style sheet. Light or dark as the system prefers; contrast is at least 4.5 : 1 for all text. */
export const STYLE = `:root {
  --bg: #f7f8fa; --card: #ffffff; --ink: #1a1f2b; --dim: #566072; --line: #dfe3ea; --hover: #f0f3fa;
  --link: #2440b3; --accent: #2b4acb; --focus: #2b4acb;
  --good: #17693a; --good-bg: #e4f4ea; --wait: #7a4d00; --wait-bg: #fdf1d8; --bad: #a3271f; --bad-bg: #fdeae8; --idle-bg: #eceff4;
  --v0: #1f5fa8; --v1: #8a4b00; --v2: #2b6e38; --v3: #8b2f6b; --v4: #5546b5; --v5: #0b6b75; --v6: #a3372a; --v7: #5c6000; --v8: #45566b; --v9: #74398c;
  --v-ink: #ffffff;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #12151b; --card: #1a1e26; --ink: #e7eaf0; --dim: #a2abbb; --line: #2d333f; --hover: #222834;
    --link: #9db4ff; --accent: #7f9bff; --focus: #9db4ff;
    --good: #7fd6a0; --good-bg: #16301f; --wait: #f0c46c; --wait-bg: #36290f; --bad: #ff9d94; --bad-bg: #3d1b19; --idle-bg: #272d38;
    --v0: #7db0ef; --v1: #e5a45c; --v2: #7cc48a; --v3: #e08fc2; --v4: #a99df5; --v5: #62c3cd; --v6: #f0897b; --v7: #c3c65a; --v8: #a3b3c7; --v9: #c893e0;
    --v-ink: #10131a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 var(--sans); }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; background: var(--card); padding: .5rem 1rem; border-radius: 6px; }
.skip:focus { top: .5rem; }
code, kbd { font: .92em/1.4 var(--mono); overflow-wrap: anywhere; }
kbd { border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 .35em; background: var(--card); }
small { font-size: .86em; color: var(--dim); }

.top { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; padding: .6rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: .45rem; font-weight: 650; letter-spacing: -.01em; color: var(--ink); text-decoration: none; }
.brand svg { color: var(--accent); }
.top nav { display: flex; gap: .25rem; }
.top nav a { padding: .3rem .7rem; border-radius: 6px; color: var(--dim); text-decoration: none; font-weight: 500; }
.top nav a:hover { background: var(--hover); color: var(--ink); }
.top nav a[aria-current] { background: var(--hover); color: var(--ink); box-shadow: inset 0 -2px 0 var(--accent); border-bottom-left-radius: 0; border-bottom-right-radius: 0; }
.asof { margin: 0 0 0 auto; display: flex; flex-wrap: wrap; gap: 0 1.25rem; font-size: .86rem; color: var(--dim); font-variant-numeric: tabular-nums; }
.asof .late { color: var(--bad); }

main { max-width: 100rem; margin: 0 auto; padding: 1.25rem 1.5rem 2rem; }
footer { max-width: 100rem; margin: 0 auto; padding: 1rem 1.5rem 2rem; border-top: 1px solid var(--line); color: var(--dim); font-size: .86rem; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 2rem; }
footer p { margin: .15rem 0; }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -.02em; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; letter-spacing: -.01em; margin: 2rem 0 .75rem; }
h3 { font-size: .95rem; margin: 0 0 .5rem; }
h1.unseen + section > h2 { margin-top: .25rem; }
.version { font-weight: 450; color: var(--dim); font-variant-numeric: tabular-nums; }
.lead { display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: baseline; margin: -.4rem 0 1.25rem; }
.hint { color: var(--dim); font-size: .9rem; max-width: 75ch; margin: .5rem 0; }
.crumbs { font-size: .9rem; color: var(--dim); }

.badge { display: inline-flex; align-items: baseline; gap: .35em; white-space: nowrap; padding: .05rem .55rem; border-radius: 999px; font-size: .86rem; font-weight: 550; background: var(--idle-bg); color: var(--ink); }
.badge i { font-style: normal; font-size: .9em; }
.badge.good { background: var(--good-bg); color: var(--good); }
.badge.wait { background: var(--wait-bg); color: var(--wait); }
.badge.bad { background: var(--bad-bg); color: var(--bad); }
.candidate .badge, .lead .badge { white-space: normal; }
.notice { border: 1px solid var(--line); border-left: 4px solid var(--accent); background: var(--card); border-radius: 6px; padding: .75rem 1rem; margin: 0 0 1rem; max-width: 80ch; }
.notice p { margin: .15rem 0; overflow-wrap: anywhere; }
.notice.bad { border-left-color: var(--bad); }
.notice.wait { border-left-color: var(--wait); }

.figures { list-style: none; display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1rem; padding: 0; }
.figures li { flex: 1 1 9rem; }
.figures a { display: block; padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; color: var(--dim); text-decoration: none; font-size: .9rem; }
.figures a:hover { border-color: var(--accent); }
.figures strong { display: block; font-size: 1.75rem; line-height: 1.15; font-weight: 600; letter-spacing: -.02em; color: var(--ink); font-variant-numeric: tabular-nums; }
.panels, .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; align-items: start; }
.panel, .columns > section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; min-width: 0; }
.columns > section > h2 { margin: 0 0 .5rem; font-size: 1rem; }
.panel > p:last-child { margin: .75rem 0 0; font-size: .9rem; }
.bar { display: block; }
.bar .track { fill: var(--idle-bg); }
.bar .fill { fill: var(--accent); }
table.counts { width: 100%; }
table.counts th, table.counts td { border: 0; padding: .2rem 0; background: none; }
table.counts th { font-weight: 450; padding-right: 1rem; overflow-wrap: anywhere; }
table.counts td.num { padding-right: 1rem; }
table.counts td.bars { width: 45%; vertical-align: middle; }
.problems { list-style: none; margin: 0 0 .5rem; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.problems li { padding: .5rem 1rem .5rem .85rem; border-left: 4px solid var(--bad); overflow-wrap: anywhere; }
.problems li + li { border-top: 1px solid var(--line); }
.problems li.warning { border-left-color: var(--wait); }
.problems li:first-child { border-top-left-radius: 9px; } .problems li:last-child { border-bottom-left-radius: 9px; }
small.age { display: block; }
.kind { font-size: .8rem; font-weight: 550; color: var(--bad); }
.warning .kind { color: var(--wait); }

.filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; margin: 0 0 .75rem; }
.filters label > span { display: block; font-size: .8rem; color: var(--dim); margin-bottom: .1rem; }
.filters input[type=search], .filters select, .filters button { font: inherit; font-size: .93rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .55rem; height: 2.15rem; max-width: 14rem; }
.filters .find { flex: 1 1 14rem; max-width: 26rem; }
.filters .find input { width: 100%; max-width: none; }
.filters input:focus-visible, .filters select:focus-visible { outline-offset: 0; }
.filters ::placeholder { color: var(--dim); opacity: 1; }
.filters button { cursor: pointer; font-weight: 550; padding: 0 1rem; }
.filters button:hover { border-color: var(--accent); }
.buttons a { margin-left: .5rem; }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .75rem; padding: 0; list-style: none; font-size: .86rem; }
.chips a { display: inline-block; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 999px; background: var(--card); text-decoration: none; }
.chips a:hover { border-color: var(--accent); }
.count { margin: 0 0 .5rem; color: var(--dim); font-variant-numeric: tabular-nums; }
.count [data-count] { color: var(--ink); font-weight: 600; }
.none { padding: 1.5rem; text-align: center; color: var(--dim); }
.pager { display: flex; gap: 1rem; justify-content: center; margin: 1rem 0; }
.pager .off { color: var(--dim); }

.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; text-align: left; }
.scroll table { width: 100%; }
th, td { padding: .42rem .9rem; border-bottom: 1px solid var(--line); vertical-align: baseline; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-size: .8rem; font-weight: 600; color: var(--dim); white-space: nowrap; background: var(--card); }
thead th a { color: inherit; text-decoration: underline dotted; text-underline-offset: 4px; }
thead th a:hover { text-decoration: underline; }
thead th i { font-style: normal; margin-left: .3em; }
thead th[aria-sort=ascending], thead th[aria-sort=descending] { color: var(--ink); }
tbody th { font-weight: 500; }
.rows tbody tr:hover > *, .rows tbody tr:focus-within > * { background: var(--hover); }
.rows tbody tr:focus-within > :first-child { box-shadow: inset 3px 0 0 var(--accent); }
.rows tbody th small, .rows td small { display: block; line-height: 1.3; }
.rows td div + div { margin-top: .5rem; }
.rows { font-size: .93rem; }
.rows td { overflow-wrap: anywhere; }
.rows tbody th { min-width: 12rem; overflow-wrap: anywhere; }
.rows tbody th small { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 22rem; }
time[data-age]::after { content: ' (' attr(data-age) ')'; }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
.why { color: var(--dim); overflow-wrap: anywhere; min-width: 14rem; }
.rows .why { width: 38%; }
tr.pass .why { color: var(--dim); }
tr.wait .why, tr.broken .why { color: var(--ink); }
.candidate { margin: 0 0 1.25rem; }
.candidate h3 { display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; font-variant-numeric: tabular-nums; font-size: 1rem; }
.candidate th[scope=row] { width: 10rem; }
.candidate td:nth-child(2) { width: 8rem; }
.candidate td:nth-child(4) { width: 24rem; }
.matrix td { text-align: left; white-space: nowrap; }
.matrix .badge { margin-right: .25rem; }
.matrix thead a { font-family: var(--mono); font-weight: 500; }
.matrix tbody th { position: sticky; left: 0; background: var(--card); }
.cell { text-decoration: none; }
.cell:hover .badge { text-decoration: underline; }

.track > h2 a { color: inherit; }
.waves { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; align-items: start; margin: 0; padding: 0; }
.wave { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem 1rem; min-width: 0; }
.wave h3 { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem .75rem; overflow-wrap: anywhere; }
.wave p { margin: .25rem 0; overflow-wrap: anywhere; }
.cells-title { font-size: .8rem; color: var(--dim); }
.cells { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem; margin: .25rem 0; padding: 0; }
.cells li { min-width: 0; }
.cells a { text-decoration: none; }
.cells a:hover .badge { text-decoration: underline; }
.cells .badge { white-space: normal; overflow-wrap: anywhere; border-radius: 6px; }

dl { margin: 0; }
dl div { display: grid; grid-template-columns: 7.5rem 1fr; gap: .75rem; padding: .15rem 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.addresses div { grid-template-columns: minmax(12rem, 1fr) 2fr; padding: .4rem 0; }
.steps { margin: 0 0 .5rem; padding-left: 1.25rem; font-variant-numeric: tabular-nums; }
details { margin: .75rem 0; font-size: .93rem; }
summary { cursor: pointer; color: var(--link); }

.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .5rem 0 .75rem; padding: 0; font-size: .86rem; font-variant-numeric: tabular-nums; }
.legend svg { margin-right: .4rem; vertical-align: -1px; }
.timeline .strip { width: 48%; min-width: 24rem; padding-left: 0; padding-right: 0; }
.timeline td.strip { vertical-align: middle; }
.timeline svg { display: block; }
.timeline tbody th { width: 14rem; }
.timeline tbody > tr > * { vertical-align: middle; }
.timeline .words { min-width: 22rem; font-size: .86rem; font-variant-numeric: tabular-nums; }
.timeline text { font: 11px var(--sans); fill: var(--v-ink); font-variant-numeric: tabular-nums; }
.timeline .scale text { fill: var(--dim); }
.unknown { fill: var(--idle-bg); }
.seen { opacity: .8; }
.now { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 2; }
.v0 { fill: var(--v0); } .v1 { fill: var(--v1); } .v2 { fill: var(--v2); } .v3 { fill: var(--v3); } .v4 { fill: var(--v4); }
.v5 { fill: var(--v5); } .v6 { fill: var(--v6); } .v7 { fill: var(--v7); } .v8 { fill: var(--v8); } .v9 { fill: var(--v9); }

@media (max-width: 48rem) {
  .top, main, footer { padding-left: 1rem; padding-right: 1rem; }
  .top nav { order: 3; width: 100%; flex-wrap: wrap; }
  .top nav a { padding: .2rem .5rem; }
  .asof { margin-left: 0; }
}
@media screen and (max-width: 40rem) {
  .rows, .rows tbody, .gates, .gates tbody { display: block; }
  .rows tbody tr, .gates tbody tr { display: flex; flex-wrap: wrap; gap: .1rem .75rem; padding: .6rem .9rem; border-bottom: 1px solid var(--line); }
  .rows tbody tr:last-child, .gates tbody tr:last-child { border-bottom: 0; }
  .rows tbody tr > *, .gates tbody tr > * { border: 0; padding: 0; min-width: 0; width: auto; }
  .rows tbody tr > th, .rows .why, .rows .words, .gates .why, .gates td:last-child, .rows td.strip { flex: 1 1 100%; width: 100%; }
  .rows tbody th small { max-width: none; }
  .rows thead, .gates thead { display: block; }
  .rows thead tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .4rem .9rem; border-bottom: 1px solid var(--line); }
  .rows thead th { border: 0; padding: .15rem 0; }
  .rows thead th:not(.strip):not(:has(a)), .gates thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows thead th.strip { flex: 1 1 100%; width: 100%; }
  .timeline .strip, .timeline .words { min-width: 0; }
  .scale text:nth-last-child(2) { display: none; }
  .gates tbody th { flex: 1 1 auto; }
  .gates td:last-child:not(:empty)::before { content: 'Opens '; color: var(--dim); }
  .rows tr:hover, .rows tr:focus-within { background: var(--hover); }
  .matrix thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .next tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .2rem 0; }
  .next th { flex: 1 1 100%; padding: 0; }
  table.next td { padding: 0; }
}
@media print, screen and (max-width: 40rem) {
  .matrix, .matrix tbody { display: block; }
  .matrix tbody tr { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: .4rem .9rem; border-bottom: 1px solid var(--line); }
  .matrix tbody tr > * { border: 0; padding: 0; white-space: normal; overflow-wrap: anywhere; }
  .matrix tbody tr > th { flex: 1 1 100%; position: static; }
  .matrix td.empty { display: none; }
  .matrix td::before { content: attr(data-label) ' '; font: .86em var(--mono); color: var(--dim); }
}
@media (prefers-reduced-motion: no-preference) { a, .figures a { transition: border-color .12s, background-color .12s; } }
@media (forced-colors: active) { .badge { border: 1px solid; } .bar .fill { fill: CanvasText; } .timeline rect { stroke: CanvasText; } }
@media print {
  :root { --bg: #fff; --card: #fff; --ink: #000; --dim: #333; --line: #bbb; --link: #000; }
  .top { position: static; } .top nav, .filters, .skip, .pager, footer p:last-child { display: none; }
  main { max-width: none; padding: 0; }
  .scroll { overflow: visible; border: 0; } thead { display: table-header-group; } thead th { white-space: normal; } .matrix thead { display: none; } tr, .panel, .columns > section, .wave, .problems li, .notice { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; } .buttons, .cells .badge i { display: none; }
  h2, h3 { break-after: avoid; }
  .rows, .scroll table, .rows .badge, .candidate .badge, .timeline .words { font-size: 8pt; } th, td { padding: .2rem .4rem; }
  .rows tbody th, .why, .timeline .strip, .timeline .words { min-width: 0; } .timeline tbody th { width: 20%; } .timeline .strip { width: 45%; }
  .candidate th[scope=row], .candidate td:nth-child(2), .candidate td:nth-child(4) { width: auto; }
  .badge { white-space: normal; } .scale text:nth-last-child(2) { display: none; }
  .badge, .timeline rect, .bar rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
