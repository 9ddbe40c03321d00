"""The style sheet of the scorecard's page."""

PAGE_STYLE = """
:root{--bg:#f6f7f4;--card:#fff;--ink:#1b241d;--dim:#667066;--line:#dfe4dc;--good:#1f8a4c;--bad:#c0392b;
  --posted:#c98bd0;--confirmed:#9aa7b5;--first:#2f7de1;--best:#1f8a4c;--verified:#1f8a4c;--unverified:#e0a52c}
@media(prefers-color-scheme:dark){:root{--bg:#121713;--card:#1b221d;--ink:#e8eee9;--dim:#94a198;
  --line:#2d372f;--good:#4fc47f;--bad:#ef7b6d;--posted:#b374bb;--confirmed:#74828f;--first:#5a9df0;--best:#4fc47f;
  --verified:#3fae70;--unverified:#e0a52c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:2rem 1rem;background:var(--bg);color:var(--ink);
  font:16px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:1.7rem}
h2{margin:0 0 .8rem;font-size:1.1rem}
h3{font-size:.95rem}
header p{margin:.2rem 0;color:var(--dim)}
.tag{background:var(--bad);color:#fff;border-radius:.3rem;padding:.1rem .5rem;font-size:.8rem;
  vertical-align:middle}
section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1.2rem;
  margin-top:1.2rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.8rem;margin-top:1.2rem}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem;
  color:var(--dim);font-size:.85rem}
.tiles b{display:block;font-size:1.8rem;color:var(--ink);line-height:1.2}
table{border-collapse:collapse;font-size:.9rem}
td,th{padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top}
th{color:var(--dim);font-weight:500}
header .good,tr.good td:first-child{color:var(--good);font-weight:600}
header .bad,tr.bad td{color:var(--bad);font-weight:600}
.wide{overflow-x:auto}
.heat td{padding:.25rem .7rem;text-align:right;
  background:color-mix(in srgb,var(--first) calc(var(--heat)*70%),transparent);border:1px solid var(--line)}
.legend{margin:.2rem 0;font-size:.85rem;color:var(--dim)}
.legend i{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;margin:0 .35rem 0 .8rem}
svg{width:100%;height:auto;display:block}
svg text{fill:var(--dim);font-size:12px}
svg .label{text-anchor:end;fill:var(--ink)}
svg .axis,svg .count{text-anchor:middle}
svg .tick{stroke:var(--line)}
svg .lane{stroke:var(--dim);stroke-width:2;opacity:.4}
svg .limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 4}
svg .faded{opacity:.4}
.posted{fill:var(--posted);background:var(--posted)}
.confirmed{fill:var(--confirmed);background:var(--confirmed)}
.first{fill:var(--first);background:var(--first)}
.best{fill:var(--best);background:var(--best)}
.verified{fill:var(--verified);background:var(--verified)}
.unverified{fill:var(--unverified);background:var(--unverified)}
"""
