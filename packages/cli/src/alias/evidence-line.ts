type Fields = Readonly<Record<string, unknown>>

const maxCharacters = 100

/** The evidence of a change of an alias as one short line; `--json` prints all of it. */
export function evidenceLine(evidence: Fields): string {
  const { gate, kind } = evidence
  if (isFields(gate)) return gateLine(gate)
  switch (kind) {
    case 'eval':
      return evalLine(evidence)
    case 'served_before':
      return 'the model served this alias before'
    case 'canary':
      return 'its canary was ready to be promoted'
    case 'exempt':
      return 'none: the alias is exempt from the evidence policy'
    case 'forced':
      return 'none: an owner forced the change'
    default:
      return cut(JSON.stringify(evidence))
  }
}

function evalLine({ evalId, by, evidence }: Fields): string {
  if (by !== 'people') return `${evalId} proved a win rate above ${lowOf(evidence)}`
  return `people proved a win rate above ${lowOf(isFields(evidence) ? evidence.people : null)} in ${evalId}`
}

function gateLine({ arms, difference }: Fields): string {
  const [target, canary] = [armLine(arms, 'target'), armLine(arms, 'canary')].map((each) => each ?? 'nothing')
  const estimate = isFields(difference) && Array.isArray(difference.cs) ? difference.cs : null
  const points = estimate?.map((end) => (typeof end === 'number' ? (end * 100).toFixed(1) : '?')).join(' to ')
  const compared = `canary passed ${canary}, target ${target}`
  return points === undefined ? compared : `${compared}; difference ${points} points`
}

function armLine(arms: unknown, name: 'target' | 'canary'): string | null {
  const arm = isFields(arms) ? arms[name] : null
  if (!isFields(arm) || typeof arm.scored !== 'number' || typeof arm.fails !== 'number') return null
  return `${arm.scored - arm.fails} of ${arm.scored}`
}

function lowOf(weighed: unknown): string {
  const low = isFields(weighed) ? weighed.win_rate_low : null
  return typeof low === 'number' ? low.toFixed(3) : 'what is required'
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cut(text: string): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}… (--json prints all)`
}
