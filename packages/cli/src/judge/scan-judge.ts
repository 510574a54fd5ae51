import { getScan, type Scan, StartScan, startScan } from '@ratchet/contracts/scans'
import { formatTable } from '../answer.ts'
import type { Reply } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { number } from '../api/value-parsers.ts'
import { inShare, inUsd } from '../text/in-words.ts'
import { addJudgeArgument } from './judge-id.ts'
import { exitOf, failureText, watchRun } from './watch-run.ts'

interface Options {
  readonly samples?: number
  readonly maxCost?: number
  readonly model?: string
  readonly tag?: string
  readonly segment?: string
  readonly estimate?: true
}

export function scanJudge({ group, run }: ApiCommands): void {
  addJudgeArgument(group.command('scan').description('Judge a random sample of the log, and print the pass rate.'))
    .option('--samples <count>', 'number of exchanges or runs', number(StartScan.shape.sample_count))
    .option('--max-cost <usd>', 'maximum cost', number(StartScan.shape.max_cost_usd))
    .option('--model <model>', 'only answers of this model')
    .option('--tag <tag>', 'only requests with this tag')
    .option('--segment <segment>', 'only this family of system prompts')
    .option('--estimate', 'print what it would cost, and start nothing')
    .action((id: string, options: Options) =>
      run(async (deps) => {
        const api = await deps.connect()
        const started = await api.call(startScan, { params: { id }, body: bodyOf(options) })
        if (started.value.object === 'criterion.scan_estimate') {
          const { sample_count: samples, matched, estimated_cost_usd: cost } = started.value
          return { json: started.json, text: `${samples} of ${matched}, ${inUsd(cost)}` }
        }
        const first = started as Reply<Scan>
        const last = await watchRun<Scan>(deps, api, {
          first,
          read: (client, more) => client.call(getScan, { params: { id, scan_id: first.value.id } }, more),
          progressOf: ({ progress: { done, total } }) => [done, total],
        })
        return last === null ? null : { json: last.json, text: scanText(last.value), ...exitOf(last.value) }
      }),
    )
}

function bodyOf({ samples, maxCost, model, tag, segment, estimate }: Options) {
  const filters = { ...(model && { model }), ...(tag && { tag }), ...(segment && { segment }) }
  return {
    filters,
    ...(samples === undefined ? {} : { sample_count: samples }),
    ...(maxCost === undefined ? {} : { max_cost_usd: maxCost }),
    ...(estimate === true ? { dry_run: true } : {}),
  }
}

function scanText(scan: Scan): string {
  if (scan.status !== 'DONE') return failureText(scan)
  const rates = (raw: number | null, corrected: number | null, ci: Scan['corrected_ci']) => [
    inShare(raw),
    inShare(corrected),
    ci === null ? '-' : `${inShare(ci[0])} to ${inShare(ci[1])}`,
  ]
  const rows = scan.by_segment.map((each) => [
    each.segment,
    String(each.judged),
    ...rates(each.raw_pass_rate, each.corrected_pass_rate, each.corrected_ci),
  ])
  const all = ['all', String(scan.judged), ...rates(scan.raw_pass_rate, scan.corrected_pass_rate, scan.corrected_ci)]
  const table = formatTable([['SEGMENT', 'JUDGED', 'RAW', 'CORRECTED', '95 % INTERVAL'], all, ...rows])
  const rest = `${scan.n_unparseable} unreadable, ${scan.n_unjudged} not judged, ${inUsd(scan.cost_usd)}`
  return `${table}\n${rest}`
}
