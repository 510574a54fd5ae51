/** What a client did with the gateway. */
export interface Tried {
  readonly client: string
  readonly language: 'JavaScript' | 'Python'
  readonly versions: string
  readonly cases: readonly TriedCase[]
}

export interface TriedCase {
  readonly case: string
  /** What went wrong; null when the case passed. */
  readonly problem: string | null
}

const begin = '<!-- written by `npm run compatibility` -->'
const end = '<!-- end -->'

/** A document with a new table between its two marks. @throws Error when a mark is missing */
export function withTable(document: string, tried: readonly Tried[], day: string): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The document needs the lines ${begin} and ${end}.`)
  return `${document.slice(0, from + begin.length)}\n\n${section(tried, day)}\n\n${document.slice(to)}`
}

function section(tried: readonly Tried[], day: string): string {
  const rows = tried.map(({ client, language, versions, cases }) => {
    const failed = cases.filter(({ problem }) => problem !== null)
    const names = failed.map((each) => each.case).join(', ')
    return [`${client} (${language})`, versions, `${cases.length - failed.length} of ${cases.length}`, names || '–']
  })
  const problems = tried.flatMap(({ client, language, cases }) =>
    cases.flatMap((each) =>
      each.problem === null ? [] : [`- ${client} (${language}), ${each.case}: \`${plain(each.problem)}\``],
    ),
  )
  const sum = tried.flatMap(({ cases }) => cases)
  const passed = sum.filter(({ problem }) => problem === null).length
  return [
    `Measured on ${day} with the newest versions, against a fleet with the simulated provider: ${passed} of ${sum.length} cases pass.`,
    table([['client', 'versions', 'passed', 'failed'], ...rows]),
    ...(problems.length === 0 ? [] : [['What failed:', '', ...problems].join('\n')]),
  ].join('\n\n')
}

function plain(problem: string): string {
  return problem.replace(/[`\n|]+/g, ' ').trim()
}

/** Columns are padded as the formatter of the repository does it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].join('\n')
}
