/** The verdict of a gate with its checks, as GitHub shows it. */
export function asMarkdown({ id, name, status, baseline_model: baseline }, { passed, candidate, checks, message }) {
  const verdict = passed ? '✅ passed' : '❌ not passed'
  const compared = baseline === undefined || baseline === null ? '' : ` against \`${baseline}\``
  const heading = `### Eval gate: ${verdict}\n\n\`${candidate ?? 'no candidate'}\`${compared}`
  const origin = `Eval ${name === undefined || name === null ? '' : `“${plain(name)}” `}\`${id}\`, ${status}`
  const rows = checks.map(({ name: check, operator, threshold, observed, ci, passed: holds }) =>
    [holds ? '✅' : '❌', `\`${check}\``, `${operator} ${threshold}`, short(observed), interval(ci)].join(' | '),
  )
  const table = `|  | check | required | observed | 95 % interval |\n| --- | --- | --- | --- | --- |`
  const listed = rows.length === 0 ? '' : `\n\n${table}\n${rows.map((row) => `| ${row} |`).join('\n')}`
  return `${heading}${message === '' ? '' : `\n\n${plain(message)}`}${listed}\n\n${origin}`
}

function interval(ci) {
  return ci === null || ci === undefined ? '–' : `${short(ci[0])} to ${short(ci[1])}`
}

function short(value) {
  if (value === null || value === undefined) return 'not measured'
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : String(value)
}

/** Texts of people cannot write markup, nor mention somebody. */
function plain(text) {
  return text
    .replace(/[\\`*_{}[\]<>()#|~]/g, '\\$&')
    .replace(/@/g, '@\u200b')
    .replace(/\s+/g, ' ')
}
